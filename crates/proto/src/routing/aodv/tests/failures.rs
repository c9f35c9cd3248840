//! Broken links: whose routes end, who is told, what waits, what is mended.

use super::rig::{ME, Rig, TIMER, Tell, config, error, flood, own, reply, request, send};
use crate::port::Notice;
use crate::routing::aodv::{
    AodvConfig, LocalRepair, Message, OnBreak, RerrRule, Sequencing, Unreachable, parse,
};
use crate::routing::contract::{Action, Decision, Disposal, Provenance};
use crate::testing::{instant, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::DropReason;

fn gone(destination: u32) -> Action {
    Action::Notice(Notice::RouteLost { destination: NodeId(destination) })
}

/// A relay between 0 and 9 (by way of 2, `hops` in all): packets of 0 pass.
fn relay(config: AodvConfig, hops: u8) -> Rig {
    let mut rig = Rig::new(config);
    rig.feed(SimTime::ZERO, Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 9, None))));
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, hops - 1, 7, 0, 6_000)));
    assert_eq!(rig.route("0 s", 9), Some((2, hops, Some(7))));
    rig
}

fn no_repair() -> AodvConfig {
    AodvConfig { local_repair: LocalRepair::Off, ..config() }
}

/// RFC 3561 §6.11, i.
#[test]
fn a_broken_link_ends_its_routes_and_the_one_precursor_is_told() {
    let c = no_repair();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } =>
            [gone(9), send(&c, 0, 1, &error(&[(9, 8)]))];
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [];
    }
    assert_eq!(rig.disposal, Some(Disposal::Leave), "lost for the MAC's reason");
    assert_eq!((rig.route("1 s", 9), rig.aodv.counters().routes_lost), (None, 1));
    assert!(rig.route("1 s", 0).is_some(), "the other way does not lead through the link");
}

#[test]
fn several_precursors_are_told_together() {
    let c = no_repair();
    let mut rig = relay(c.clone(), 4);
    rig.feed(SimTime::ZERO, Tell::Hear(3, 9, Message::Request(request(1, 0, (3, 1), 9, None))));
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } =>
            [gone(9), flood(&c, 1, &error(&[(9, 8)]))];
    }
}

/// RFC 3561 §6.7: who passes a reply on makes its receiver a user of the route to the neighbour that replied, too, and that
/// neighbour one of the way back.
#[test]
fn both_ends_of_a_reply_are_told_of_broken_links_to_neighbours() {
    let c = AodvConfig { neighbour_routes: true, ..no_repair() };
    let told = |out: &[Action], about: u32| {
        let errors = out.iter().filter_map(|action| match action {
            Action::Send(sent) => Some((sent.to, parse(&sent.body).expect("well formed"))),
            _ => None,
        });
        let named = errors.filter(|(_, message)| {
            matches!(message, Message::Error { unreachable, .. }
                if unreachable.iter().any(|it| it.destination == NodeId(about)))
        });
        named.map(|(to, _)| to).collect::<Vec<_>>()
    };
    let mut rig = relay(c.clone(), 4);
    let out = rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    assert_eq!(told(&out, 2), [NodeId(0)]);
    let mut rig = relay(c, 4);
    let out = rig.feed(instant("1 s"), Tell::Lost { to: 0, from: 9, destination: 0, travelled: 4 });
    assert_eq!(told(&out, 0), [NodeId(2)]);
    let counters = *rig.aodv.counters();
    assert_eq!((counters.rrep_forwarded, counters.rerr_originated), (1, 1));
}

/// A route that nobody uses breaks in silence; as in ns-2.35 all are told.
#[test]
fn without_precursors_nobody_is_told_but_as_in_ns2() {
    for (rerr, told) in [(RerrRule::Precursors, false), (RerrRule::Always, true)] {
        let c = AodvConfig { rerr, sequence: Sequencing::Even, ..no_repair() };
        let mut rig = Rig::new(c.clone());
        rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 8, ME.0, 6_000)));
        let out = rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
        let all = flood(&c, 1, &error(&[(9, 9)]));
        assert_eq!(out, if told { vec![gone(9), all] } else { vec![gone(9)] });
    }
}

/// The source: its packet waits for another route.
#[test]
fn a_packet_of_this_node_waits_for_another_route() {
    let c = no_repair();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 1, destination: 9, travelled: 0 } =>
            [gone(9), own(&c, 6, 1, 1, 9, Some(8))];
    }
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Taken), 1));
}

/// RFC 3561 §6.11, ii: the number goes one further, and who sent is told.
#[test]
fn a_packet_without_a_route_is_lost_and_its_sender_told() {
    let c = no_repair();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    timeline! { rig;
        at 2 s: Tell::Pass(0, 9) => [send(&c, 0, 1, &error(&[(9, 9)]))];
        at 2 s: Tell::Pass(3, 5) => [send(&c, 3, 1, &error(&[(5, 0)]))];
    }
    assert_eq!(rig.decision, Some(Decision::Refused(DropReason::NoRoute)));
}

