//! Which nodes a node listens to: the blacklist, acknowledgments, what each message says of its sender, copies on the
//! air.

use super::rig::{ME, Rig, TIMER, Tell, config, error, found, gone, no_repair, own, reply, request, send};
use crate::routing::Routing;
use crate::routing::aodv::{AodvConfig, LinkDetection, Message, Reply, emit};
use crate::routing::contract::{Action, GivenUp, Input};
use crate::testing::{cx, instant, routing_message, timeline};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Protocol};

/// A request of 8, number `id`, for this node.
fn asked(from: u32, id: u32) -> Tell {
    Tell::Hear(from, 5, Message::Request(request(id, 2, (8, id), ME.0, None)))
}

fn answers(out: &[Action]) -> bool {
    out.iter().any(|action| matches!(action, Action::Send(_)))
}

/// RFC 3561 §6.8: each for BLACKLIST_TIMEOUT from its own last failure on.
#[test]
fn the_blacklist_is_of_each_neighbour_by_itself() {
    let c = config();
    let mut rig = Rig::new(c.clone());
    let fail = |rig: &mut Rig, at: &str, to: u32| {
        let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&reply(9, 0, 1, 8, 1)));
        let given_up = GivenUp { packet, to: NodeId(to), reason: DropReason::RetryLimitRts };
        rig.aodv.given_up(&mut cx(instant(at), &mut rig.packets), given_up, &mut Vec::new());
    };
    fail(&mut rig, "1 s", 0);
    fail(&mut rig, "2 s", 2);
    fail(&mut rig, "3 s", 0);
    assert_eq!(c.blacklist_timeout(), Dur::from_ms(5_600));
    for (id, (from, at, ignored)) in [
        (0, "7 s", true),
        (2, "7599 ms", true),
        (3, "7599 ms", false),
        (2, "7600 ms", false),
        (0, "8599 ms", true),
        (0, "8600 ms", false),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(!answers(&rig.feed(instant(at), asked(from, id as u32 + 1))), ignored, "{from} at {at}");
    }
    assert_eq!(rig.aodv.counters().blacklisted, 3);
}

/// One wait for each neighbour, from the first reply that it owes an acknowledgment for.
#[test]
fn each_neighbour_owes_one_acknowledgment() {
    let c = AodvConfig { rrep_ack: true, ..config() };
    let mut rig = Rig::new(c);
    rig.feed(SimTime::ZERO, asked(0, 1));
    assert_eq!(rig.wakes("0 s"), instant("50 ms"), "NODE_TRAVERSAL_TIME and 10 ms");
    rig.feed(instant("20 ms"), asked(0, 2));
    assert_eq!(rig.wakes("20 ms"), instant("50 ms"));
    rig.feed(instant("5500 ms"), TIMER);
    assert_eq!(rig.aodv.counters().blacklisted, 1, "two replies, one failure");
    // The ways back have expired: each reply goes to the node that the request came from. An acknowledgment is of its
    // sender.
    rig.feed(instant("10 s"), Tell::Hear(2, 5, Message::Request(request(3, 2, (7, 3), ME.0, None))));
    rig.feed(instant("10 s"), Tell::Hear(3, 5, Message::Request(request(4, 2, (6, 4), ME.0, None))));
    rig.feed(instant("10 s"), Tell::Hear(2, 1, Message::Acknowledgment));
    rig.feed(instant("10050 ms"), TIMER);
    assert_eq!(rig.aodv.counters().blacklisted, 2);
    assert!(answers(
        &rig.feed(instant("11 s"), Tell::Hear(2, 5, Message::Request(request(5, 2, (7, 5), ME.0, None))))
    ));
    assert!(!answers(
        &rig.feed(instant("11 s"), Tell::Hear(3, 5, Message::Request(request(6, 2, (6, 6), ME.0, None))))
    ));
}

