//! What the layers above hear of routes, and what is counted (the routing messages of each kind).

use super::rig::{Done, Rig, config, error, ms, nodes, reply};
use crate::routing::contract::{Disposal, Input, Provenance, Routing};
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::NodeId;
use Done::{Errors, Forward, Found, Lost, Request};

fn plain() -> DsrConfig {
    DsrConfig { learn: Learn::Onward, ..config() }
}

/// Each change is told once: there is a route, it is gone, there is one again.
#[test]
fn a_route_that_comes_and_goes_is_told_each_time() {
    let mut rig = Rig::new(plain());
    rig.handle(ms(0), Input::Wanted(NodeId(9)));
    for at in [10, 20] {
        let answer = rig.message(reply(&[1, 2, 9]), &[9, 2, 1], 2);
        assert_eq!(rig.hear(ms(at), answer, 2), [Found(9)], "{at}");
        let again = rig.message(reply(&[1, 2, 9]), &[9, 2, 1], 2);
        assert_eq!(rig.hear(ms(at + 1), again, 2), []);
        let broken = rig.message(error(2, 9, 1), &[2, 1], 1);
        assert_eq!(rig.hear(ms(at + 2), broken, 2), [Lost(9)]);
    }
    assert_eq!(rig.dsr.routes_lost(), 2);
}

/// Found is told with the hops, as ELFN and its kin want them.
#[test]
fn a_found_route_is_told_with_its_hops() {
    let mut rig = Rig::new(plain());
    rig.handle(ms(0), Input::Wanted(NodeId(9)));
    let packet = rig.message(reply(&[1, 2, 9]), &[9, 2, 1], 2);
    let actions = rig.act(ms(1), Input::Message { packet, from: NodeId(2) });
    let notice = crate::contract::Notice::RouteFound { destination: NodeId(9), hops: 2 };
    assert!(actions.contains(&crate::routing::contract::Action::Notice(notice)), "{actions:?}");
}

/// A packet that passes teaches a route, and so does one that is overheard (§3.3.1), on both ways if links are
/// taken to work both ways.
#[test]
fn what_passes_and_what_is_overheard_is_told_too() {
    for (learn, to, told) in [(Learn::Onward, 9, true), (Learn::Both, 0, true), (Learn::Onward, 0, false)] {
        let mut rig = Rig::new(DsrConfig { learn, shortening: false, ..config() });
        rig.handle(ms(0), Input::Wanted(NodeId(to)));
        let passing = rig.routed(&[0, 3, 1, 2, 9], 2);
        let (_, done) = rig.route(ms(1), passing, Provenance::Neighbour(NodeId(3)));
        assert_eq!(done == [Found(to)], told, "{learn:?} {to}: {done:?}");
        let back = [vec![1, 3, 0], vec![1, 2, 9]][usize::from(to == 9)].clone();
        assert_eq!(rig.knows(ms(1), to), told.then_some(back));
        let mut rig = Rig::new(DsrConfig { learn, shortening: false, ..config() });
        rig.handle(ms(0), Input::Wanted(NodeId(to)));
        let heard = rig.routed(&[0, 5, 6, 9], 2);
        let done = rig.overhear(ms(1), heard, 5, 6);
        assert_eq!(done == [Found(to)], told, "{learn:?} {to}: {done:?}");
    }
}

/// A destination whose packet could not go on is one that the node speaks of from then on.
#[test]
fn where_a_packet_had_to_go_another_way_the_return_of_a_route_is_told() {
    let mut rig = Rig::new(plain());
    let packet = rig.routed(&[0, 1, 2, 9], 2);
    assert_eq!(rig.give_up(ms(0), packet, 2).0, Disposal::Leave);
    let heard = rig.routed(&[0, 3, 6, 9], 2);
    assert!(rig.overhear(ms(1), heard, 3, 6).contains(&Found(9)));
}

/// Requests, replies and errors of this node, each once.
#[test]
fn messages_of_this_node_are_counted_by_kind() {
    let mut rig = Rig::new(plain());
    let packet = rig.packet(1, 9);
    assert_eq!(rig.send(ms(0), packet).1[..1], [Request(9, 1)]);
    assert_eq!(rig.timer(ms(30))[..1], [Request(9, 255)]);
    let other = rig.routed(&[0, 1, 2, 8], 2);
    rig.give_up(ms(31), other, 2);
    let counted = rig.dsr.counters();
    assert_eq!((counted.rreq_originated, counted.rerr_originated, counted.rrep_originated), (2, 1, 0));
    assert_eq!(counted.salvaged, 0);
}

/// Packets of others that go another way are salvaged, and so are messages; packets of this node are not.
#[test]
fn what_goes_another_way_is_counted() {
    let mut rig = Rig::knowing(plain(), &[&[1, 3, 9], &[1, 3, 0]]);
    let (own, other) = (rig.routed(&[1, 2, 9], 1), rig.routed(&[0, 1, 2, 9], 2));
    assert!(rig.give_up(ms(0), own, 2).1.contains(&Forward(3, 0)));
    assert_eq!(rig.dsr.counters().salvaged, 0);
    assert!(rig.give_up(ms(0), other, 2).1.contains(&Forward(3, 0)));
    assert_eq!(rig.dsr.counters().salvaged, 1);
    let answer = rig.message(reply(&[0, 5, 1, 9]), &[9, 1, 5, 0], 2);
    let broken = rig.message(error(9, 8, 0), &[9, 1, 5, 0], 2);
    rig.give_up(ms(1), answer, 5);
    let counted = rig.dsr.counters();
    assert_eq!((counted.rrep_resent, counted.rerr_resent, counted.salvaged), (1, 0, 2));
    rig.give_up(ms(1), broken, 5);
    assert_eq!((rig.dsr.counters().rrep_resent, rig.dsr.counters().rerr_resent), (1, 1));
}

/// §8.3.4: the source itself is not told by a message, nor is anybody where this node has no place on the route.
#[test]
fn an_error_goes_to_where_the_route_begins_unless_that_is_here() {
    let mut rig = Rig::new(plain());
    let own = rig.routed(&[1, 2, 9], 1);
    let (_, done) = rig.give_up(ms(0), own, 2);
    assert!(!done.iter().any(|one| matches!(one, Errors(..))), "{done:?}");
    assert_eq!(rig.dsr.counters().rerr_originated, 0);
    let stray = rig.routed(&[0, 5, 2, 9], 2);
    let (_, done) = rig.give_up(ms(1), stray, 2);
    assert!(!done.iter().any(|one| matches!(one, Errors(..))), "{done:?}");
}

/// A route that answers a search wins over one of the same length that was only seen.
#[test]
fn of_equal_routes_the_one_asked_for_is_used() {
    let mut rig = Rig::new(plain());
    rig.dsr.known.cache().learn(ms(0), &nodes(&[1, 2, 9]), false);
    let answer = rig.message(reply(&[1, 3, 9]), &[9, 3, 1], 2);
    rig.hear(ms(1), answer, 3);
    assert_eq!(rig.knows(ms(1), 9), Some(vec![1, 3, 9]));
    rig.dsr.known.cache().learn(ms(1), &nodes(&[1, 2, 0]), false);
    let request = rig.request(0, 7, 1, &[4], 255);
    rig.hear(ms(2), request, 4);
    assert_eq!(rig.knows(ms(2), 0), Some(vec![1, 4, 0]), "the way of an answer is in use");
}
