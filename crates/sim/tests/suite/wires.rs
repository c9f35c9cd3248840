//! Wired links in whole runs: times, room, losses, cuts, and their place beside radios.

use crate::common::{Case, Outcome};

/// Two nodes out of reach of each other, a wire of 1 Mb/s and 10 ms between them, and a stream of 972 + 28 bytes.
fn pair(stream: &str, wire: &str) -> Case {
    Case::new(&format!(
        r#"
run.duration = "20 s"
measure = {{ warm-up = "0 s", sample = "0 s" }}
topology = {{ kind = "chain", hops = 1, spacing = "10 km" }}
[[wire]]
from = "0"
to = "1"
rate = "1 Mbps"
delay = "10 ms"
{wire}
[[flow]]
kind = "cbr"
from = 0
to = 1
packet = "972 B"
{stream}
"#
    ))
}

fn dropped(case: &Case, why: &str) -> f64 {
    case.run(1).json["ledger"]["dropped"][why].as_f64().unwrap_or(0.0)
}

fn refused(case: &Case, what: &str) {
    let said = case.try_resolve().expect_err(what);
    assert!(said.contains(what), "{said}");
}

#[test]
fn a_packet_takes_the_time_of_its_bits_and_the_delay() {
    for (wire, least) in [("", 8.0 + 10.0), ("overhead = \"25 B\"", 8.2 + 10.0)] {
        let run = pair("rate = \"100 kbps\"", wire).run(1);
        let delay = run.flows()[0]["delay_mean_s"].as_f64().unwrap() * 1e3;
        assert!((delay - least).abs() < 1e-6, "{delay} ms");
        assert_eq!(run.frames(), 0.0, "nothing goes by radio");
        let at_once = pair("rate = \"100 kbps\"", wire).set("wire.0.delay", "\"0 s\"").run(1);
        let delay = at_once.flows()[0]["delay_mean_s"].as_f64().unwrap() * 1e3;
        assert!((delay - least + 10.0).abs() < 1e-6, "{delay} ms");
    }
}

/// The queue's packets count the one being sent: the last of five waits for four others.
#[test]
fn what_finds_no_room_is_lost() {
    let run = pair("rate = \"2 Mbps\"", "queue = 5").run(1);
    let longest = run.flows()[0]["delay_p95_s"].as_f64().unwrap() * 1e3;
    assert!((10.0 + 4.0 * 8.0..=10.2 + 5.0 * 8.0).contains(&longest), "{longest} ms");
    let goodput = run.goodput();
    assert!((goodput / (1e6 * 0.972) - 1.0).abs() < 0.01, "{goodput}");
    assert!(run.json["ledger"]["dropped"]["queue-full"].as_f64().unwrap() > 1000.0);
}

/// Both directions have the whole rate at the same time, and chance takes data packets alone.
#[test]
fn losses_take_data_and_no_acknowledgement() {
    let tcp = "[[flow]]\nkind = \"bulk\"\nfrom = 1\nto = 0\n";
    let wire = pair(&format!("rate = \"900 kbps\"\n{tcp}"), "queue = 50");
    let (whole, lossy) = (wire.run(1), wire.clone().set("wire.0.loss", 0.02).run(1));
    assert!(whole.flows()[1]["goodput_bps"].as_f64().unwrap() > 0.85e6, "{:?}", whole.flows()[1]);
    let lost = |flow: usize| lossy.flows()[flow]["ledger"]["dropped"]["wire-loss"].as_f64().unwrap();
    let sent = lossy.flows()[0]["ledger"]["created"].as_f64().unwrap();
    assert!((lost(0) / sent - 0.02).abs() < 0.007, "{} of {sent}", lost(0));
    let all = wire.clone().set("wire.0.loss", 1.0).set("flow.0.stop", "1 s").run(1);
    assert_eq!(all.over_flows("delivered_bytes"), 0.0);
    // Segments are lost at the far end; no ACK is ever made, so that every loss is one of data.
    assert_eq!(dropped(&wire, "wire-loss"), 0.0);
    let acks = lossy.json["drops"].to_string();
    assert!(!acks.contains("\"kind\":\"tcp-ack\""), "{acks}");
}