/// The node that is not asked owes none; the node that is gives it, and counts.
#[test]
fn acknowledgments_are_given_and_owed_where_they_are_asked_for() {
    let mut rig = Rig::new(config());
    rig.feed(SimTime::ZERO, asked(0, 1));
    assert_eq!(rig.wakes("0 s"), SimTime::MAX);
    rig.feed(instant("1 s"), TIMER);
    assert_eq!(rig.aodv.counters().blacklisted, 0);
    let Message::Reply(plain) = reply(9, 3, 7, ME.0, 6_000) else { unreachable!() };
    rig.feed(instant("1 s"), Tell::Hear(2, 9, Message::Reply(plain)));
    rig.feed(instant("1 s"), Tell::Hear(2, 9, Message::Reply(Reply { acknowledge: true, ..plain })));
    assert_eq!(rig.aodv.counters().rrep_acks, 1);
}

/// RFC 3561 §6.5: the node that is heard can be sent to; what waits for it goes, once.
#[test]
fn what_waits_for_a_neighbour_goes_when_it_is_heard() {
    let c = AodvConfig { neighbour_routes: true, ..config() };
    let mut rig = Rig::new(c.clone());
    timeline! { rig; at 0 s: Tell::Route(2) => [own(&c, 1, 1, 1, 2, None)]; }
    let packet = rig.aodv.packets().into_iter().next().expect("it waits");
    let heard = || Tell::Hear(2, 1, Message::Acknowledgment);
    timeline! { rig;
        at 10 ms: heard() => [found(2, 1), Action::Forward { packet, to: NodeId(2), delay: Dur::ZERO }];
        at 20 ms: heard() => [];
    }
    assert_eq!(rig.route("20 ms", 2), Some((2, 1, None)));
    assert_eq!(rig.wakes("20 ms"), SimTime::MAX, "the search is over");
}

/// Also a route that is being mended: the node that is heard is there.
#[test]
fn a_neighbour_that_is_heard_is_looked_for_no_longer() {
    let mut rig = Rig::new(AodvConfig { neighbour_routes: true, ..config() });
    rig.feed(SimTime::ZERO, Tell::Hear(2, 1, Message::Acknowledgment));
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: 0, destination: 2, travelled: 1 });
    assert_eq!((rig.route("1 s", 2), rig.waiting()), (None, 1));
    let out = rig.feed(instant("1100 ms"), Tell::Hear(2, 1, Message::Acknowledgment));
    assert!(matches!(out[..], [_, Action::Forward { to: NodeId(2), .. }]), "{out:?}");
    assert_eq!((&out[0], rig.aodv.counters().repaired), (&found(2, 1), 1));
}

/// RFC 3561 §6.5, §6.7: a neighbour that is heard again after its route had broken has no valid number. So its own
/// reply, which carries the number that this node raised at the break, is news, and goes on to the node that asked.
#[test]
fn a_reply_of_the_neighbour_itself_is_taken_after_a_break() {
    let c = AodvConfig { neighbour_routes: true, ..no_repair() };
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(2, 0, 7, ME.0, 6_000)));
    rig.feed(instant("1 s"), Tell::Lost { to: 2, from: ME.0, destination: 2, travelled: 0 });
    assert_eq!(rig.route("1 s", 2), None);
    rig.feed(instant("2 s"), Tell::Hear(2, 1, Message::Acknowledgment));
    assert_eq!(rig.route("2 s", 2), Some((2, 1, Some(8))), "raised here");
    let asked = Message::Request(request(1, 0, (0, 1), 2, Some(7)));
    let asks_on = rig.feed(instant("3 s"), Tell::Hear(0, 9, asked));
    let on = Message::Request(request(1, 1, (0, 1), 2, Some(8)));
    assert_eq!(asks_on[1..], [send(&c, NodeId::BROADCAST.0, 8, &on)], "a number of its own is no answer");
    let told = rig.feed(instant("3100 ms"), Tell::Hear(2, 9, reply(2, 0, 8, 0, 6_000)));
    assert_eq!(told, [send(&c, 0, 8, &reply(2, 1, 8, 0, 6_000))]);
    assert_eq!(rig.route("3100 ms", 2), Some((2, 1, Some(8))));
    let again = rig.feed(instant("3200 ms"), Tell::Hear(2, 9, reply(2, 0, 8, 0, 6_000)));
    assert_eq!(again, [], "now it is valid: as new and no better is no news");
}

