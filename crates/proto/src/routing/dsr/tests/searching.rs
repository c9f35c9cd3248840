//! Time lines of searches.

use super::rig::{Done, Rig, config, error, ms, reply};
use crate::routing::Routing;
use crate::routing::contract::{Decision, Input};
use crate::routing::dsr::{DsrConfig, DsrWire, RreqSize};
use crate::units::{Bytes, Dur, NodeId};
use Done::{Dropped, Forward, Found, Request, Timer};

#[test]
fn a_search_asks_the_neighbours_then_all_and_again_after_growing_pauses() {
    let mut rig = Rig::new(config());
    let packet = rig.packet(1, 9);
    assert_eq!(rig.send(ms(0), packet), (Decision::Waiting, vec![Request(9, 1), Timer(30)]));
    assert_eq!(rig.timer(ms(29)), [Timer(30)], "early");
    assert_eq!(rig.timer(ms(30)), [Request(9, 255), Timer(500)]);
    for (at, next) in [(500, 1500), (1500, 3500), (3500, 7500), (7500, 15_500), (15_500, 25_500)] {
        assert_eq!(rig.timer(ms(at)), [Request(9, 1), Timer(at + 30)], "{at}");
        assert_eq!(rig.timer(ms(at + 30)), [Request(9, 255), Timer(next)], "{at}");
    }
    // 10 s is the longest pause; after 30 s the packet has waited long enough.
    assert_eq!(rig.timer(ms(25_500)), [Request(9, 1), Timer(25_530)]);
    assert_eq!(rig.timer(ms(25_530)), [Request(9, 255), Timer(30_000)]);
    assert_eq!(rig.timer(ms(30_000)), [Dropped("route-timeout")]);
}

#[test]
fn another_packet_waits_for_the_same_search() {
    let mut rig = Rig::new(config());
    let (first, second) = (rig.packet(1, 9), rig.packet(1, 9));
    rig.send(ms(0), first);
    assert_eq!(rig.send(ms(10), second), (Decision::Waiting, vec![Timer(30)]));
}

#[test]
fn without_a_ring_the_search_begins_with_a_flood() {
    let mut rig = Rig::new(DsrConfig { ring_zero: false, ..config() });
    let packet = rig.packet(1, 9);
    assert_eq!(rig.send(ms(0), packet).1, [Request(9, 255), Timer(500)]);
    assert_eq!(rig.timer(ms(500)), [Request(9, 255), Timer(1500)]);
}

#[test]
fn after_so_many_requests_the_packets_are_lost_and_the_next_begins_anew() {
    let mut rig = Rig::new(DsrConfig { request_retries: 2, ..config() });
    let packet = rig.packet(1, 9);
    rig.send(ms(0), packet);
    rig.timer(ms(30));
    rig.timer(ms(500));
    assert_eq!(rig.timer(ms(530)), [Request(9, 255), Timer(1500)]);
    assert_eq!(rig.timer(ms(1500)), [Dropped("no-route")]);
    let next = rig.packet(1, 9);
    assert_eq!(rig.send(ms(1600), next).1, [Request(9, 1), Timer(1630)]);
}

#[test]
fn a_reply_ends_the_search_and_frees_the_packets_in_their_order() {
    let gap = Dur::from_ms(30);
    let mut rig = Rig::new(DsrConfig { release_gap: gap, ..config() });
    let packets = [rig.packet(1, 9), rig.packet(1, 9), rig.packet(1, 8), rig.packet(1, 7)];
    for packet in packets {
        rig.send(ms(0), packet);
    }
    let message = rig.message(reply(&[1, 2, 8, 9]), &[9, 8, 2, 1], 3);
    // 8 lies on the way to 9, and is found too; 7 goes on waiting.
    let expected = [Found(9), Found(8), Forward(2, 0), Forward(2, 30), Forward(2, 60), Timer(30)];
    assert_eq!(rig.hear(ms(20), message, 2), expected);
    assert_eq!(rig.way(packets[0]), (vec![1, 2, 8, 9], 1));
    assert_eq!(rig.way(packets[2]), (vec![1, 2, 8], 1));
    assert_eq!(rig.dsr.packets(), [packets[3]]);
    // The next search for 9 begins at once, whatever had been waited for.
    rig.give_up(ms(40), packets[0], 2);
    let again = rig.packet(1, 9);
    assert_eq!(rig.send(ms(41), again).0, Decision::Waiting);
    assert!(rig.timer(ms(100)).contains(&Request(9, 255)));
}

