//! The packet store: custody, holds, bodies.

use std::sync::Arc;

use super::*;
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{
    DropReason, Dscp, LinkHeader, Opaque, Payload, Protocol, Towards, UdpDatagram, UserPriority,
};

fn packet(flow: FlowId, payload: Payload) -> Packet {
    Packet {
        uid: 0,
        flow,
        source: NodeId(0),
        maker: NodeId(0),
        destination: NodeId(1),
        towards: Towards::Destination,
        size: Bytes(100),
        ttl: 64,
        forced: false,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
        header: None,
        payload,
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
    }
}

/// Of two copies the one that is lost is spare, the other is not; what comes twice arrives once.
#[test]
fn where_copies_are_told_apart_a_packet_ends_once() {
    let mut store = PacketStore::new(1);
    store.tell_copies();
    let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
    let lose = |store: &mut PacketStore, id| {
        let mut cx = crate::testing::cx(SimTime::ZERO, store);
        crate::contract::drop_packet(&mut cx, id, DropReason::LifetimeOver).spare
    };
    let first = store.create(packet(FlowId(0), udp));
    let relay = store.receive(first);
    assert!(lose(&mut store, first), "the relay has it");
    assert!(!lose(&mut store, relay), "nobody has it");
    let second = store.create(packet(FlowId(0), udp));
    let copies = [store.receive(second), store.receive(second)];
    for copy in copies {
        store.end(copy, Fate::Delivered);
    }
    assert!(lose(&mut store, second), "it has arrived");
    let ledger = store.ledger();
    let of = |by: Absorbed| ledger.absorbed[by as usize];
    assert_eq!(
        (ledger.created, ledger.delivered, of(Absorbed::SecondArrival), of(Absorbed::Spare)),
        (2, 1, 1, 2)
    );
    assert_eq!((ledger.dropped.iter().sum::<u64>(), ledger.inside()), (1, Some(0)));
}

#[test]
fn every_custody_is_accounted_for() {
    let mut store = PacketStore::new(1);
    let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
    let first = store.create(packet(FlowId(0), udp));
    let relay = store.receive(first);
    store.receive_duplicate(first); // the MAC Ack was lost once
    store.end(first, Fate::HandedOver);
    store.end(relay, Fate::Dropped(DropReason::QueueFull));
    let second = store.create(packet(FlowId(0), udp));
    let ledger = store.ledger();
    assert_eq!((ledger.created, ledger.copied(), ledger.inside()), (2, 1, Some(1)));
    assert_eq!(ledger.inside(), Some(store.live() as u64));
    assert_eq!(store[second].uid, 2);
}

#[test]
fn a_transmission_holds_its_packets_until_it_is_over() {
    let mut store = PacketStore::new(1);
    let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
    let (first, second) = (store.create(packet(FlowId(0), udp)), store.create(packet(FlowId(0), udp)));
    let (to, part) = (NodeId(1), crate::wire::FramePart { to: NodeId(2), packet: second });
    let frame = Frame { packet: first, second: Some(part), ..crate::testing::control_frame(to) };
    store.hold(first);
    store.hold(second);
    store.hold(first); // sent again while it still arrives somewhere
    store.end(first, Fate::Dropped(DropReason::RetryLimitData));
    assert_eq!((store.live(), store.holds()), (1, 3));
    let other = store.create(packet(FlowId(0), udp));
    assert!(other != first && other != second, "the place is taken");
    let copy = store.receive(first);
    assert_eq!(store[copy].uid, store[first].uid);
    store.release(&frame);
    assert!(!store.in_custody(first) && store.in_custody(second));
    store.release(&Frame { second: None, ..frame });
    assert_eq!(store.holds(), 0);
    assert_eq!(store.create(packet(FlowId(0), udp)), first, "and now it is free");
}

#[test]
#[should_panic(expected = "on the air")]
fn nobody_receives_what_is_not_on_the_air() {
    let mut store = PacketStore::new(1);
    let id = store.create(packet(FlowId(0), Payload::Udp(UdpDatagram { number: 0, len: 72 })));
    store.end(id, Fate::Delivered);
    let _ = store.receive(id);
}

