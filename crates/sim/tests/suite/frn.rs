//! The Flexible Radio Network over the real air: its throughput against a slot simulator written apart from this one,
//! its control packets, and whatever can be laid over it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Case, Outcome, first_difference, listed_as, on_threads, tables};
use multihop_proto::units::{Entity, Purpose, Rng};

/// Packets of 1000 bytes a slot that arrive, over four runs.
fn throughput(sets: &[(&str, &str)]) -> f64 {
    let mut case = Case::shipped("frn-chain").set("frn.retry-to", 17).set("measure.sample", "0 s");
    for (key, value) in sets {
        case = case.set(key, value);
    }
    let runs = case.runs(1..=4);
    runs.iter().map(Outcome::goodput).sum::<f64>() / runs.len() as f64 / 8000.0 * 0.01
}

#[test]
fn throughput_over_four_hops_is_that_of_a_slot_simulator_written_apart() {
    for (sets, expected) in [
        (&[][..], 0.037),
        (&[("frn.combine", "true")], 0.049),
        (&[("frn.hold-off", "3")], 0.060),
        (&[("frn.hold-off", "3"), ("frn.combine", "true")], 0.078),
    ] {
        let found = throughput(sets);
        assert!((found / expected - 1.0).abs() < 0.1, "{sets:?}: {found:.4}, there {expected}");
    }
}

#[test]
fn sensing_as_far_as_ns2_leaves_no_collision_of_hidden_nodes_and_no_gain() {
    let far = [("air.sense-range", "550 m"), ("frn.hold-off", "3")];
    let gain = throughput(&[&far[..], &[("frn.combine", "true")]].concat()) / throughput(&far);
    assert!(gain < 1.1, "{gain}");
}

#[test]
fn control_packets_build_the_tables_that_tcp_runs_over() {
    let case = Case::shipped("frn-chain").set("run.duration", "200 s").set("frn.hold-off", 3);
    let static_tables = case.run(1);
    let exchanged = case.clone().set("routing.frn.cycle", "\"5 s\"").set("measure.warm-up", "100 s").run(1);
    assert!(exchanged.goodput() > 0.5 * static_tables.goodput(), "{}", exchanged.goodput());
}

#[test]
fn a_packet_sent_again_too_often_breaks_the_link_for_those_who_listen() {
    let case = Case::shipped("frn-chain").set("frn.lifetime", 0).set("frn.max-retransmissions", 1);
    let outcome = case.technique("elfn").set("run.duration", "100 s").run(1);
    for counter in ["frn.given-up", "signals.elfn", "shim.probes"] {
        assert!(outcome.json["counters"][counter].as_u64() > Some(0), "{counter}");
    }
}

/// 0 never hears that 1 has its packet, and 1 gets it no further: the life of both copies ends in one slot. The copy
/// that ends last is the one that is lost, and that is the one of the later name, in whatever order a scenario lists
/// its links.
#[test]
fn copies_whose_lives_end_in_one_slot_end_in_the_order_of_names() {
    let links = "[{ from = \"0\", to = \"1\", one-way = true }, { from = \"1\", to = \"0\", one-way = true, loss = 1.0 }, \
                 { from = \"1\", to = \"2\", loss = 1.0 }]";
    let case = Case::shipped("frn-chain")
        .set("topology.kind", "links")
        .set("topology.link", links)
        .set("flow", "[{ kind = \"cbr\", from = \"0\", to = \"2\", rate = \"8 kbps\", packet = \"500 B\" }]")
        .set("run.duration", "30 s");
    let run = |order: fn(usize, usize) -> usize| listed_as(&case, order).run(1);
    let one = run(|place, _| place);
    let drops = one.json["drops"].as_array().expect("a list");
    let lost = |node: &str| drops.iter().filter(|drop| drop["node"] == node).count();
    assert!(lost("1") > 0 && lost("0") == 0, "{drops:?}");
    for order in [|place, count| count - 1 - place, |place, count| (place + 1) % count] {
        let (one, other) = (tables(&one), tables(&run(order)));
        assert!(one == other, "{}", first_difference(&other, &one, ""));
    }
}

/// What may be laid over the scenarios, one of each line.
const CHOICES: &[&[(&str, &str)]] = &[
    &[("frn.combine", "false"), ("frn.combine", "true")],
    &[("frn.postpone", "\"ack\""), ("frn.postpone", "\"data\"")],
    &[("frn.queues", "\"one\""), ("frn.queues", "\"two\"")],
    &[("frn.interval", "\"fixed\""), ("frn.interval", "\"load\""), ("frn.interval", "\"csma-cd\"")],
    &[("frn.next-hop", "\"forward\""), ("frn.next-hop", "\"all\""), ("frn.next-hop", "\"least-failing\"")],
    &[("frn.stop-and-wait", "false"), ("frn.stop-and-wait", "true")],
    &[("frn.late-echo", "false"), ("frn.late-echo", "true")],
    &[("frn.hold-off", "1"), ("frn.hold-off", "3")],
    &[("frn.lifetime", "0"), ("frn.lifetime", "32")],
    &[("frn.max-retransmissions", "0"), ("frn.max-retransmissions", "4")],
    &[("frn.limit", "3"), ("frn.limit", "1000")],
    &[("frn.clock-error", "\"0 us\""), ("frn.clock-error", "\"100 us\"")],
    &[("frn.guard", "\"0 us\""), ("frn.guard", "\"250 us\"")],
    &[("routing.kind", "\"frn\""), ("routing.kind", "\"static\""), ("routing.kind", "\"dsdv\"")],
    &[("routing.frn.cycle", "\"0 s\""), ("routing.frn.cycle", "\"2 s\"")],
    &[("air.packet-error-rate", "0.0"), ("air.packet-error-rate", "0.05")],
    &[("tcp.window", "\"reno\""), ("tcp.window", "\"newreno\"")],
    &[("tcp.ack-every", "1"), ("tcp.ack-every", "2")],
];

fn story(number: u64) -> Case {
    let mut dice = Rng::stream(number, 1, Entity::Whole, Purpose::Traffic);
    let mut below = |count: usize| dice.below(count as u32) as usize; // a handful
    let scenario = ["frn-chain", "frn-cross", "frn-mesh"][below(3)];
    let mut case = Case::shipped(scenario);
    let mut events = String::new();
    for _ in 0..below(3) {
        let (node, at) = (below(5), 2000 + 100 * below(100));
        events += &format!("[[event]]\nat = \"{at} ms\"\nkind = \"node-down\"\nnode = {node}\n");
        events += &format!("[[event]]\nat = \"{} ms\"\nkind = \"node-up\"\nnode = {node}\n", at + 1500);
    }
    case = Case::new(&(case.text() + &events)).set("run.duration", "20 s").set("measure.warm-up", "1 s");
    for choices in CHOICES {
        let (key, value) = choices[below(choices.len())];
        case = case.set(key, value);
    }
    case.technique(["none", "elfn", "tcp-f", "ebsn"][below(4)])
}

fn judge(number: u64) -> Option<String> {
    let case = story(number);
    let attempt = || catch_unwind(AssertUnwindSafe(|| case.run(1)));
    match (attempt(), attempt()) {
        (Ok(once), Ok(again)) if once.json == again.json => None,
        (Ok(_), Ok(_)) => Some(format!("{number}: not the same twice\n{}", case.text())),
        _ => Some(format!("{number}: panicked\n{}", case.text())),
    }
}

#[test]
fn whatever_is_laid_over_it_the_ledger_balances_and_it_repeats_itself() {
    let wrong: Vec<String> = on_threads(1..=40, judge).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
