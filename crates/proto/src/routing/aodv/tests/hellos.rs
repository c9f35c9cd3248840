//! Neighbours that are known by their hellos, and what a node forgets that goes down.

use super::rig::{ME, Rig, START, STOP, TIMER, Tell, config, error, reply, request, send};
use crate::port::Notice;
use crate::routing::aodv::{AodvConfig, LinkDetection, LocalRepair, Message};
use crate::routing::contract::{Action, Decision, Disposal};
use crate::testing::{instant, timeline};
use crate::units::{NodeId, SimTime};

fn gone(destination: u32) -> Action {
    Action::Notice(Notice::RouteLost { destination: NodeId(destination) })
}

/// Hellos alone say who is there: two may be missing, as in RFC 3561 §10.
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
    // Who has never greeted is not missed.
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