#[test]
fn lost_packets_are_kept_when_a_trace_asks() {
    let mut store = PacketStore::new(1);
    let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
    let (first, second) = (store.create(packet(FlowId(0), udp)), store.create(packet(FlowId(0), udp)));
    for id in [first, second] {
        store.note_loss(id);
        store.end(id, Fate::Dropped(DropReason::QueueFull));
        store.keep_lost();
    }
    assert_eq!(store.lost().iter().map(|lost| (lost.loss, lost.packet.uid)).collect::<Vec<_>>(), [(2, 2)]);
    store.forget_lost();
    assert!(store.lost().is_empty());
}

#[test]
fn a_message_lives_as_long_as_its_last_copy() {
    let mut store = PacketStore::new(0);
    let payload = store.payload(Protocol::Experimental, Arc::from([1, 2, 3]));
    let sent = store.create(packet(FlowId::NONE, payload));
    let heard = store.receive(sent);
    store.end(sent, Fate::Absorbed(Absorbed::Broadcast));
    assert_eq!(store.message(heard).expect("still held").len(), 3);
    store.end(heard, Fate::Delivered);
    assert_eq!(store.bodies.live(), 0);
}

#[test]
fn each_copy_has_a_header_of_its_own_to_change() {
    let mut store = PacketStore::new(1);
    let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
    let sent = store.create(packet(FlowId(0), udp));
    let header = |bytes: &[u8]| Some((Protocol::Experimental, Arc::from(bytes)));
    store.set_header(sent, header(&[1, 2, 3, 4]));
    let copy = store.receive(sent);
    store[copy].header.as_mut().expect("a header").cursor = 1;
    assert_eq!((store[sent].size, store[copy].size), (Bytes(104), Bytes(104)));
    assert!(Arc::ptr_eq(store.header(sent).expect("one"), store.header(copy).expect("one")));
    assert_eq!(store.bodies.live(), 1, "shared");
    store.set_header(copy, header(&[5; 8]));
    assert_eq!((store[copy].size, store[copy].header.map(|header| header.cursor)), (Bytes(108), Some(0)));
    assert_eq!(**store.header(sent).expect("untouched"), [1, 2, 3, 4]);
    store.set_header(copy, None);
    assert_eq!((store[copy].size, store.header(copy)), (Bytes(100), None));
    for id in [sent, copy] {
        store.end(id, Fate::Delivered);
    }
    assert_eq!(store.bodies.live(), 0);
}

/// A flow's packets have its codepoint in both directions, routing messages theirs, and a datagram of another stack
/// what its header says.
#[test]
fn a_packet_has_the_codepoint_of_its_flow() {
    let mut store = PacketStore::new(2);
    let udp = |number| Payload::Udp(crate::wire::UdpDatagram { number, len: 100 });
    store.set_dscp(FlowId(1), Dscp::EF);
    store.set_dscp(FlowId::NONE, Dscp::CS6);
    let plain = store.create(packet(FlowId(0), udp(0)));
    let voice = store.create(packet(FlowId(1), udp(0)));
    let back = store.create(Packet { towards: Towards::Source, ..packet(FlowId(1), udp(1)) });
    let message = store.payload(Protocol::Dsdv, Arc::from([1u8]));
    let routing = store.create(packet(FlowId::NONE, message));
    let request = store.payload(Protocol::Ethernet, Arc::from([1u8]));
    let frame = store.create(packet(FlowId::NONE, request));
    let bytes: Arc<[u8]> = Arc::from([0, 0, 0x45, 34 << 2 | 1]);
    let opaque =
        store.opaque(bytes, |body| Opaque { protocol: 17, ecn: 0, head: 2, position: None, len: 0, body });
    let foreign = store.create(packet(FlowId(1), opaque));
    let all = [plain, voice, back, routing, frame, foreign].map(|id| store.dscp(id).to_string());
    assert_eq!(all, ["CS0", "EF", "EF", "CS6", "CS0", "AF41"]);
    assert_eq!(store.carried(voice).dscp, Dscp::EF);
    store.keep_lost();
    store.note_loss(voice);
    assert_eq!(store.lost()[0].carried().dscp, Dscp::EF);
}
