//! Random early detection and ECN at work: queues mark, TCP hears of it and halves its window, queues stay short and
//! nothing has to be sent again for want of room.

use crate::common::{Case, Outcome};

/// One hop, where only the queue at the source can fill, and a window that it cannot hold. It stops early, so that
/// everything is through at the end.
fn hop() -> Case {
    Case::chain(1)
        .set("flow.0.stop", "50 s")
        .set("run.duration", "60 s")
        .set("flow.0.start", "0 s")
        .set("measure.warm-up", "0 s")
        .set("tcp.max-window", 100)
        .set("queue.limit", 50)
}

/// With an average that follows the length, so that a minute shows it.
fn red(case: Case) -> Case {
    case.set("queue.aqm", "red").set("queue.red.weight", 0.02)
}

fn ecn(case: Case) -> Case {
    red(case).set("tcp.ecn", true)
}

fn totals(outcome: &Outcome) -> [f64; 5] {
    let node = |key: &str| outcome.over_nodes(key);
    let flow = |key: &str| outcome.over_flows(key);
    [node("marked"), node("early_drops"), flow("ecn_reductions"), flow("retransmissions"), node("queue_mean")]
}

// Profile ns2 keeps its own departures out of the way: the rules of the standards.
#[test]
fn packets_are_marked_and_tcp_reduces_its_window_instead_of_losing_them() {
    let rules = |case: Case| {
        case.set("tcp.ecn-rule", "rfc3168")
            .set("queue.red.wait", false)
            .set("queue.red.idle-decay", true)
            .set("queue.red.mark-limit", 1.0)
            .set("queue.red.least-waiting", 0)
    };
    let tail = totals(&hop().run(1));
    let dropped = rules(red(hop())).run(1);
    let dropping = totals(&dropped);
    let marked = rules(ecn(hop())).run(1);
    let marking = totals(&marked);
    assert_eq!(tail[..3], [0.0; 3]);
    assert!(tail[3] > 5.0, "the queue overflows: {tail:?}");
    assert!(dropping[0] == 0.0 && dropping[1] > 5.0 && dropping[2] == 0.0, "{dropping:?}");
    // Node 1 drops ACKs, which no node sends again.
    assert!(dropping[3] >= dropped.of_node(0, "early_drops"), "what is dropped is sent again: {dropping:?}");
    let [marks, _, reductions, retransmissions, queue] = marking;
    assert!(marks > 5.0 && reductions > 5.0 && reductions <= marks, "{marking:?}");
    // The first slow start overflows the queue before the average has moved; what is sent again may not be marked. Of
    // all else nothing is lost.
    assert!(marked.of_node(0, "early_drops") <= retransmissions, "{marking:?}");
    assert!(retransmissions * 5.0 < dropping[3], "{marking:?} against {dropping:?}");
    assert!(queue < 20.0 && queue < tail[4] / 1.5, "{queue} against {}", tail[4]);
}

// ns-2's departures: as its agents and its queue do it, it works as well.
#[test]
fn ns2_marks_too() {
    let [marked, _, reductions, ..] = totals(&ecn(hop()).run(1));
    assert!(marked > 5.0 && reductions > 5.0, "{marked} marks, {reductions} reductions");
}

// Several hops, contention and bit errors: losses and marks together; and the shipped overlay's thresholds with DRR,
// priorities and the persistent queue.
#[test]
fn it_goes_with_every_service_and_with_kept_packets() {
    let chain = || {
        ecn(Case::chain(3))
            .set("run.duration", "60 s")
            .set("flow.0.start", "0 s")
            .set("measure.warm-up", "0 s")
            .set("tcp.max-window", 40)
            .set("air.bit-error-rate", "1e-6")
            .set("queue.red.min-threshold", 1.0)
            .set("queue.red.max-threshold", 6.0)
            .set("queue.red.gentle", true)
    };
    for (service, class_by) in [("fifo", "destination"), ("drr", "destination"), ("priority", "kind")] {
        for keep in ["drop", "keep"] {
            let case = chain()
                .set("queue.service", service)
                .set("queue.class-by", class_by)
                .set("queue.on-give-up", keep);
            let outcome = case.run(1);
            let [marked, _, reductions, ..] = totals(&outcome);
            assert!(marked > 0.0 && reductions > 0.0, "{service}, {keep}: {marked}, {reductions}");
            assert!(outcome.goodput() > 100e3, "{service}, {keep}: {}", outcome.goodput());
        }
    }
}

// Its draws are its own: with thresholds that nothing reaches everything is as without it.
#[test]
fn what_never_acts_changes_nothing() {
    let far = red(hop()).set("queue.red.min-threshold", 1000.0).set("queue.red.max-threshold", 2000.0);
    let (tail, far) = (hop().run(1), far.run(1));
    assert_eq!(tail.json["fingerprint"], far.json["fingerprint"]);
}
