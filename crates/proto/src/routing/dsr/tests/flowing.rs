//! Time lines of flow state.

use super::rig::{Done, Rig, config, error, ms, nodes};
use crate::routing::contract::{Decision, Disposal, Provenance};
use crate::routing::dsr::source_route::PacketPath;
use crate::routing::dsr::wire::{FlowHeader, Header, RouteError, Trouble};
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::NodeId;
use crate::wire::{PacketId, Protocol};
use Done::{Errors, Forward, NoFlow, Withdraw};

fn flowing() -> DsrConfig {
    DsrConfig { flow_state: true, learn: Learn::Onward, ..config() }
}

/// Flow of a packet, if it carries one; whether it carries a route.
fn carries(rig: &Rig, packet: PacketId) -> Option<(u16, bool)> {
    let header = rig.header(packet)?;
    header.flow.map(|flow| (flow.id, header.route.is_some() && header.timeout == Some(60)))
}

fn send(rig: &mut Rig, at: u64) -> Option<(u16, bool)> {
    let packet = rig.packet(1, 9);
    assert!(matches!(rig.send(ms(at), packet).0, Decision::To(_)), "{at}");
    carries(rig, packet)
}

#[test]
fn three_packets_set_a_flow_up_and_one_every_five_seconds() {
    let mut rig = Rig::knowing(flowing(), &[&[1, 2, 9]]);
    let carried = [0, 10, 20, 30, 40, 5020, 5021, 5030].map(|at| send(&mut rig, at));
    let set_up = Some((1, true));
    assert_eq!(carried, [set_up, set_up, set_up, None, None, None, set_up, None]);
    assert_eq!(send(&mut rig, 70_000), Some((3, true)), "60 s after the last packet it has ended");
}

#[test]
fn a_shorter_path_and_a_broken_link_make_a_new_flow() {
    let mut rig = Rig::knowing(flowing(), &[&[1, 2, 3, 9]]);
    assert_eq!(send(&mut rig, 0), Some((1, true)));
    rig.dsr.known.cache().learn(ms(1), &nodes(&[1, 4, 5, 9]), true);
    assert_eq!(send(&mut rig, 1), Some((1, true)), "no shorter");
    rig.dsr.known.cache().learn(ms(1), &nodes(&[1, 4, 9]), true);
    assert_eq!(send(&mut rig, 2), Some((3, true)));
    let message = rig.message(error(4, 9, 1), &[4, 1], 1);
    rig.hear(ms(3), message, 4);
    assert_eq!(send(&mut rig, 4), Some((5, true)));
}

/// A packet of node 0 to 9 that comes to node 1; with what sets flow 7 up, or with nothing.
fn comes(rig: &mut Rig, at: u64, set_up: bool) -> (Decision, Vec<Done>, PacketId) {
    let packet = rig.packet(0, 9);
    if set_up {
        let way = PacketPath { nodes: nodes(&[0, 1, 2, 9]), here: 1, salvage: 0 };
        let flow = Some(FlowHeader { hops: 0, id: 7 });
        let header =
            Header { next: 17, flow, timeout: Some(60), route: Some(way.route()), ..Header::default() };
        rig.packets.set_header(packet, Some((Protocol::Dsr, header.emit())));
    }
    let (decision, done) = rig.route(ms(at), packet, Provenance::Neighbour(NodeId(0)));
    (decision, done, packet)
}

#[test]
fn a_relay_sends_on_what_carries_nothing() {
    let mut rig = Rig::new(flowing());
    let (decision, _, packet) = comes(&mut rig, 0, true);
    assert_eq!(decision, Decision::To(NodeId(2)));
    assert_eq!(rig.header(packet).and_then(|header| header.flow).map(|flow| flow.hops), Some(1));
    let (decision, _, packet) = comes(&mut rig, 1, false);
    assert_eq!((decision, rig.header(packet)), (Decision::To(NodeId(2)), None));
    // If it cannot go on, the source is told along the flow's path.
    let (_, done) = rig.give_up(ms(2), packet, 2);
    assert!(done.contains(&Errors(vec![(1, 2)], 0, 0)), "{done:?}");
    assert_eq!(comes(&mut rig, 3, false).0, Decision::To(NodeId(2)), "relays do not end flows");
}

#[test]
fn a_relay_that_does_not_know_the_flow_says_so_and_salvages() {
    let mut rig = Rig::knowing(flowing(), &[&[1, 0], &[1, 3, 9]]);
    let (decision, done, packet) = comes(&mut rig, 0, false);
    assert_eq!((decision, &done[..]), (Decision::To(NodeId(3)), &[NoFlow(9, 0)][..]));
    assert_eq!(rig.header(packet).and_then(|header| header.route).map(|route| route.salvage), Some(1));
    // Nor does it if the hop limit is another one.
    comes(&mut rig, 1, true);
    let other = rig.packet(0, 9);
    rig.packets[other].ttl = 60;
    let (_, done) = rig.route(ms(2), other, Provenance::Neighbour(NodeId(0)));
    assert_eq!(done[..1], [NoFlow(9, 0)]);
    let counted = rig.dsr.counters();
    assert_eq!((counted.flow_unknown_originated, counted.rerr_originated), (2, 0), "no link is broken");
}

