//! One node that asks for its neighbours' addresses, and the bytes that it asks with.

use proptest::prelude::*;

use super::wire::{Message, Operation};
use super::{Action, Arp, ArpConfig, ArpKind, Input};
use crate::testing::{cx, instant, timeline, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::address::MOST_NODES;
use crate::wire::{DropReason, Malformed, Packet, PacketId, PacketStore, Protocol, Towards};

const ME: NodeId = NodeId(1);
const B: NodeId = NodeId(2);
const C: NodeId = NodeId(3);
const ALL: NodeId = NodeId::BROADCAST;

struct Rig {
    arp: Arp,
    packets: PacketStore,
}

impl Rig {
    fn new(config: ArpConfig) -> Self {
        let config = ArpConfig { kind: ArpKind::Hold, ..config };
        Self { arp: Arp::new(config, ME), packets: PacketStore::new(1) }
    }

    fn packet(&mut self) -> PacketId {
        udp(&mut self.packets, FlowId(0), NodeId(9), 0, 100)
    }

    /// An ARP packet that has come.
    fn heard(&mut self, bytes: &[u8]) -> Input {
        let payload = self.packets.payload(Protocol::Arp, bytes.into());
        Input::Message(self.packets.create(Packet {
            towards: Towards::Destination,
            ..crate::testing::packet(FlowId::NONE, ALL, 28, payload)
        }))
    }

    fn feed(&mut self, now: SimTime, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        self.arp.handle(&mut cx(now, &mut self.packets), input, &mut out);
        out
    }

    fn dropped(&self, reason: DropReason) -> u64 {
        self.packets.ledger().dropped[reason as usize]
    }
}

fn message(operation: Operation, sender: NodeId, target: NodeId) -> Message {
    Message { operation, sender, target }
}

fn asks(target: NodeId) -> Action {
    Action::Send { body: message(Operation::Request, ME, target).emit(), to: ALL }
}

#[test]
fn the_first_packet_waits_for_the_answer_and_later_ones_do_not() {
    let mut rig = Rig::new(ArpConfig::default());
    let (first, second) = (rig.packet(), rig.packet());
    let reply = rig.heard(&message(Operation::Reply, B, ME).emit());
    timeline! { rig;
        at 0 us:    Input::Packet { packet: first, to: B }  => [asks(B)];
        at 800 us:  reply                                   => [Action::Forward { packet: first, to: B }];
        at 900 us:  Input::Packet { packet: second, to: B } => [Action::Forward { packet: second, to: B }];
        at 100 s:   Input::Packet { packet: first, to: ALL } => [Action::Forward { packet: first, to: ALL }];
    };
    assert!(rig.arp.knows(SimTime::MAX - Dur::from_ns(1), B), "for ever");
    assert_eq!((rig.arp.counters().requests, rig.arp.counters().replies), (1, 0));
}

#[test]
fn a_packet_that_comes_meanwhile_takes_the_place_of_the_one_that_waits() {
    let mut rig = Rig::new(ArpConfig::default());
    let [a, b, c] = [rig.packet(), rig.packet(), rig.packet()];
    assert_eq!(rig.feed(instant("0 s"), Input::Packet { packet: a, to: B }), [asks(B)]);
    assert_eq!(
        rig.feed(instant("0 s"), Input::Packet { packet: c, to: C }),
        [asks(C)],
        "each neighbour has one"
    );
    let out = rig.feed(instant("1 ms"), Input::Packet { packet: b, to: B });
    let [Action::Dropped(dropped), again] = &out[..] else { panic!("{out:?}") };
    assert_eq!((dropped.copy, dropped.reason, again), (a, DropReason::AddressUnresolved, &asks(B)));
    assert_eq!(rig.arp.packets().collect::<Vec<_>>(), [b, c]);
    assert_eq!(rig.arp.counters().displaced, 1);
}

#[test]
fn after_three_requests_without_answer_the_next_packet_and_the_waiting_one_are_given_up() {
    let mut rig = Rig::new(ArpConfig::default());
    let packets: Vec<PacketId> = (0..5).map(|_| rig.packet()).collect();
    let gives_up = |packet| Action::GiveUp { packet, to: B };
    for (at, &packet) in (0..3).zip(&packets) {
        rig.feed(SimTime::from_secs(at), Input::Packet { packet, to: B });
    }
    timeline! { rig;
        at 3 s: Input::Packet { packet: packets[3], to: B } => [gives_up(packets[2]), gives_up(packets[3])];
        at 4 s: Input::Packet { packet: packets[4], to: B } => [asks(B)];
    };
    let counters = rig.arp.counters();
    assert_eq!((counters.requests, counters.displaced, counters.gave_up), (4, 2, 1));
}

#[test]
fn who_is_asked_answers_and_everybody_learns_who_asked() {
    let mut rig = Rig::new(ArpConfig::default());
    let waits = rig.packet();
    rig.feed(instant("0 s"), Input::Packet { packet: waits, to: B });
    let for_me = rig.heard(&message(Operation::Request, C, ME).emit());
    let for_another = rig.heard(&message(Operation::Request, B, C).emit());
    let answer = Action::Send { body: message(Operation::Reply, ME, C).emit(), to: C };
    timeline! { rig;
        at 1 ms: for_me      => [answer];
        at 2 ms: for_another => [Action::Forward { packet: waits, to: B }];
    };
    let now = instant("2 ms");
    assert!(rig.arp.knows(now, B) && rig.arp.knows(now, C));
    assert_eq!((rig.arp.counters().requests, rig.arp.counters().replies), (1, 1));
}

#[test]
fn an_address_is_asked_for_again_when_its_time_is_over() {
    let mut rig = Rig::new(ArpConfig { lifetime: Dur::from_secs(10), ..ArpConfig::default() });
    let reply = rig.heard(&message(Operation::Reply, B, ME).emit());
    rig.feed(instant("1 s"), reply);
    let packet = rig.packet();
    timeline! { rig;
        at 10999 ms: Input::Packet { packet, to: B } => [Action::Forward { packet, to: B }];
        at 11 s:     Input::Packet { packet, to: B } => [asks(B)];
    };
}

#[test]
fn a_node_that_goes_down_loses_what_waits_and_forgets_what_it_knew() {
    let mut rig = Rig::new(ArpConfig::default());
    let reply = rig.heard(&message(Operation::Reply, B, ME).emit());
    rig.feed(instant("1 s"), reply);
    let packet = rig.packet();
    rig.feed(instant("1 s"), Input::Packet { packet, to: C });
    let out = rig.feed(instant("2 s"), Input::Flush);
    assert!(
        matches!(&out[..], [Action::Dropped(dropped)] if dropped.reason == DropReason::NodeDown),
        "{out:?}"
    );
    assert!(!rig.arp.knows(instant("2 s"), B));
    assert_eq!(rig.arp.packets().count(), 0);
}

#[test]
fn bytes_that_are_no_arp_packet_are_a_counted_drop() {
    let right = message(Operation::Request, B, ME).emit();
    for place in [0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 24] {
        let mut rig = Rig::new(ArpConfig::default());
        let mut wrong = right.to_vec();
        wrong[place] ^= 0x55;
        let input = rig.heard(&wrong);
        let out = rig.feed(instant("0 s"), input);
        assert!(matches!(&out[..], [Action::Dropped(_)]), "byte {place}: {out:?}");
        assert_eq!(rig.dropped(DropReason::Malformed), 1, "byte {place}");
    }
    assert_eq!(Message::parse(&right[..27]), Err(Malformed("an ARP packet has 28 bytes")));
}

#[test]
fn a_request_is_laid_out_as_in_rfc_826() {
    let bytes = message(Operation::Request, NodeId(0), NodeId(257)).emit();
    let sender = [0x02, 0, 0, 0, 0, 1, 10, 0, 0, 1];
    let target = [0, 0, 0, 0, 0, 0, 10, 0, 1, 2];
    assert_eq!(bytes[..], [&[0, 1, 8, 0, 6, 4, 0, 1][..], &sender, &target].concat());
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(sender in 0..MOST_NODES, target in 0..MOST_NODES, reply: bool) {
        let operation = if reply { Operation::Reply } else { Operation::Request };
        let written = message(operation, NodeId(sender), NodeId(target));
        prop_assert_eq!(Message::parse(&written.emit()), Ok(written));
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = Message::parse(&bytes);
    }
}
