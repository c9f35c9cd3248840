//! A node that has been down knows nothing of what it knew (what it keeps of RFC 4728 §4 is in memory).

use super::rig::{Done, Rig, config, error, ms, nodes};
use crate::routing::contract::{Input, Provenance, Routing};
use crate::routing::dsr::source_route::PacketPath;
use crate::routing::dsr::wire::{FlowHeader, Header};
use crate::routing::dsr::{DsrConfig, Learn};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::Protocol;
use Done::{Forward, Reply, Request};

fn plain() -> DsrConfig {
    DsrConfig { learn: Learn::Onward, ..config() }
}

/// §4.3: searches and the requests of others begin anew.
#[test]
fn it_searches_from_the_beginning_and_passes_on_what_it_has_passed_on_before() {
    let mut rig = Rig::new(plain());
    let (packet, request) = (rig.packet(1, 9), rig.request(0, 7, 8, &[], 255));
    rig.send(ms(0), packet);
    rig.hear(ms(1), request, 0);
    rig.handle(ms(2), Input::Stop);
    assert!(!rig.dsr.asks_for(NodeId(9)));
    let (packet, request) = (rig.packet(1, 9), rig.request(0, 7, 8, &[], 255));
    assert_eq!(rig.send(ms(3), packet).1[..1], [Request(9, 1)]);
    assert_eq!(rig.hear(ms(4), request, 0)[..1], [Forward(99, 0)]);
}

/// Answers that it held off, ways that it had told, and the error that it would have told are gone.
#[test]
fn it_says_nothing_of_what_it_was_about_to_say() {
    let mut rig = Rig::knowing(DsrConfig { reply_hold_off: Dur::from_ms(10), ..plain() }, &[&[1, 2, 9]]);
    let (request, broken) = (rig.request(0, 7, 9, &[], 255), rig.message(error(2, 8, 1), &[2, 1], 1));
    let told = rig.routed(&[0, 5, 6, 1, 9], 1);
    rig.hear(ms(0), request, 0);
    rig.hear(ms(0), broken, 2);
    assert!(rig.overhear(ms(0), told, 0, 5).contains(&Reply(vec![0, 1, 9], 0)));
    rig.handle(ms(1), Input::Stop);
    assert_eq!(rig.timer(ms(50)), []);
    let again = rig.routed(&[0, 5, 6, 1, 9], 1);
    assert!(rig.overhear(ms(60), again, 0, 5).contains(&Reply(vec![0, 1, 9], 0)), "within the second");
    let wanted = rig.act(ms(70), Input::Wanted(NodeId(7)));
    let crate::routing::contract::Action::Send(message) = &wanted[0] else { panic!("{wanted:?}") };
    assert!(Header::parse(&message.body).expect("its own codec").errors.is_empty());
}

#[test]
fn it_looks_at_what_it_has_heard_before() {
    let mut rig = Rig::new(plain());
    let packet = rig.routed(&[0, 5, 6, 9], 2);
    rig.overhear(ms(0), packet, 5, 6);
    rig.handle(ms(1), Input::Stop);
    assert_eq!(rig.knows(ms(2), 9), None);
    rig.overhear(ms(2), packet, 5, 6);
    assert_eq!(rig.knows(ms(2), 9), Some(vec![1, 5, 6, 9]));
}

/// The node that wanted to know of routes before is not told: nothing in the node waits for them any more.
#[test]
fn it_does_not_speak_of_destinations_that_nobody_asks_for() {
    let mut rig = Rig::new(DsrConfig { poll: Dur::from_ms(30), ..plain() });
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    rig.handle(ms(1), Input::Stop);
    assert_eq!(rig.dsr.waiting.poll_at(), SimTime::MAX);
    let request = rig.request(9, 7, 1, &[], 255);
    assert_eq!(rig.hear(ms(2), request, 9), [Reply(vec![9, 1], 9)]);
}

/// Flows from it, and flows through it.
#[test]
fn its_flows_are_gone() {
    let mut rig = Rig::knowing(DsrConfig { flow_state: true, ..plain() }, &[&[1, 2, 9]]);
    for at in 0..4 {
        let packet = rig.packet(1, 9);
        rig.send(ms(at), packet);
        assert_eq!(rig.header(packet).is_none(), at == 3);
    }
    let through = rig.packet(0, 9);
    let way = PacketPath { nodes: nodes(&[0, 1, 2, 9]), here: 1, salvage: 0 };
    let flow = Some(FlowHeader { hops: 0, id: 7 });
    let header = Header { next: 17, flow, timeout: Some(60), route: Some(way.route()), ..Header::default() };
    rig.packets.set_header(through, Some((Protocol::Dsr, header.emit())));
    let from = Provenance::Neighbour(NodeId(0));
    rig.route(ms(4), through, from);
    rig.handle(ms(5), Input::Stop);
    rig.dsr.known.cache().learn(ms(6), &nodes(&[1, 2, 9]), true);
    rig.dsr.known.cache().learn(ms(6), &nodes(&[1, 0]), true);
    let (own, bare) = (rig.packet(1, 9), rig.packet(0, 9));
    rig.send(ms(6), own);
    assert!(rig.header(own).is_some_and(|header| header.route.is_some()), "set up anew");
    assert_eq!(rig.route(ms(7), bare, from).1[..1], [Done::NoFlow(9, 0)]);
}