#[test]
fn errors_about_flows_are_counted_apart_unless_one_about_a_link_is_with_them() {
    let about = |what| RouteError { salvage: 0, source: NodeId(3), destination: NodeId(0), what };
    let (flow, link) =
        (about(Trouble::DefaultFlowUnknown(NodeId(9))), about(Trouble::Unreachable(NodeId(9))));
    for (errors, expected) in [(vec![flow], (1, 0)), (vec![link, flow], (0, 1)), (vec![], (0, 0))] {
        let mut rig = Rig::new(flowing());
        let message = rig.message(Header { errors, ..Header::default() }, &[3, 1, 0], 1);
        rig.hear(ms(0), message, 3);
        let counted = rig.dsr.counters();
        assert_eq!((counted.flow_unknown_forwarded, counted.rerr_forwarded), expected);
    }
}

#[test]
fn a_source_that_is_told_so_begins_anew() {
    for what in [Trouble::DefaultFlowUnknown(NodeId(9)), Trouble::FlowUnknown(NodeId(9), 1)] {
        let mut rig = Rig::knowing(flowing(), &[&[1, 2, 9]]);
        for at in 0..4 {
            send(&mut rig, at);
        }
        let error = RouteError { salvage: 0, source: NodeId(2), destination: NodeId(1), what };
        let message = rig.message(Header { errors: vec![error], ..Header::default() }, &[2, 1], 1);
        rig.hear(ms(5), message, 2);
        assert_eq!(send(&mut rig, 6), Some((3, true)));
    }
}

/// ns-2: whose flow has been forgotten meanwhile is lost without a word at its source, and no link is broken by it.
#[test]
fn a_source_loses_what_is_given_up_after_its_flow_was_forgotten() {
    for give_up_needs_flow in [false, true] {
        let config = DsrConfig { give_up_needs_flow, ..flowing() };
        let mut rig = Rig::knowing(config, &[&[1, 2, 9]]);
        for at in 0..3 {
            send(&mut rig, at);
        }
        let (known, forgotten) = (rig.packet(1, 9), rig.packet(1, 9));
        for packet in [known, forgotten] {
            assert_eq!(rig.send(ms(3), packet).0, Decision::To(NodeId(2)));
            assert_eq!(rig.header(packet), None);
        }
        let what = Trouble::DefaultFlowUnknown(NodeId(9));
        let error = RouteError { salvage: 0, source: NodeId(2), destination: NodeId(1), what };
        let message = rig.message(Header { errors: vec![error], ..Header::default() }, &[2, 1], 1);
        rig.hear(ms(5), message, 2);
        let (disposal, done) = rig.give_up(ms(6), forgotten, 2);
        let lost = disposal == Disposal::Leave && !done.contains(&Withdraw(2));
        assert_eq!(lost, give_up_needs_flow, "{done:?}");
        if give_up_needs_flow {
            assert_eq!(send(&mut rig, 7), Some((3, true)), "over the link that stands");
            let (disposal, done) = rig.give_up(ms(8), known, 2);
            assert!(
                disposal == Disposal::Taken && done.contains(&Withdraw(2)),
                "its flow is known again: {done:?}"
            );
        }
    }
}

#[test]
fn a_relay_salvages_what_is_given_up_without_a_flow_and_breaks_no_link() {
    let config = DsrConfig { give_up_needs_flow: true, ..flowing() };
    let mut rig = Rig::knowing(config, &[&[1, 0]]);
    comes(&mut rig, 0, true);
    let (_, _, packet) = comes(&mut rig, 1, false);
    rig.packets[packet].ttl = 60; // of another flow than the one that is known
    let (disposal, done) = rig.give_up(ms(2), packet, 2);
    assert_eq!((disposal, &done[..2]), (Disposal::Taken, &[NoFlow(9, 0), Forward(2, 0)][..]));
    assert_eq!(rig.header(packet).and_then(|header| header.route).map(|route| route.salvage), Some(1));
    assert_eq!(rig.dsr.counters().rerr_originated, 0);
    // One whose flow is known breaks it as ever.
    let (_, _, packet) = comes(&mut rig, 3, false);
    let (_, done) = rig.give_up(ms(4), packet, 2);
    assert!(done.contains(&Errors(vec![(1, 2)], 0, 0)) && done.contains(&Withdraw(2)), "{done:?}");
}

/// RFC 4728 §3.5.1: flow numbers are compared modulo 2^16. A late packet of an older flow does not bring its path back.
#[test]
fn a_flow_takes_the_place_of_an_older_one_only() {
    let mut rig = Rig::new(flowing());
    let mut sets_up = |at, id, relay| {
        let packet = rig.packet(0, 9);
        let way = PacketPath { nodes: nodes(&[0, 1, relay, 9]), here: 1, salvage: 0 };
        let flow = Some(FlowHeader { hops: 0, id });
        let header =
            Header { next: 17, flow, timeout: Some(60), route: Some(way.route()), ..Header::default() };
        rig.packets.set_header(packet, Some((Protocol::Dsr, header.emit())));
        rig.route(ms(at), packet, Provenance::Neighbour(NodeId(0)));
        comes(&mut rig, at + 1, false).0
    };
    let to = |node| Decision::To(NodeId(node));
    assert_eq!(sets_up(0, 7, 2), to(2));
    assert_eq!(sets_up(10, 5, 3), to(2), "older");
    assert_eq!(sets_up(20, 7, 3), to(3), "the same on another path");
    assert_eq!(sets_up(30, 9, 2), to(2), "newer");
    assert_eq!(sets_up(40, 32_775, 3), to(3), "newer by 2^15 - 2");
    assert_eq!(sets_up(50, 1, 2), to(2), "newer, since numbers begin again");
}