/// What would arrive while the wire is cut is lost; afterwards all is as before.
#[test]
fn a_cut_wire_delivers_nothing() {
    let cut = "[[event]]\nat = \"5 s\"\nkind = \"link-down\"\nfrom = 0\nto = 1\n\
               [[event]]\nat = \"10 s\"\nkind = \"link-up\"\nfrom = 0\nto = 1\n";
    let case = pair(&format!("rate = \"777.6 kbps\"\n{cut}"), "");
    let run = case.run(1);
    // 100 packets a second, for 5 s.
    assert_eq!(run.json["ledger"]["dropped"]["wire-cut"], 500);
    assert!(case.resolve().warnings.is_empty(), "{:?}", case.resolve().warnings);
    let down = pair("rate = \"777.6 kbps\"\n[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = 1\n", "");
    assert!(dropped(&down, "node-down") > 1490.0);
}

/// Events set rate and loss of a wire; each is remarked if it is so already.
#[test]
fn events_change_a_wire() {
    let event =
        |what: &str| format!("rate = \"972 kbps\"\n[[event]]\nat = \"10 s\"\nfrom = 0\nto = 1\n{what}\n");
    let slower = pair(&event("kind = \"rate\"\nrate = \"500 kbps\""), "");
    let (goodput, whole) = (slower.run(1).goodput(), pair("rate = \"972 kbps\"", "").run(1).goodput());
    // What waits at the end is not there yet.
    assert!((goodput / whole - 0.75).abs() < 0.03, "{goodput} of {whole}");
    let runs = pair(&event("kind = \"link-loss\"\nloss = 0.5"), "").runs(1..=8);
    let lossy = runs.iter().map(Outcome::goodput).sum::<f64>() / 8.0;
    assert!((lossy / whole - 0.75).abs() < 0.02, "{lossy} of {whole}");
    for what in ["kind = \"rate\"\nrate = \"1 Mbps\"", "kind = \"link-loss\"\nloss = 0.0"] {
        let remarks = pair(&event(what), "").resolve().warnings;
        assert!(remarks.iter().any(|remark| remark.contains("already")), "{remarks:?}");
    }
}

/// A wired uplink behind three radio hops, a short cut past them, and routing protocols that find both.
#[test]
fn wires_and_radios_make_one_network() {
    let uplink = "topology.node";
    let nodes: Vec<String> = (0..4)
        .map(|node| format!("{{ name = \"{node}\", x = \"{} m\", y = \"0 m\" }}", 200 * node))
        .chain(["{ name = \"server\", x = \"50 km\", y = \"0 m\" }".to_owned()])
        .collect();
    let case = |to: &str, wire: &str| {
        Case::chain(3)
            .set("topology.kind", "explicit")
            .set(uplink, format!("[{}]", nodes.join(", ")))
            .set("flow.0.to", format!("\"{to}\""))
            .set("flow.0.start", "40 s")
            .set("run.duration", "60 s")
            .set("measure.warm-up", "45 s")
            .set("wire", format!("[{{ {wire}, rate = \"10 Mbps\", delay = \"5 ms\" }}]"))
    };
    let (behind, past) = (case("server", "from = 3, to = \"server\""), case("3", "from = 0, to = 3"));
    for routing in ["static", "dsdv", "aodv", "dsr"] {
        let [behind, past] =
            [&behind, &past].map(|case| case.clone().set("routing.kind", format!("\"{routing}\"")).run(1));
        let (slow, fast) = (behind.goodput(), past.goodput());
        assert!((0.1e6..1e6).contains(&slow) && fast > 4e6, "{routing}: {slow} and {fast}");
    }
}

