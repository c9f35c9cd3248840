//! The packet store: custody, holds, bodies.

use super::*;
use crate::units::{NodeId, SimTime};
use crate::wire::LinkHeader;
use crate::wire::{DropReason, Towards, UdpDatagram};

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
        mac_sequence: 0,
        forced: false,
        link: LinkHeader::default(),
        header: None,
        payload,
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        head_of_line: SimTime::ZERO,
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
