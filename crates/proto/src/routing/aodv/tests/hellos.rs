//! Neighbours that are known by their hellos, and what a node forgets that goes down.

use super::rig::{ME, Rig, START, STOP, TIMER, Tell, config, error, gone, own, reply, request, send};
use crate::routing::aodv::{AodvConfig, LinkDetection, LocalRepair, Message, emit};
use crate::routing::contract::{Action, Decision, Disposal, Input, Routing};
use crate::testing::{instant, routing_message, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::Protocol;

/// Hellos alone say which node is there: two may be missing, as in RFC 3561 §10.
fn by_hellos() -> AodvConfig {
    AodvConfig {
        link_detection: LinkDetection::Hello,
        local_repair: LocalRepair::Off,
        allowed_hello_loss: 2,
        ..config()
    }
}

/// What is sent at those seconds.
fn hellos(rig: &mut Rig, seconds: std::ops::Range<u64>) -> usize {
    let sent = seconds.map(|second| rig.feed(SimTime::from_secs(second), TIMER));
    sent.flatten().filter(|action| matches!(action, Action::Send(_))).count()
}

#[test]
fn hellos_are_sent_each_second_while_a_route_is_in_use() {
    let mut rig = Rig::new(by_hellos());
    assert_eq!(hellos(&mut rig, 1..6), 0, "there is no route");
    rig.feed(SimTime::from_secs(6), Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    assert_eq!(hellos(&mut rig, 7..12), 5);
    assert_eq!(rig.aodv.counters().hellos, 5);
    let mut silent = Rig::new(AodvConfig { link_detection: LinkDetection::LinkLayer, ..by_hellos() });
    silent.feed(SimTime::from_secs(6), Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    assert_eq!(hellos(&mut silent, 7..12), 0);
}

/// The route to 9 leads through 2, and 0 uses it.
#[test]
fn a_neighbour_whose_hellos_fail_to_appear_is_gone_with_its_routes() {
    let c = by_hellos();
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 9, None))));
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, 0, 60_000)));
    rig.feed(instant("1 s"), Tell::Hello(2, 5));
    rig.feed(instant("2 s"), Tell::Hello(2, 6));
    rig.feed(instant("3 s"), TIMER); // a hello of its own
    let lost = |out: &[Action]| out.contains(&gone(9));
    assert!(!lost(&rig.feed(instant("3.9 s"), TIMER)), "one is missing");
    let out = rig.feed(instant("4 s"), TIMER);
    assert!(lost(&out) && out.contains(&send(&c, 0, 1, &error(&[(9, 8)]))), "{out:?}");
    assert_eq!(rig.route("4 s", 9), None);
    assert!(!lost(&rig.feed(instant("9 s"), TIMER)), "once");
}