/// ns-2.35 tells all, each time, and the number stays.
#[test]
fn as_in_ns2_all_are_told_of_each_packet() {
    let c = AodvConfig { rerr: RerrRule::Always, rerr_limit: 0, ..no_repair() };
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    for _ in 0..20 {
        timeline! { rig; at 2 s: Tell::Pass(0, 9) => [flood(&c, 1, &error(&[(9, 8)]))]; }
    }
}

/// RFC 3561 §6.11: no more than ten in a second.
#[test]
fn no_more_errors_than_the_limit_in_a_second() {
    let mut rig = Rig::new(no_repair());
    for destination in 10..30 {
        rig.feed(instant("1 s"), Tell::Pass(0, destination));
    }
    let counters = *rig.aodv.counters();
    assert_eq!((counters.rerr_originated, counters.rerr_limited), (10, 10));
    rig.feed(instant("2 s"), Tell::Pass(0, 30));
    assert_eq!(rig.aodv.counters().rerr_originated, 11);
}

/// RFC 3561 §6.11, iii.
#[test]
fn an_error_of_the_next_hop_is_believed_and_passed_on() {
    let c = no_repair();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Hear(3, 1, error(&[(9, 12)])) => []; // not where the route leads
        at 1 s: Tell::Hear(2, 1, error(&[(8, 12)])) => []; // not known
        at 2 s: Tell::Hear(2, 1, error(&[(8, 2), (9, 12)])) => [gone(9), send(&c, 0, 1, &error(&[(9, 12)]))];
        at 2 s: Tell::Hear(2, 1, error(&[(9, 12)])) => []; // known
    }
    assert_eq!(rig.aodv.counters().rerr_forwarded, 1);
    // A reply no newer than the loss is not believed; a newer one is.
    rig.feed(instant("3 s"), Tell::Hear(3, 9, reply(9, 1, 11, 0, 6_000)));
    assert_eq!(rig.route("3 s", 9), None);
    rig.feed(instant("3 s"), Tell::Hear(3, 9, reply(9, 1, 12, 0, 6_000)));
    assert_eq!(rig.route("3 s", 9), Some((3, 2, Some(12))));
}

/// ns-2.35 ignores an error whose number is older than its own.
#[test]
fn an_outdated_error_counts_by_the_rfc_alone() {
    for (rerr, lost) in [(RerrRule::Precursors, true), (RerrRule::Always, false)] {
        let mut rig = relay(AodvConfig { rerr, ..no_repair() }, 4);
        rig.feed(instant("1 s"), Tell::Hear(2, 1, error(&[(9, 3)])));
        assert_eq!(rig.route("1 s", 9).is_none(), lost);
        let number = rig.aodv.table_mut().entry(instant("1 s"), NodeId(9)).sequence;
        assert_eq!(number, Some(7), "numbers do not go back");
    }
}

#[test]
fn what_waits_in_the_queue_for_a_neighbour_that_is_gone_is_flushed_or_tried() {
    let flush = AodvConfig { on_break: OnBreak::FlushQueue, ..no_repair() };
    let withdraw = Action::Withdraw { neighbour: NodeId(2) };
    let lost = Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 };
    let mut rig = relay(flush.clone(), 4);
    timeline! { rig; at 1 s: lost.clone() => [withdraw.clone(), gone(9), send(&flush, 0, 1, &error(&[(9, 8)]))]; }
    let packet = rig.packet(0, 5);
    let mut out = Vec::new();
    let asked = rig.ask(instant("1 s"), packet, Provenance::Withdrawn(NodeId(2)), &mut out);
    assert_eq!(asked, Decision::Refused(DropReason::LinkBroken));
    let mut rig = relay(flush, 4);
    assert!(rig.feed(instant("1 s"), Tell::Hear(2, 1, error(&[(9, 12)]))).contains(&withdraw));
    let mut rig = relay(no_repair(), 4);
    assert!(!rig.feed(instant("1 s"), lost).contains(&withdraw));
}

/// A queue that keeps packets does not keep them for ever: whoever has one asks for the way.
#[test]
fn a_kept_packet_waits_for_a_route_and_is_lost_if_there_is_none() {
    let c = AodvConfig { rreq_retries: 0, ttl_threshold: 0, ..no_repair() };
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    let packet = rig.packet(0, 9);
    let mut out = Vec::new();
    let asked = rig.ask(instant("1 s"), packet, Provenance::Kept(NodeId(2)), &mut out);
    assert_eq!((asked, rig.waiting()), (Decision::Waiting, 1));
    assert!(out.contains(&own(&c, 35, 1, 1, 9, Some(8))), "{out:?}");
    let out = rig.feed(instant("3800 ms"), TIMER);
    assert!(matches!(out[..], [Action::Dropped(ref lost)] if lost.reason == DropReason::NoRoute), "{out:?}");
}

