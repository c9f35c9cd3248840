//! Frames of several MPDUs: the goodput of one hop is a sum of times, what a channel loses comes again, and the books
//! balance whatever happens to the stations.

use multihop_proto::phy::{Band, Ofdm, OfdmRate, TxVector, Width};
use multihop_proto::units::{Bytes, Decibel};
use multihop_sim::air::{OfdmErrors, payload_survives};

use crate::common::{Case, Outcome, number};

/// A network of 802.11n and later; `more` are the flows and what happens.
fn network(standard: &str, hops: u32, more: &str) -> Case {
    Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"3 s\"\n[measure]\nsample = \"0 s\"\nwarm-up = \"1 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"10 m\"\n[queue]\nlimit = 1000\n\
         [mac]\nstandard = \"{standard}\"\n{more}"
    ))
}

fn saturated(standard: &str) -> Case {
    let flow =
        "[[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"1500 Mbps\"\npacket = \"1472 B\"\n";
    network(standard, 1, flow)
}

fn agrees(case: &Case, mpdus: f64, frame_us: f64, block_ack_us: f64) -> Outcome {
    let outcome = case.run(1);
    let cycle_us = 43.0 + 7.5 * 9.0 + frame_us + 16.0 + block_ack_us;
    let (goodput, expected) = (outcome.goodput(), mpdus * 1472.0 * 8.0 / (cycle_us * 1e-6));
    assert!((goodput / expected - 1.0).abs() < 0.005, "{goodput} {expected}\n{}", case.text());
    outcome
}

fn counter(outcome: &Outcome, name: &str) -> f64 {
    outcome.json["counters"].get(name).map_or(0.0, number)
}

/// 1538 bytes take 1544 in an A-MPDU. A block ack of 32 or 56 bytes takes 32 or 40 us at 24 Mb/s.
#[test]
fn one_hop_of_aggregates_is_a_sum_of_times() {
    let ht = agrees(&saturated("802.11n"), 28.0, 36.0 + 4.0 * 1331.0, 32.0);
    assert!((counter(&ht, "mac.mpdus") / ht.over_nodes("frames/data") - 28.0).abs() < 0.01);
    assert_eq!((counter(&ht, "mac.mpdu-retries"), counter(&ht, "mac.block-ack-requests")), (0.0, 0.0));
    // At 300 Mb/s 42 MPDUs fill 65535 bytes; symbols of 1080 bits take 3.6 us, and all together whole 4 us.
    let wide = [("mac.width", "40 MHz"), ("mac.streams", "2"), ("mac.guard-interval", "0.4 us")];
    let fast = wide.iter().fold(saturated("802.11n"), |case, (key, value)| case.set(key, value));
    agrees(&fast, 42.0, 40.0 + 4.0 * (481.0f64 * 3.6 / 4.0).ceil(), 32.0);
    let vht = saturated("802.11ac").set("mac.mcs", 8).set("mac.width", "80 MHz").set("mac.streams", "2");
    // 64 MPDUs: 790,510 bits and 2 encoders of 6 bits, in symbols of 2808.
    agrees(&vht, 64.0, 44.0 + 4.0 * 282.0, 32.0);
    // 256 MPDUs at MCS 11 in 80 MHz, two streams: symbols of 16,333 bits.
    let he = saturated("802.11ax").set("mac.mcs", 11).set("mac.width", "80 MHz").set("mac.streams", "2");
    agrees(&he, 256.0, 36.0 + 14.4 + 13.6 * 194.0, 40.0);
}

/// An RTS announces the whole frame.
#[test]
fn an_rts_before_aggregates_costs_its_exchange() {
    let case = saturated("802.11n").set("mac.rts-threshold", "0 B");
    let outcome = agrees(&case, 28.0, 52.0 + 16.0 + 44.0 + 16.0 + 36.0 + 4.0 * 1331.0, 32.0);
    assert_eq!(outcome.over_nodes("rts_failures"), 0.0);
}

