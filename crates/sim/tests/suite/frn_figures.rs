//! What the figures of a node say of the Flexible Radio Network: frames, time on the air, time that the medium was busy
//! and the queue, each against something that counts otherwise.

use crate::common::{Case, Outcome, number};
use multihop_sim::probe::Column;

/// Nanoseconds, from seconds.
fn ns(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

fn counter(run: &Outcome, name: &str) -> f64 {
    number(&run.json["counters"][name])
}

/// Scenarios with all that a node may send, and receivers that are disturbed in different ways. Frames are metered.
fn cases() -> Vec<Case> {
    let cases = [
        ("frn-chain", &[][..]),
        ("frn-cross", &[("frn.combine", "true"), ("frn.hold-off", "3")]),
        ("frn-mesh", &[("routing.frn.cycle", "\"1 s\""), ("frn.clock-error", "\"1 ms\"")]),
        ("frn-chain", &[("air.propagation-delay", "2 us"), ("frn.max-retransmissions", "2")]),
        (
            "frn-cross",
            &[("air.reception", "sinr"), ("frn.mini-slots", "1"), ("air.packet-error-rate", "0.02")],
        ),
    ];
    let case = |(name, sets): (&str, &[(&str, &str)])| {
        let case = Case::new(&(Case::shipped(name).text() + "\n[energy]\n"));
        let case = case.set("run.duration", "60 s").set("measure.warm-up", "10 s");
        sets.iter().fold(case, |case, (key, value)| case.set(key, value))
    };
    cases.into_iter().map(case).collect()
}

#[test]
fn a_medium_is_busy_while_a_meter_hears_others_and_the_rest_is_sending_or_idle() {
    for case in cases() {
        let run = case.run(1);
        for node in 0..run.list("nodes").len() {
            let of = |path| ns(run.of_node(node, path));
            let heard = of("radio/receive_s") + of("radio/overhear_s");
            assert!(heard > 0, "{node} has neighbours");
            assert_eq!(of("airtime_busy_s"), heard, "node {node}\n{}", case.text());
            assert_eq!(of("airtime_tx_s"), of("radio/transmit_s"), "node {node}\n{}", case.text());
        }
    }
}

/// However often a packet is repeated where its echo was missed: it arrives once, or it is lost once.
#[test]
fn a_packet_of_a_flow_arrives_or_is_lost_once() {
    for case in cases() {
        let run = case.run(1);
        for flow in run.list("flows") {
            let ledger = &flow["ledger"];
            let dropped: f64 = ledger["dropped"].as_object().expect("by reason").values().map(number).sum();
            let (created, delivered) = (number(&ledger["created"]), number(&ledger["delivered"]));
            // bytes that TCP had already are not delivered again
            let most = number(&ledger["in_network"]) + number(&ledger["absorbed"]["second-arrival"]);
            let left = created - delivered - dropped;
            assert!((0.0..=most).contains(&left), "{ledger}\n{}", case.text());
            assert!(number(&ledger["absorbed"]["spare-copy"]) > 0.0, "{ledger}\n{}", case.text());
        }
    }
}

/// The same for datagrams. None of them arrives twice at its user: what is left is inside.
#[test]
fn a_datagram_arrives_or_is_lost_once() {
    for case in cases() {
        let udp = "[[flow]]\ntransport = \"udp\"\nkind = \"cbr\"\nrate = \"30 kbps\"\npacket = \"500 B\"\nfrom = \"0\"\nto = \"4\"\n";
        let text = case.text();
        let head = text.split("[[flow]]").next().expect("what comes before the flows");
        let sets = text
            .rsplit("# set over it:")
            .next()
            .expect("what is set")
            .lines()
            .filter_map(|line| line.split_once('='));
        let energy = "\n[energy]\n";
        let case =
            sets.fold(Case::new(&format!("{head}{udp}{energy}")), |case, (key, value)| case.set(key, value));
        let run = case.run(1);
        let ledger = &run.list("flows")[0]["ledger"];
        let dropped: f64 = ledger["dropped"].as_object().expect("by reason").values().map(number).sum();
        let (created, delivered) = (number(&ledger["created"]), number(&ledger["delivered"]));
        let left = created - delivered - dropped;
        assert!(
            delivered > 10.0 && (0.0..=number(&ledger["in_network"])).contains(&left),
            "{ledger}\n{}",
            case.text()
        );
    }
}

/// The last attempt of a packet may die in the slot of its echo: it has failed like any other.
#[test]
fn no_node_has_more_causes_of_failed_attempts_than_failed_attempts() {
    let run = Case::shipped("frn-chain").set("run.duration", "200 s").run(1);
    for node in 0..run.list("nodes").len() {
        let why = ["bit_errors", "link_loss", "jamming", "fading", "interference", "dozing", "no_answer"];
        let causes = why.map(|why| run.of_node(node, &format!("attempt_failures/{why}")));
        let apart = causes.iter().sum::<f64>() - run.of_node(node, "ack_failures");
        // An attempt that a reading falls into may be judged on the other side of it.
        assert!(apart.abs() <= 2.0, "{node}: {causes:?} are {apart} too many");
    }
}

/// A frame takes 192 us and 4 us a byte; of an FRN ACK there are 44 bytes.
#[test]
fn frames_of_all_kinds_are_all_frames_and_their_bits_take_the_time_that_they_were_on_the_air() {
    for case in cases() {
        let run = case.run(1);
        let kinds = ["data", "ack", "broadcast"].map(|kind| run.over_nodes(&format!("frames/{kind}")));
        let [data, acks, broadcasts] = kinds;
        assert_eq!(kinds.iter().sum::<f64>(), number(&run.json["frames"]), "{}", case.text());
        assert_eq!(data, counter(&run, "frn.frames") - counter(&run, "frn.broadcasts"));
        assert_eq!(acks, counter(&run, "frn.acks"));
        assert_eq!(broadcasts > 0.0, case.text().contains("cycle"), "{}", case.text());
        let unanswered = counter(&run, "frn.missed") + counter(&run, "frn.unawaited");
        assert_eq!(run.over_nodes("ack_failures"), unanswered);
        assert_eq!(run.over_nodes("given_up_data"), counter(&run, "frn.given-up"));
        assert_eq!(run.over_nodes("frames/rts") + run.over_nodes("frames/cts"), 0.0);
        let air = 192e-6 * kinds.iter().sum::<f64>() + 0.5e-6 * (run.over_nodes("data_bits") + 352.0 * acks);
        // What a frame has on the air at either end of the measured time counts as frame or as time, not as both.
        let apart = (run.over_nodes("airtime_tx_s") - air).abs();
        assert!(apart < 0.0087 * run.list("nodes").len() as f64, "{apart}\n{}", case.text());
    }
}

/// The samples of the queues after `from` \[s\]: node and length.
fn samples(run: &Outcome, from: f64) -> Vec<(usize, f64)> {
    let (_, table) = run.series.iter().find(|(name, _)| *name == "queue").expect("the queues");
    let [(_, Column::Float(times)), (_, Column::Int(nodes)), (_, Column::Int(lengths))] = &table[..] else {
        panic!("{table:?}")
    };
    let rows = times.iter().zip(nodes).zip(lengths);
    rows.filter(|((at, _), _)| **at > from).map(|((_, &node), &held)| (node as usize, held as f64)).collect()
}

#[test]
fn the_mean_queue_is_that_of_many_samples() {
    for case in cases() {
        let run = case.set("measure.sample", "\"7 ms\"").run(1);
        let samples = samples(&run, 10.0);
        for node in 0..run.list("nodes").len() {
            let lengths: Vec<f64> = samples.iter().filter(|it| it.0 == node).map(|it| it.1).collect();
            assert!(lengths.len() > 7000);
            let count = lengths.len() as f64;
            let mean = lengths.iter().sum::<f64>() / count;
            let share = lengths.iter().filter(|&&held| held > 0.0).count() as f64 / count;
            let (told, busy) = (run.of_node(node, "queue_mean"), run.of_node(node, "queue_busy"));
            assert!((told - mean).abs() < 0.01 + 0.01 * mean, "node {node}: {told}, {mean}");
            assert!((busy - share).abs() < 0.02, "node {node}: {busy}, {share}");
        }
    }
}