/// RFC 3561 §6.12: one request with a newer number, for as long as its ring takes.
#[test]
fn a_relay_near_the_destination_mends_the_route() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [own(&c, 6, 1, 1, 9, Some(8))];
        at 1 s: Tell::Pass(0, 9) => [];
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [];
    }
    assert_eq!(
        (rig.disposal, rig.decision, rig.waiting()),
        (Some(Disposal::Taken), Some(Decision::Waiting), 3)
    );
    assert_eq!(rig.wakes("1 s"), instant("1640 ms"));
    // A route as long as the old one: nobody need know.
    let out = rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(9, 3, 8, ME.0, 6_000)));
    let found = Action::Notice(Notice::RouteFound { destination: NodeId(9), hops: 4 });
    assert_eq!((out.len(), &out[0]), (4, &found));
    assert!(out[1..].iter().all(|action| matches!(action, Action::Forward { .. })));
    assert_eq!((rig.aodv.counters().repairs, rig.aodv.counters().repaired), (1, 1));
}

/// RFC 3561 §6.12: those upstream may keep a route that has become longer, and hear of it (N flag).
#[test]
fn a_longer_route_is_told_and_kept() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    let out = rig.feed(instant("1100 ms"), Tell::Hear(3, 9, reply(9, 6, 8, ME.0, 6_000)));
    let unreachable = vec![Unreachable { destination: NodeId(9), sequence: 8 }];
    let told = Message::Error { keep: true, unreachable };
    assert!(out.contains(&send(&c, 0, 1, &told)), "{out:?}");
    // Who hears it keeps the route, and tells its own users.
    let mut upstream = relay(c.clone(), 5);
    timeline! { upstream; at 1 s: Tell::Hear(2, 1, told.clone()) => [send(&c, 0, 1, &told)]; }
    assert!(upstream.route("1 s", 9).is_some());
}

#[test]
fn a_route_that_could_not_be_mended_is_lost_after_all() {
    let c = config();
    let mut rig = relay(c.clone(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    rig.feed(instant("1639 ms"), TIMER);
    assert_eq!(rig.waiting(), 1);
    let out = rig.feed(instant("1640 ms"), TIMER);
    assert_eq!(out[..2], [gone(9), send(&c, 0, 1, &error(&[(9, 8)]))]);
    assert!(matches!(out[2..], [Action::Dropped(ref lost)] if lost.reason == DropReason::NoRoute), "{out:?}");
    timeline! { rig; at 2 s: Tell::Pass(0, 9) => [send(&c, 0, 1, &error(&[(9, 9)]))]; }
    let counters = *rig.aodv.counters();
    assert_eq!((counters.routes_lost, counters.rerr_originated, counters.rreq_originated), (1, 2, 1));
}

#[test]
fn a_relay_far_from_the_destination_mends_nothing() {
    let c = AodvConfig { diameter: 10, ..config() }; // MAX_REPAIR_TTL is three hops
    let mut rig = relay(c, 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
    assert_eq!((rig.disposal, rig.aodv.counters().repairs), (Some(Disposal::Leave), 0));
}

/// ns-2.35: whoever is nearer to the destination than to the source; the number asked for is the one known; the end comes
/// after as long again as has passed, and nobody is told.
#[test]
fn as_in_ns2_a_relay_past_the_middle_mends_and_is_late_to_give_up() {
    let c = AodvConfig {
        local_repair: LocalRepair::Ns2,
        accept_equal_if_broken: false,
        sequence: Sequencing::Even,
        delete_period: Dur::ZERO,
        ..config()
    };
    let mut rig = relay(c.clone(), 3);
    rig.feed(instant("20 s"), Tell::Hear(0, 9, Message::Request(request(2, 0, (0, 2), 5, None))));
    rig.feed(instant("20 s"), Tell::Hear(2, 9, reply(9, 2, 8, 0, 6_000)));
    // Three hops come, three to go: no repair. Four come: repair.
    let mut other = rig.aodv.clone();
    std::mem::swap(&mut rig.aodv, &mut other);
    rig.feed(instant("20 s"), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 3 });
    assert_eq!(rig.disposal, Some(Disposal::Leave));
    rig.aodv = other;
    timeline! { rig;
        at 20 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 4 } => [own(&c, 5, 1, 4, 9, Some(8))];
        // A neighbour answers with the number known, and no fewer hops: refused.
        at 21 s: Tell::Hear(3, 9, reply(9, 2, 8, ME.0, 6_000)) => [];
        // And it answers requests itself.
        at 22 s: Tell::Hear(3, 9, Message::Request(request(1, 0, (3, 1), 9, Some(8)))) => [
            Action::Notice(Notice::RouteFound { destination: NodeId(3), hops: 1 }),
            send(&c, 3, 35, &reply(9, 3, 8, 3, 4_000)),
        ];
    }
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Taken), 1));
    assert!(rig.aodv.table_mut().get(instant("40 s"), NodeId(9)).is_some_and(|route| route.hops == 3));
    // The search has been told to end at 20.4 s + its own instant; then the route is down, in silence.
    let out = rig.feed(instant("41 s"), TIMER);
    assert!(out.contains(&gone(9)), "{out:?}");
    assert!(!out.iter().any(|action| matches!(action, Action::Send(message) if message.ttl == 1)));
}