/// A queue that keeps packets after a give-up, and one of several classes, on a wire: no packet is given up there.
#[test]
fn every_queue_stands_at_a_wire() {
    for technique in
        ["persistent-queue", "drr", "priority-queue", "red-ecn", "link-red", "horizontal-flow-control"]
    {
        let run = Case::shipped("wire").set("run.duration", "12 s").technique(technique).run(1);
        assert!(
            run.goodput() > if technique == "red-ecn" { 8e6 } else { 9.3e6 },
            "{technique}: {}",
            run.goodput()
        );
    }
}

#[test]
fn mistakes_are_named() {
    let stream = "rate = \"1 Mbps\"";
    refused(&pair(stream, "").set("wire.0.to", "\"0\""), "be another node than `from`");
    refused(&pair(stream, "").set("wire.0.to", "\"7\""), "there is no node `7`");
    refused(&pair(stream, "queue = 1"), "wire.0.queue");
    refused(&pair(stream, "loss = 1.5"), "wire.0.loss");
    refused(&pair(stream, "").set("wire.0.rate", "\"0 bps\""), "wire.0.rate");
    let twice = "[[wire]]\nfrom = 1\nto = 0\nrate = \"1 Mbps\"\n";
    refused(&pair(&format!("{stream}\n{twice}"), ""), "have a wire already");
}

/// An event takes as many packets as it says, and the wire loses no others; without a wire it is refused.
#[test]
fn an_event_takes_the_next_packets() {
    let event = "[[event]]\nkind = \"packet-loss\"\nat = \"5 s\"\nfrom = 0\nto = 1\npackets = 3";
    let case = pair(&format!("rate = \"100 kbps\"\n{event}"), "");
    assert_eq!(dropped(&case, "wire-loss"), 3.0);
    refused(&case.clone().set("event.0.packets", 0), "packets");
    refused(
        &case.clone().set("event.0.loss", 0.5),
        "`loss` means nothing to an event of kind \"packet-loss\"",
    );
    refused(&case.clone().set("wire.0.late", 1.5), "late");
}

/// Packets that are held back arrive later than those behind them, and none is lost.
#[test]
fn late_packets_are_overtaken() {
    let case = pair("rate = \"100 kbps\"", "late = 0.1\nlate-by = \"200 ms\"");
    let (late, whole) = (case.run(1), pair("rate = \"100 kbps\"", "").run(1));
    let delay = |run: &Outcome| run.flows()[0]["delay_mean_s"].as_f64().unwrap() * 1e3;
    assert!(
        (delay(&late) - delay(&whole) - 20.0).abs() < 8.0,
        "{} against {} ms",
        delay(&late),
        delay(&whole)
    );
    assert_eq!(late.over_flows("delivered_bytes"), whole.over_flows("delivered_bytes"));
}

/// Two senders wait for room in the queue of one wire. An ACK of one comes in each gap between packets, so that the
/// queue is full again whenever a packet has left; the other begins at any time between two packets.
#[test]
fn each_sender_that_waits_for_room_gets_some() {
    let case = Case::new(
        r#"
profile = "rfc"
run.duration = "20 s"
measure = { warm-up = "5 s", sample = "0 s" }
topology = { kind = "chain", hops = 1, spacing = "10 km" }
wire = [{ from = 0, to = 1, rate = "1 Mbps", delay = "5 ms", queue = 4 }]
tcp = { gate = "interface-queue", handshake = "none", ack-every = 1 }
[[flow]]
kind = "bulk"
from = 0
to = 1
[[flow]]
kind = "bulk"
from = 0
to = 1
"#,
    );
    for start in [2000, 2003, 2006, 2009, 2011] {
        let run = case.clone().set("flow.1.start", format!("\"{start} ms\"")).run(1);
        let goodput = |flow: usize| run.flows()[flow]["goodput_bps"].as_f64().unwrap();
        let (one, other) = (goodput(0), goodput(1));
        assert!(one.min(other) > 0.8 * one.max(other), "from {start} ms on: {one} and {other} b/s");
    }
}