#[test]
fn any_message_of_a_neighbour_that_has_greeted_shows_that_it_is_there() {
    let mut rig = Rig::new(by_hellos());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(instant("1 s"), Tell::Hello(2, 5));
    rig.feed(instant("2.5 s"), Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(instant("4.4 s"), TIMER);
    assert!(rig.route("4.4 s", 9).is_some());
    rig.feed(instant("4.5 s"), TIMER);
    assert_eq!(rig.route("4.5 s", 9), None);
    // The node that has never greeted is not missed.
    let mut rig = Rig::new(by_hellos());
    rig.feed(SimTime::ZERO, Tell::Hear(3, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(instant("30 s"), TIMER);
    assert!(rig.route("30 s", 9).is_some());
}

#[test]
fn a_hello_makes_a_route_of_one_hop() {
    let mut rig = Rig::new(by_hellos());
    rig.feed(instant("1 s"), Tell::Hello(2, 5));
    assert_eq!(rig.route("1 s", 2), Some((2, 1, Some(5))));
}

#[test]
fn where_hellos_say_what_is_broken_a_give_up_does_not() {
    let mut rig = Rig::new(by_hellos());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [];
    }
    assert_eq!(rig.disposal, Some(Disposal::Leave));
    assert!(rig.route("1 s", 9).is_some());
}

/// Routes, requests seen, searches and packets are gone; after the RFC's wait it answers again.
#[test]
fn a_node_that_goes_down_forgets_and_is_quiet_for_a_while() {
    let mut rig = Rig::new(config());
    let asked = |hops| Tell::Hear(2, 9, Message::Request(request(1, hops, (5, 1), 1, None)));
    rig.feed(SimTime::ZERO, Tell::Hear(3, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(SimTime::ZERO, Tell::Route(8));
    assert_eq!((rig.decision, rig.waiting()), (Some(Decision::Waiting), 1));
    let answers = |out: &[Action]| out.iter().any(|action| matches!(action, Action::Send(_)));
    assert!(answers(&rig.feed(SimTime::ZERO, asked(0))));
    assert!(!answers(&rig.feed(SimTime::ZERO, asked(0))), "once");
    rig.feed(instant("1 s"), STOP);
    assert_eq!((rig.waiting(), rig.route("1 s", 9)), (0, None));
    assert!(!rig.aodv.asks_for(NodeId(8)));
    rig.feed(instant("2 s"), START);
    assert!(!answers(&rig.feed(instant("3 s"), asked(0))), "RFC 3561, section 6.13");
    let later = Tell::Hear(2, 9, Message::Request(request(2, 0, (5, 2), 1, None)));
    assert!(answers(&rig.feed(instant("30 s"), later)));
}

/// Each by its own hellos: 2 is last heard at 4 s, 3 at 5 s.
#[test]
fn neighbours_are_missed_one_by_one() {
    let mut rig = Rig::new(by_hellos());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(SimTime::ZERO, Tell::Hear(3, 9, reply(8, 3, 7, ME.0, 60_000)));
    for second in 1..=4 {
        let now = SimTime::from_secs(second);
        rig.feed(now, Tell::Hello(2, 5));
        rig.feed(now, Tell::Hello(3, 5));
        rig.feed(now, TIMER);
    }
    rig.feed(instant("5 s"), Tell::Hello(3, 5));
    let mut lost = |at| {
        let out = rig.feed(instant(at), TIMER);
        (out.contains(&gone(9)), out.contains(&gone(8)))
    };
    assert_eq!((lost("5.9 s"), lost("6 s")), ((false, false), (true, false)));
    assert_eq!((lost("6.9 s"), lost("7 s")), ((false, false), (false, true)));
}

/// Where a packet that is given up breaks the link as well, a neighbour that is gone is not missed a second time: it
/// may have been heard of since.
#[test]
fn a_neighbour_whose_link_broke_is_missed_once_it_has_greeted_again() {
    let c = AodvConfig { link_detection: LinkDetection::Both, ..by_hellos() };
    let mut rig = Rig::new(c);
    rig.feed(SimTime::ZERO, Tell::Hear(3, 9, reply(8, 3, 7, ME.0, 60_000)));
    rig.feed(instant("1 s"), Tell::Hello(2, 5));
    rig.feed(instant("1 s"), Tell::Hello(3, 5));
    rig.feed(instant("2 s"), Tell::Lost { to: 2, from: 0, destination: 2, travelled: 1 });
    rig.feed(instant("2.9 s"), Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    rig.feed(instant("4.9 s"), TIMER);
    assert!(rig.route("4.9 s", 9).is_some(), "2 has not greeted");
    assert_eq!(rig.route("4.9 s", 8), None, "3 has, and not for two seconds");
}

/// A reply to all about another node than its sender is none.
#[test]
fn a_hello_is_of_its_sender() {
    let mut rig = Rig::new(by_hellos());
    let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&reply(9, 0, 5, 9, 2_000)));
    rig.feed(instant("1 s"), Tell::Plain(Input::Message { packet, from: NodeId(2) }));
    assert_eq!((rig.route("1 s", 2), rig.route("1 s", 9)), (None, None));
}

/// RFC 3561 §6.9: the lifetime becomes longer if need be, never shorter; the newest number is kept.
#[test]
fn a_hello_prolongs_a_route_and_never_cuts_it() {
    for (number, kept) in [(8, 8), (7, 7), (3, 7)] {
        for (life, until) in [(60_000, "60 s"), (1_500, "3 s")] {
            let mut rig = Rig::new(AodvConfig { link_detection: LinkDetection::LinkLayer, ..by_hellos() });
            rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(2, 0, 7, ME.0, life)));
            rig.feed(instant("1 s"), Tell::Hello(2, number));
            let last = SimTime::from_ns(instant(until).as_ns() - 1);
            assert_eq!(
                rig.aodv.table_mut().valid(last, NodeId(2)).map(|route| route.sequence),
                Some(Some(kept))
            );
            assert_eq!(rig.route(until, 2), None);
        }
    }
}

/// RFC 3561 §6.9: the node that has sent something to all within the interval need not greet, nor the node that has no
/// route any more.
#[test]
fn a_hello_is_left_out_after_a_broadcast_and_without_routes() {
    let mut rig = Rig::new(by_hellos());
    let first = rig.wakes("0 s");
    assert!(SimTime::ZERO < first && first < instant("1 s"), "nodes do not greet at once: {first}");
    let nth = |n| first + Dur::from_secs(n);
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 3_500)));
    let greets = |out: Vec<Action>| matches!(out[..], [Action::Send(_)]);
    assert!(greets(rig.feed(first, TIMER)));
    let just_after = SimTime::from_ns(first.as_ns() + 1);
    let asked = |id| Tell::Hear(2, 9, Message::Request(request(id, 0, (2, id), 5, None)));
    assert!(rig.feed(just_after, asked(1)).iter().any(|action| matches!(action, Action::Send(_))));
    assert!(!greets(rig.feed(nth(1), TIMER)), "it has passed a request on");
    // What goes to one neighbour shows nothing to the others.
    let to_me = Tell::Hear(2, 9, Message::Request(request(3, 0, (2, 3), ME.0, None)));
    assert!(rig.feed(nth(1), to_me).iter().any(|action| matches!(action, Action::Send(_))));
    assert!(greets(rig.feed(nth(2), TIMER)));
    // The way back to 2 has an end as well.
    assert!(!greets(rig.feed(nth(9), TIMER)));
}

/// The delay of a message counts: it is on the air after it.
#[test]
fn a_broadcast_counts_from_when_it_leaves() {
    let c = AodvConfig { message_delay: Dur::from_ms(300), ..by_hellos() };
    let mut rig = Rig::new(c.clone());
    let first = rig.wakes("0 s");
    rig.feed(first, TIMER);
    rig.feed(first, Tell::Hear(2, 9, reply(9, 3, 7, ME.0, 60_000)));
    let nth = |n| first + Dur::from_secs(n);
    let asks = SimTime::from_ns(nth(1).as_ns() - Dur::from_ms(200).as_ns());
    assert_eq!(rig.feed(asks, Tell::Route(5)), [own(&c, 1, 1, 1, 5, None)]);
    rig.feed(asks, Tell::Hear(2, 9, reply(5, 3, 7, ME.0, 60_000)));
    // It leaves 100 ms after this look, 900 ms before the next.
    assert_eq!((rig.feed(nth(1), TIMER), rig.feed(nth(2), TIMER)), (vec![], vec![]));
    assert_eq!(rig.feed(nth(3), TIMER).len(), 1);
}