#[test]
fn polled_searches_go_on_at_the_polls() {
    let poll = Dur::from_ms(30);
    let ns2 = DsrConfig { poll, request_period: Dur::from_secs(2), request_backoff: 4, ..config() };
    let mut rig = Rig::new(ns2);
    let packet = rig.packet(1, 9);
    let first = rig.send(ms(0), packet).1;
    let [Request(9, 1), Timer(mut at)] = first[..] else { panic!("{first:?}") };
    assert!(at <= 60, "{at}");
    let (mut floods, mut rings) = (Vec::new(), vec![0]);
    while at < 29_000 {
        let done = rig.timer(ms(at + 1));
        let Some(Timer(next)) = done.last() else { panic!("{done:?}") };
        assert!((30..=61).contains(&(next - at)), "{at}: {done:?}");
        floods.extend(done.contains(&Request(9, 255)).then_some(at));
        rings.extend(done.contains(&Request(9, 1)).then_some(at));
        at = *next;
    }
    // 2, 8 and 10 s after each other.
    let due = [0, 2000, 10_000, 20_000];
    assert_eq!((rings.len(), floods.len()), (4, 4), "{rings:?} {floods:?}");
    for (ring, due) in rings.iter().zip(due) {
        assert!((due..due + 200).contains(ring), "{rings:?}");
    }
}

#[test]
fn the_next_requests_tell_of_the_last_error_until_one_has_gone_through_the_network() {
    let mut rig = Rig::knowing(config(), &[&[1, 2, 9]]);
    let message = rig.message(error(2, 9, 1), &[2, 1], 1);
    rig.hear(ms(0), message, 2);
    let packet = rig.packet(1, 9);
    let errors = |rig: &mut Rig, now: u64, packet: Option<crate::wire::PacketId>| {
        let mut out = Vec::new();
        let mut cx = crate::testing::cx(ms(now), &mut rig.packets);
        match packet {
            Some(packet) => {
                let from = crate::routing::contract::Provenance::Here;
                rig.dsr.route(&mut cx, packet, from, &mut out);
            }
            None => rig.dsr.handle(&mut cx, crate::routing::contract::Input::Timer, &mut out),
        }
        let sent = out.iter().find_map(|action| match action {
            crate::routing::contract::Action::Send(message) => Some(message.clone()),
            _ => None,
        });
        let sent = sent.expect("a request");
        crate::routing::dsr::wire::Header::parse(&sent.body).expect("its own codec").errors.len()
    };
    assert_eq!(errors(&mut rig, 100, Some(packet)), 1, "ring");
    assert_eq!(errors(&mut rig, 130, None), 1, "flood");
    assert_eq!(errors(&mut rig, 600, None), 0, "told");
    let counted = rig.dsr.counters();
    assert_eq!((counted.rreq_originated, counted.rreq_with_rerr, counted.rerr_originated), (3, 2, 0));
}

/// ns-2 writes address 0 for no node, and so the node of that address takes what its own request tells everybody.
#[test]
fn in_ns2_an_error_on_a_request_is_for_the_first_node_too() {
    for (me, first_node_is_zero, kept) in [(0, true, true), (0, false, false), (1, true, false)] {
        let mut rig = Rig::of(DsrConfig { first_node_is_zero, ..config() }, NodeId(me));
        let request = rig.request_with(error(2, 9, 3), (me, 7, 8), &[4], 20);
        rig.hear(ms(0), request, 4);
        assert_eq!(rig.dsr.requests.has_error(), kept, "node {me}, {first_node_is_zero}");
    }
}