/// A window of eight segments goes around as one frame, over two hops and back. A relay has the first packets while the
/// rest of their frame is still on the air, so that it draws a back-off each time, also where a medium that is idle at
/// the moment needs none.
#[test]
fn packets_of_an_aggregate_come_before_its_end() {
    let flow = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"2\"\n";
    let keys = [("tcp.max-window", "8"), ("tcp.ack-every", "1"), ("topology.spacing", "200 m")];
    let case = keys.iter().fold(network("802.11n", 2, flow), |case, (key, value)| case.set(key, value));
    for rule in ["if-idle", "after-difs", "never"] {
        let outcome = case.clone().set("mac.immediate-access", rule).run(1);
        let mpdus = counter(&outcome, "mac.mpdus") / outcome.over_nodes("frames/data");
        assert!((mpdus - 8.0).abs() < 0.01, "{mpdus}");
        // MPDUs of 1538 and 78 bytes take 1544 and 84; symbols carry 260 bits.
        let symbols = |bits: f64| 36.0 + 4.0 * ((bits + 22.0) / 260.0).ceil();
        let data = symbols((7.0 * 1544.0 + 1542.0) * 8.0);
        let acks = symbols((7.0 * 84.0 + 82.0) * 8.0);
        let round_us = 4.0 * (43.0 + 7.5 * 9.0 + 16.0 + 32.0) + 2.0 * (data + acks);
        let expected = 8.0 * 1460.0 * 8.0 / (round_us * 1e-6);
        assert!(
            (outcome.goodput() / expected - 1.0).abs() < 0.01,
            "{rule}: {} {expected}",
            outcome.goodput()
        );
    }
}

/// Each MPDU is lost by itself: 3 of 10, where a block ack mostly comes through.
#[test]
fn what_is_lost_of_an_aggregate_is_sent_again() {
    let outcome = saturated("802.11n").set("air.bit-error-rate", 2.9e-5).run(1);
    let (sent, again) = (counter(&outcome, "mac.mpdus"), counter(&outcome, "mac.mpdu-retries"));
    assert!((again / sent - 0.3).abs() < 0.02, "{again} of {sent}");
    let payload = 1472.0 * 8.0 / outcome.goodput();
    assert!(payload > 1472.0 * 8.0 / 60e6 / 0.7 * 0.98, "no more than the channel carries");
    assert!(outcome.goodput() > 0.6 * 60e6 * 0.7, "{}", outcome.goodput());
}

/// TCP over a lossy hop sees delay and no reordering: the block acks hide what the channel loses.
#[test]
fn tcp_sees_no_loss_and_no_reordering() {
    let flow = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"1\"\n";
    let outcome =
        network("802.11n", 1, flow).set("air.packet-error-rate", 0.2).set("tcp.max-window", 200).run(1);
    assert_eq!(outcome.over_flows("retransmissions"), 0.0);
    assert!(outcome.goodput() > 15e6, "{}", outcome.goodput());
}

/// Noise strikes the bits of block acks, too. Under data at 13 Mb/s they go at 12 Mb/s, with the same modulation.
#[test]
fn block_acks_die_of_their_bits() {
    let flow = "[[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"10 Mbps\"\npacket = \"40 B\"\n";
    let air = [("propagation", "disk"), ("reception", "sinr"), ("ofdm-errors", "nist")];
    let case = air.iter().fold(network("802.11n", 1, flow).set("mac.mcs", 1), |case, (key, value)| {
        case.set(&format!("air.{key}"), value)
    });
    let (width, band) = (Width::Mhz20, Band::Ghz5);
    let tx = TxVector::Ofdm(Ofdm { rate: OfdmRate::Mbps12, width, band });
    for ratio in [5.2, 5.5] {
        let noise = format!("{} dBm", -60.0 - ratio);
        let outcome = case.clone().set("air.receive-threshold", "-60 dBm").set("air.noise", &noise).run(1);
        let sent = counter(&outcome, "mac.block-acks") + counter(&outcome, "mac.ack");
        let asked = outcome.over_nodes("frames/data") + counter(&outcome, "mac.block-ack-requests");
        let lost = 1.0 - (asked - outcome.over_nodes("ack_failures")) / sent;
        let expected = 1.0 - payload_survives(tx, Bytes(32), OfdmErrors::Nist, Decibel::new(ratio).ratio());
        assert!(expected > 0.1 && (lost / expected - 1.0).abs() < 0.15, "{lost} {expected} of {sent}");
    }
}

