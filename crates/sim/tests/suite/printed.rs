//! The figures that papers on ad hoc routing print: delivery ratio, routing load, jitter, hops, and goodput over a
//! flow's own time.

use crate::common::{Case, number};
use serde_json::Value;

/// Two hops and a stream that begins in the middle, with nothing in its way.
const LATE: &str = r#"
profile = "rfc"
run.duration = "20 s"
topology = { kind = "chain", hops = 2 }
[[flow]]
kind = "cbr"
from = "0"
to = "2"
rate = "100 kbps"
packet = "500 B"
start = "10 s"
"#;

fn close(value: &Value, expected: f64) -> bool {
    (number(value) / expected - 1.0).abs() < 0.01
}

#[test]
fn the_goodput_of_a_flow_is_over_its_own_time() {
    for (start, stop, own) in
        [("10 s", "20 s", 10.0), ("0 s", "5 s", 5.0), ("4 s", "12 s", 8.0), ("0 s", "20 s", 20.0)]
    {
        let case = Case::new(LATE).set("flow.0.start", start).set("flow.0.stop", stop);
        let run = case.run(1).json;
        let flow = &run["flows"][0];
        assert!((number(&flow["active_s"]) - own).abs() < 1e-9, "{start}: {flow}");
        assert!(close(&flow["goodput_bps"], 100e3), "{start}: {flow}");
        assert!(close(&run["goodput_bps"], 100e3), "of all flows: the time in which there was one");
    }
    // What began before the measured time, and what ends in it, count from its beginning.
    let run = Case::new(LATE).set("measure.warm-up", "15 s").run(1).json;
    assert!((number(&run["flows"][0]["active_s"]) - 5.0).abs() < 1e-9);
    assert!(close(&run["flows"][0]["goodput_bps"], 100e3));
}

#[test]
fn a_file_that_has_completed_has_no_more_time_of_its_own() {
    let file = "\n[[flow]]\nkind = \"file\"\nfrom = \"2\"\nto = \"0\"\nsize = \"200 kB\"\nstart = \"1 s\"\n";
    let run = Case::new(&format!("{LATE}{file}")).run(1).json;
    let flow = &run["flows"][1];
    let took = number(&flow["completion_s"]);
    assert!(took < 10.0 && close(&flow["active_s"], took), "{flow}");
    assert!(close(&flow["goodput_bps"], 1_600_000.0 / took), "{flow}");
    // The two are never there at once: together they have the sum of their times.
    let both = number(&flow["active_s"]) + 10.0;
    assert!(close(&run["goodput_bps"], (1_600_000.0 + 1_000_000.0) / both), "{}", run["goodput_bps"]);
}

#[test]
fn packets_sent_and_arrived_hops_and_jitter() {
    let run = Case::new(LATE).run(1).json;
    let flow = &run["flows"][0];
    assert!(number(&flow["delivery_ratio"]) > 0.99 && number(&flow["delivery_ratio"]) <= 1.0);
    assert!((number(&flow["hops_mean"]) - 2.0).abs() < 1e-9);
    let near = Case::new(LATE).set("routing.hop-limit", "10").run(1).json;
    assert_eq!(near["flows"][0]["hops_mean"], flow["hops_mean"], "whatever limit packets are made with");
    // Back-offs of up to 31 slots at two stations: the delays of packets differ by less than that on average.
    assert!(number(&flow["jitter_s"]) > 0.0 && number(&flow["jitter_s"]) < 2.0 * 31.0 * 20e-6, "{flow}");
    // More than the path takes: what does not arrive is what the ratio lacks.
    let run = Case::new(LATE).set("flow.0.rate", "3 Mbps").run(1).json;
    let flow = &run["flows"][0];
    let ratio = number(&flow["delivered_bytes"]) / 500.0 / number(&flow["sent_packets"]);
    assert!(ratio < 0.5 && (number(&flow["delivery_ratio"]) - ratio).abs() < 0.02, "{flow}");
    assert_eq!(run["delivery_ratio"], flow["delivery_ratio"]);
}