#[test]
fn requests_grow_as_the_profile_says() {
    use crate::routing::dsr::source_route::Form;
    use crate::routing::dsr::wire::{Header, Request};
    let size = |config: &DsrConfig, relays: u32| {
        let addresses = (0..relays).map(NodeId).collect();
        let request = Request { id: 1, target: NodeId(9), addresses };
        let header = Header { next: 59, request: Some(request), ..Header::default() };
        Form::new(config, Bytes(20)).message(&header).1.get()
    };
    let ns2 = DsrConfig { wire: DsrWire::Ns2, rreq_size: RreqSize::Cumulative, ..config() };
    // The node adds 20 to each, ns-2's second IP header, which messages do not have.
    assert_eq!([0, 1, 2, 3].map(|relays| size(&ns2, relays) + 20), [32, 48, 68, 92]);
    assert_eq!([0, 1, 2, 3].map(|relays| size(&config(), relays)), [32, 36, 40, 44]);
}

#[test]
fn ns2_sizes_of_replies_and_errors() {
    use crate::routing::dsr::source_route::{Form, PacketPath};
    let ns2 = DsrConfig { wire: DsrWire::Ns2, ..config() };
    let size = |config: &DsrConfig, mut header: crate::routing::dsr::wire::Header, back: &[u32]| {
        header.route = Some(PacketPath::begin(super::rig::nodes(back), 0).route());
        Form::new(config, Bytes(0)).message(&header).1.get()
    };
    assert_eq!(size(&ns2, reply(&[0, 1, 2, 3]), &[3, 2, 1, 0]), 60, "the target's, over three hops");
    assert_eq!(size(&ns2, reply(&[0, 1, 2, 3]), &[1, 0]), 52, "a neighbour's");
    assert_eq!(size(&ns2, error(3, 2, 4), &[3, 4]), 44);
    assert_eq!(size(&config(), reply(&[0, 1, 2, 3]), &[3, 2, 1, 0]), 52);
}

#[test]
fn a_full_buffer_loses_the_oldest() {
    let mut rig = Rig::new(DsrConfig { send_buffer: 2, ..config() });
    let packets = [rig.packet(1, 9), rig.packet(1, 8), rig.packet(1, 9)];
    rig.send(ms(0), packets[0]);
    rig.send(ms(1), packets[1]);
    let (_, done) = rig.send(ms(2), packets[2]);
    assert_eq!(done[0], Dropped("route-buffer-full"));
    assert_eq!(rig.dsr.packets(), packets[1..]);
}

/// The node that wants a route without a packet has the whole network asked once each time; not where there is a route,
/// or a search.
#[test]
fn a_route_is_asked_for_without_a_packet() {
    let mut rig = Rig::new(config());
    let wanted = |to| Input::Wanted(NodeId(to));
    assert_eq!(rig.handle(ms(0), wanted(9)), [Request(9, 255)]);
    assert_eq!(rig.handle(ms(2000), wanted(9)), [Request(9, 255)]);
    assert_eq!(rig.handle(ms(2000), wanted(1)), [], "itself");
    let packet = rig.packet(1, 8);
    rig.send(ms(3000), packet);
    assert_eq!(rig.handle(ms(3001), wanted(8)), [Timer(3030)], "a packet waits for it");
    let mut knowing = Rig::knowing(config(), &[&[1, 2, 9]]);
    assert_eq!(knowing.handle(ms(1), wanted(9)), [Found(9)], "there is one");
}

/// What the other layers read of a packet that waits; and frames for others, if it is configured to hear them.
#[test]
fn what_waits_and_whether_it_listens_can_be_read() {
    use crate::routing::Routing;
    for promiscuous in [false, true] {
        let mut rig = Rig::new(DsrConfig { promiscuous, ..config() });
        assert_eq!(rig.dsr.overhears(), promiscuous);
        let packet = rig.packet(1, 9);
        rig.send(ms(5), packet);
        let waits = rig.dsr.awaited();
        let read: Vec<_> = waits.iter().map(|it| (it.packet, it.destination, it.since, it.asked)).collect();
        assert_eq!(read, [(packet, NodeId(9), ms(5), true)]);
    }
}