/// Stations go and come back, links lose frames, and packets run both ways over relays: every packet has one end. The
/// ledger is checked in each run.
#[test]
fn the_books_balance_when_stations_go_and_come_back() {
    let flows = "[[flow]]\nkind = \"bulk\"\nfrom = \"0\"\nto = \"3\"\n\
                 [[flow]]\nkind = \"cbr\"\nfrom = \"3\"\nto = \"0\"\nrate = \"4 Mbps\"\npacket = \"300 B\"\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"1\"\nat = \"1.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"1\"\nat = \"1.5 s\"\n\
                 [[event]]\nkind = \"link-loss\"\nfrom = \"2\"\nto = \"3\"\nloss = 0.5\nat = \"1.8 s\"\n\
                 [[event]]\nkind = \"node-down\"\nnode = \"2\"\nat = \"2.2 s\"\n\
                 [[event]]\nkind = \"node-up\"\nnode = \"2\"\nat = \"2.3 s\"\n";
    let plain = network("802.11n", 3, flows).set("air.packet-error-rate", 0.1);
    for sets in [
        &[][..],
        &[("queue.on-give-up", "keep")],
        &[("queue.service", "drr")],
        &[("queue.service", "fq"), ("queue.aqm", "codel")],
        &[("mac.aggregation.after-missed", "request"), ("mac.aggregation.gives-up", "never")],
        &[("mac.aggregation.release-timer", "0 s"), ("mac.aggregation.retries", "0")],
        &[("mac.aggregation.gives-up", "lifetime"), ("mac.aggregation.lifetime", "20 ms")],
        &[("mac.aggregation.spacing", "8 us"), ("mac.rts-threshold", "500 B")],
        &[("routing.kind", "aodv")],
        &[("routing.kind", "dsr")],
        &[("air.reception", "sinr")],
    ] {
        plain.repeats(sets);
    }
}

/// With no retries, what a frame loses is given up, and the requests that follow let the receiver go on.
#[test]
fn what_is_given_up_holds_nothing_up() {
    let case = saturated("802.11n")
        .set("air.packet-error-rate", 0.2)
        .set("mac.aggregation.retries", 0)
        .set("mac.aggregation.release-timer", "\"0 s\"");
    let outcome = case.run(1);
    assert!(counter(&outcome, "mac.block-ack-requests") > 50.0);
    let ratio = number(&outcome.flows()[0]["delivery_ratio"]);
    assert!(outcome.goodput() > 0.7 * 0.75 * 60e6, "{} {ratio}", outcome.goodput());
}

#[test]
fn limits_that_the_standard_does_not_have_are_remarked() {
    let said = |standard: &str, key: &str, value: &str| {
        let case = network(standard, 1, "").set(&format!("mac.aggregation.{key}"), value);
        case.resolve().warnings.join("\n")
    };
    let window = said("802.11n", "window", "256");
    assert!(
        window.contains("`mac.aggregation.window` is 256: block acks of 802.11n have 64 bits"),
        "{window}"
    );
    let length = said("802.11n", "max-length", "100000 B");
    assert!(length.contains("A-MPDUs of 802.11n have at most 65535 B"), "{length}");
    for fine in [
        said("802.11ax", "window", "256"),
        said("802.11ac", "max-length", "100000 B"),
        said("802.11n", "window", "64"),
    ] {
        assert!(!fine.contains("mac.aggregation"), "{fine}");
    }
}

#[test]
fn what_acts_on_one_frame_an_exchange_is_refused() {
    for (standard, key, value, named) in [
        ("802.11n", "mac.pacing.on", "true", "adaptive pacing"),
        ("802.11ac", "mac.rounds.extra", "1", "rounds of retries"),
        ("802.11ax", "mac.flow-control.rule", "flagged-cts", "horizontal flow control"),
        ("802.11a", "mac.aggregation.on", "true", "only frames of 802.11n and later"),
        ("802.11n", "mac.aggregation.window", "300", "256"),
    ] {
        let said = saturated(standard).set(key, value).try_resolve().expect_err("it is refused");
        assert!(said.contains(named) && said.contains("mac.aggregation"), "{standard} {key}: {said}");
    }
}

/// However often frames fail, a station has taken what its next frames carry and hardly more: the rest waits in the
/// queue, which drops.
#[test]
fn failures_pull_no_queue_into_the_mac() {
    let lossy = "[[event]]\nat = \"0 s\"\nkind = \"link-loss\"\nfrom = \"0\"\nto = \"1\"\nloss = 0.7\n";
    let flow =
        "[[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"100 Mbps\"\npacket = \"1472 B\"\n";
    let case = network("802.11n", 1, &format!("{flow}{lossy}")).set("queue.limit", 50);
    let one_a_frame =
        [("aggregation.window", "1"), ("aggregation.window", "2"), ("aggregation.max-length", "1600 B")];
    for (key, value) in one_a_frame {
        let outcome = case.clone().set(&format!("mac.{key}"), value).run(1);
        let held = outcome.of_node(0, "queue_mean");
        assert!((45.0..60.0).contains(&held), "{key} {value}: {held}");
        assert!(number(&outcome.json["ledger"]["dropped"]["queue-full"]) > 1000.0, "{key} {value}");
    }
}