#[test]
fn what_was_sent_before_the_measured_time_is_not_counted_as_arrived_in_it() {
    // A full queue at its beginning brings packets that were not sent in it.
    let run = Case::new(LATE).set("flow.0.rate", "3 Mbps").set("measure.warm-up", "19500 ms").run(1).json;
    let flow = &run["flows"][0];
    let (sent, arrived) = (number(&flow["sent_packets"]), number(&flow["delivered_bytes"]) / 500.0);
    assert!(number(&flow["delivery_ratio"]) * sent < arrived - 10.0, "{flow}");
}

#[test]
fn routing_messages_are_counted_each_hop_once() {
    let run = Case::new(LATE).set("routing.kind", "aodv").run(1).json;
    let counters = &run["counters"];
    let own = [
        "rreq-originated",
        "rreq-forwarded",
        "rrep-originated",
        "rrep-forwarded",
        "rerr-originated",
        "rerr-forwarded",
        "hellos",
        "rrep-acks",
    ];
    let messages: f64 = own.iter().map(|name| number(&counters[format!("aodv.{name}")])).sum();
    assert!(messages > 0.0);
    assert_eq!(number(&counters["routing.messages"]), messages);
    let arrived = number(&run["flows"][0]["delivered_bytes"]) / 500.0;
    assert!(close(&run["routing_packets_per_delivery"], messages / arrived));
    // A request has 24 bytes, UDP and IP 28 (RFC 3561 section 5.1).
    assert!(
        number(&run["routing_bytes_per_delivery"]) >= 40.0 * number(&run["routing_packets_per_delivery"])
    );
    let fixed = Case::new(LATE).run(1).json;
    assert!(fixed["routing_packets_per_delivery"].is_null(), "nothing is sent for it");
}

#[test]
fn timeouts_of_the_packet_that_opens_a_connection_have_a_figure_of_their_own() {
    let lonely = r#"
profile = "ns2"
run.duration = "60 s"
topology = { kind = "chain", hops = 2 }
event = [{ at = "0 s", kind = "link-down", from = "0", to = "1" }]
[[flow]]
kind = "bulk"
from = "0"
to = "2"
start = "1 s"
"#;
    for handshake in ["ns2", "syn"] {
        let run = Case::new(lonely).set("tcp.handshake", handshake).run(1).json;
        let flow = &run["flows"][0];
        assert!(number(&flow["opening_timeouts"]) >= 2.0, "{handshake}: {flow}");
        assert_eq!(number(&flow["timeouts"]), 0.0, "{handshake}");
        assert_eq!(number(&run["counters"]["tcp.opening-timeouts"]), number(&flow["opening_timeouts"]));
    }
}

#[test]
fn a_node_tells_what_its_battery_has_left() {
    let run = Case::new(&format!("{LATE}[energy]\nbattery = \"100 J\"\n")).run(1).json;
    for node in run["nodes"].as_array().expect("nodes") {
        assert!(close(&node["battery_left_j"], 100.0 - number(&node["energy_j"])), "{node}");
    }
    let endless = Case::new(&format!("{LATE}[energy]\n")).run(1).json;
    assert!(endless["nodes"][0]["battery_left_j"].is_null());
}

/// By ns-2's rules idle time is charged with the next frame: that of the warm-up does not fall into the measured time.
#[test]
fn idle_time_of_the_warm_up_is_not_energy_of_the_measured_time() {
    let energy = "[energy]\naccounting = \"ns2\"\nidle = \"1 W\"\ntransmit = \"1 W\"\nreceive = \"1 W\"\n";
    // The first frame is sent after the measured time has begun; the last long before its end.
    let case = Case::new(&format!("{LATE}{energy}")).set("measure.warm-up", "5 s").set("flow.0.stop", "12 s");
    let run = case.run(1).json;
    for node in run["nodes"].as_array().expect("nodes") {
        assert!((number(&node["energy_j"]) - 15.0).abs() < 1e-6, "one watt over 15 s: {node}");
    }
}
