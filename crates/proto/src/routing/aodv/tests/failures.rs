//! Broken links: whose routes end, which node is told, what waits, what is mended.

use super::rig::{
    ME, Rig, TIMER, Tell, error, flood, gone, keep, no_repair, own, relay, reply, request, send,
};
use crate::routing::Routing;
use crate::routing::aodv::{AodvConfig, Message, OnBreak, RerrRule, Sequencing, emit, parse};
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Provenance};
use crate::testing::{cx, instant, routing_message, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Protocol};

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

/// RFC 3561 §6.7: a node that passes a reply on makes its receiver a user of the route to the neighbour that replied,
/// too, and that neighbour one of the way back.
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
    let counters = rig.aodv.counters();
    assert_eq!((counters.rrep_forwarded, counters.rerr_originated), (1, 1));
}

/// A route that no node uses breaks in silence; as in ns-2.35 all are told.
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

/// RFC 3561 §6.11, ii: the number goes one further, and the node that sent is told.
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
    let counters = rig.aodv.counters();
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

/// A queue that keeps packets does not keep them for ever: the node that has one asks for the way.
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

/// A message that the MAC gives up breaks no route: its own routing says nothing of the link (ns-2.35), or puts the
/// neighbour on the blacklist (RFC 3561 §6.8).
#[test]
fn a_message_that_is_given_up_breaks_no_route() {
    let mut rig = relay(no_repair(), 4);
    let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&reply(9, 0, 1, 8, 1)));
    let given_up = GivenUp { packet, to: NodeId(2), reason: DropReason::RetryLimitRts };
    let mut out = Vec::new();
    let disposal = rig.aodv.given_up(&mut cx(instant("1 s"), &mut rig.packets), given_up, &mut out);
    assert_eq!((disposal, rig.route("1 s", 9)), (Disposal::Leave, Some((2, 4, Some(7)))));
    assert!(matches!(out[..], [Action::Arm(_)]), "{out:?}");
}

/// ns-2.35: two further at each broken link that ends a route, besides the two of the request.
#[test]
fn even_numbers_go_two_further_when_a_link_breaks() {
    let c = AodvConfig { sequence: Sequencing::Even, ..no_repair() };
    let mut rig = relay(c.clone(), 4);
    let lost = Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 };
    rig.feed(instant("1 s"), lost.clone());
    rig.feed(instant("1 s"), lost); // no route any more: no number either
    timeline! { rig; at 2 s: Tell::Route(5) => [own(&c, 1, 1, 6, 5, None)]; }
}

/// A source whose route is another one by now: the packet goes there, and its use keeps that route.
#[test]
fn a_packet_of_this_node_goes_another_way_if_there_is_one() {
    let mut rig = Rig::new(no_repair());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 2_000)));
    let out = rig.feed(instant("1 s"), Tell::Lost { to: 3, from: ME.0, destination: 9, travelled: 0 });
    assert!(matches!(out[..], [Action::Forward { to: NodeId(2), delay: Dur::ZERO, .. }]), "{out:?}");
    assert_eq!((rig.disposal, rig.waiting()), (Some(Disposal::Taken), 0));
    assert!(rig.route("3999 ms", 9).is_some());
    assert_eq!(rig.route("4 s", 9), None);
}

/// The node that has gone uses no route any more.
#[test]
fn a_neighbour_that_is_gone_is_not_told_of_what_breaks_later() {
    let mut rig = relay(no_repair(), 4);
    rig.feed(instant("1 s"), Tell::Lost { to: 0, from: 9, destination: 0, travelled: 4 });
    timeline! { rig; at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [gone(9)]; }
    assert_eq!(rig.aodv.counters().rerr_originated, 0);
}

/// An error names a neighbour with number 0 if that neighbour never sent its number.
#[test]
fn a_route_without_a_number_is_told_of_with_none() {
    let c = AodvConfig { neighbour_routes: true, ..no_repair() };
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } =>
            [gone(2), gone(9), send(&c, 0, 1, &error(&[(2, 0), (9, 8)]))];
    }
}

/// ns-2.35: one not older than the number known is believed, and told to all after a random time, if anybody uses the
/// route.
#[test]
fn as_in_ns2_an_error_is_passed_on_a_little_later_if_there_are_precursors() {
    let jitter = Dur::from_ms(10);
    let c = AodvConfig { rerr: RerrRule::Always, broadcast_jitter: jitter, ..no_repair() };
    let delay = |rig: &mut Rig, at: &str| {
        let out = rig.feed(instant(at), Tell::Hear(2, 1, error(&[(9, 12)])));
        let [notice, Action::Send(message)] = &out[..] else { panic!("{out:?}") };
        assert_eq!((notice, message.to), (&gone(9), NodeId::BROADCAST));
        message.delay
    };
    let mut rig = relay(c.clone(), 4);
    let later = delay(&mut rig, "1 s");
    assert!(Dur::ZERO < later && later < jitter, "{later}");
    let counters = rig.aodv.counters();
    assert_eq!((counters.rerr_forwarded, counters.routes_lost), (1, 1));
    // A number as new as its own counts; without precursors no node is told.
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 6_000)));
    timeline! { rig; at 1 s: Tell::Hear(2, 1, error(&[(9, 7)])) => [gone(9)]; }
    assert_eq!(rig.aodv.counters().rerr_forwarded, 0);
    // By the RFC at once.
    let rfc = AodvConfig { broadcast_jitter: jitter, ..no_repair() };
    let mut rig = relay(rfc.clone(), 4);
    timeline! { rig; at 1 s: Tell::Hear(2, 1, error(&[(9, 12)])) => [gone(9), send(&rfc, 0, 1, &error(&[(9, 12)]))]; }
}

/// Errors that concern no route of this node, or no lost one, leave the queue alone.
#[test]
fn an_error_that_ends_no_route_flushes_nothing() {
    let c = AodvConfig { on_break: OnBreak::FlushQueue, ..no_repair() };
    let mut rig = relay(c.clone(), 4);
    timeline! { rig;
        at 1 s: Tell::Hear(2, 1, error(&[(8, 12)])) => [];
        at 1 s: Tell::Hear(2, 1, keep(&[(9, 8)])) => [send(&c, 0, 1, &keep(&[(9, 8)]))];
    }
    assert_eq!(rig.aodv.counters().routes_lost, 0);
}

/// DELETE_PERIOD after a route has ended it is forgotten which node used it.
#[test]
fn who_used_a_route_long_ago_is_not_told_when_a_new_one_breaks() {
    for (again, told) in [("20 s", 1), ("21 s", 0)] {
        let mut rig = relay(no_repair(), 4); // until 6 s
        rig.feed(instant(again), Tell::Hear(2, 9, reply(9, 3, 9, ME.0, 6_000)));
        let out = rig.feed(instant(again), Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 });
        assert_eq!(out.len(), 1 + told, "{out:?}");
    }
}