/// A way of several hops to a neighbour becomes one of one hop; one of one hop lives on for as long as it would have.
#[test]
fn a_neighbour_is_one_hop_away() {
    let c = AodvConfig { neighbour_routes: true, ..config() };
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(3, 1, 7, ME.0, 60_000)));
    assert_eq!(rig.route("0 s", 3), Some((2, 2, Some(7))));
    timeline! { rig;
        at 1 s: Tell::Hear(3, 1, Message::Acknowledgment) => [];
        at 2 s: Tell::Hear(3, 1, Message::Acknowledgment) => [];
    }
    assert_eq!(rig.route("4999 ms", 3), Some((3, 1, Some(7))));
    assert_eq!(rig.route("5 s", 3), None);
    rig.feed(instant("10 s"), Tell::Hear(3, 9, reply(3, 0, 9, ME.0, 60_000)));
    rig.feed(instant("11 s"), Tell::Hear(3, 1, Message::Acknowledgment));
    assert!(rig.route("69 s", 3).is_some());
}

/// RFC 3561 §6.7: a node that passes a reply on makes the next hop a user of the route to the neighbour that replied,
/// also when the route that was told has ended.
#[test]
fn the_user_of_a_route_is_told_when_the_first_hop_is_gone() {
    let c = AodvConfig { neighbour_routes: true, ..no_repair() };
    let mut rig = Rig::new(c.clone());
    rig.feed(SimTime::ZERO, Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 9, None))));
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, 3, 7, 0, 500)));
    timeline! { rig;
        at 1 s: Tell::Lost { to: 2, from: 0, destination: 9, travelled: 1 } => [gone(2), send(&c, 0, 1, &error(&[(2, 0)]))];
    }
}

/// Which packets on the air a node may pass over: requests that it has seen, where a message says nothing of its
/// sender.
#[test]
fn a_copy_on_the_air_is_known_before_it_is_received() {
    for (detection, neighbour_routes, skips) in [
        (LinkDetection::LinkLayer, false, true),
        (LinkDetection::LinkLayer, true, false),
        (LinkDetection::Both, false, false),
    ] {
        let mut rig = Rig::new(AodvConfig { link_detection: detection, neighbour_routes, ..config() });
        let mut on_air = |protocol, message: &Message| {
            let packet = routing_message(&mut rig.packets, protocol, &emit(message));
            rig.aodv.is_known_flood(&cx(instant("1 s"), &mut rig.packets), packet, NodeId(2))
        };
        let seen = Message::Request(request(4, 2, (8, 4), 9, None));
        assert!(!on_air(Protocol::Aodv, &seen));
        assert_eq!(
            on_air(Protocol::Aodv, &Message::Request(request(5, 0, (ME.0, 1), 9, None))),
            skips,
            "its own"
        );
        rig.feed(instant("1 s"), Tell::Hear(0, 5, seen.clone()));
        let mut on_air = |protocol, message: &Message| {
            let packet = routing_message(&mut rig.packets, protocol, &emit(message));
            rig.aodv.is_known_flood(&cx(instant("1 s"), &mut rig.packets), packet, NodeId(2))
        };
        assert_eq!(on_air(Protocol::Aodv, &seen), skips, "{detection:?}, {neighbour_routes}");
        assert!(!on_air(Protocol::Dsdv, &seen));
        assert!(!on_air(Protocol::Aodv, &reply(9, 3, 7, 8, 6_000)));
        assert!(!on_air(Protocol::Aodv, &Message::Request(request(5, 2, (8, 5), 9, None))));
    }
}

/// A message may be the reason to wake earlier: it says when.
#[test]
fn a_message_that_is_waited_for_sets_the_timer() {
    let mut rig = Rig::new(AodvConfig { rrep_ack: true, ..config() });
    let message = Message::Request(request(1, 2, (8, 4), ME.0, None));
    let packet = routing_message(&mut rig.packets, Protocol::Aodv, &emit(&message));
    let mut out = Vec::new();
    let input = Input::Message { packet, from: NodeId(0) };
    rig.aodv.handle(&mut cx(instant("1 s"), &mut rig.packets), input, &mut out);
    assert_eq!(out.last(), Some(&Action::Arm(instant("1050 ms"))));
}
