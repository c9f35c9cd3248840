//! Where the cause of a loss is noted.

use multihop_proto::contract::{Cx, drop_packet};
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, NodeId, SimTime};
use multihop_proto::wire::{
    BatchId, DropReason, Fate, Frame, FrameKind, GiveUp, PacketId, PacketStore, Segment, UserPriority, flags,
};

use super::{CHAIN, Read, Shared, packet, scenario};
use crate::probe::Tap;
use crate::probe::pcap::Capture;

/// A capture of three nodes, driven by hand.
struct Hand {
    capture: Box<Capture<Shared>>,
    files: Vec<Shared>,
    packets: PacketStore,
    now: SimTime,
}

impl Hand {
    fn new() -> Self {
        let files = vec![Shared::default(), Shared::default(), Shared::default()];
        let mut sinks = files.iter().cloned();
        let open = |_: &str| sinks.next().ok_or("three nodes");
        let capture = Box::new(Capture::new(&scenario(CHAIN, &[]), u64::MAX, open).expect("three sinks"));
        let mut packets = PacketStore::new(1);
        packets.keep_lost();
        Self { capture, files, packets, now: SimTime::ZERO }
    }

    fn make(&mut self) -> PacketId {
        self.packets.create(packet(Segment { len: 1460, flags: flags::ACK, ..Segment::default() }))
    }

    /// A millisecond later a data frame leaves node `from`.
    fn send(&mut self, from: u32, packet: PacketId, retry: bool) -> Frame {
        let frame = Frame {
            kind: FrameKind::Data,
            retry,
            more: false,
            sequence: 1,
            from: NodeId(from),
            to: NodeId(from + 1),
            packet,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size: Bytes(1534),
            duration: Dur::ZERO,
            tx: TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long),
            airtime: Dur::from_us(500),
        };
        self.now += Dur::from_ms(1);
        self.capture.sent(self.now, &frame, &self.packets);
        frame
    }

    /// It ends half a millisecond later at its addressee, which takes a copy of its packet.
    fn receive(&mut self, frame: &Frame) -> PacketId {
        self.now += frame.airtime;
        self.capture.received(self.now, frame.to, 1e-9, frame, &self.packets);
        self.packets.receive(frame.packet)
    }

    fn lose(&mut self, node: u32, packet: PacketId, reason: DropReason) {
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        let dropped = drop_packet(&mut cx, packet, reason);
        self.capture.dropped(self.now, NodeId(node), &dropped, Some(GiveUp::Contention));
    }

    /// The records of each node.
    fn finish(self) -> Vec<Vec<Read>> {
        self.capture.finish(&self.packets).expect("memory does not fail");
        self.files.iter().map(Shared::records).collect()
    }
}

fn comments(records: &[Read]) -> Vec<(u32, Option<&str>)> {
    records.iter().map(|record| (record.interface, record.comment.as_deref())).collect()
}

#[test]
fn the_last_frame_of_a_lost_packet_says_why() {
    let mut hand = Hand::new();
    let (lost, other) = (hand.make(), hand.make());
    hand.send(0, lost, false);
    hand.send(0, lost, true);
    hand.send(0, other, false); // kept meanwhile, and offered again later
    hand.lose(0, lost, DropReason::RetryLimitData);
    let nodes = hand.finish();
    assert_eq!(comments(&nodes[0]), [(0, None), (0, Some("lost: contention (data)")), (0, None)]);
}

#[test]
fn a_duplicate_from_behind_does_not_take_the_note() {
    let mut hand = Hand::new();
    let packet = hand.make();
    let frame = hand.send(0, packet, false);
    let copy = hand.receive(&frame);
    hand.send(1, copy, false);
    let again = hand.send(0, packet, true);
    let duplicate = hand.receive(&again);
    hand.packets.end(duplicate, Fate::Delivered);
    hand.lose(1, copy, DropReason::RetryLimitRts);
    let nodes = hand.finish();
    assert_eq!(comments(&nodes[1]), [(0, None), (0, Some("lost: contention (rts)")), (0, None)]);
}

#[test]
fn a_packet_lost_on_arrival_is_noted_on_the_frame_that_brought_it() {
    let mut hand = Hand::new();
    let packet = hand.make();
    let frame = hand.send(0, packet, false);
    let copy = hand.receive(&frame);
    hand.lose(1, copy, DropReason::QueueFull);
    let nodes = hand.finish();
    assert_eq!(comments(&nodes[0]), [(0, None)]);
    assert_eq!(comments(&nodes[1]), [(0, Some("lost on arrival: queue full"))]);
}

#[test]
fn packets_that_were_never_sent_have_an_interface_of_their_own() {
    let mut hand = Hand::new();
    let packet = hand.make();
    let frame = hand.send(0, packet, false);
    let copy = hand.receive(&frame);
    hand.now += Dur::from_ms(1);
    hand.lose(1, copy, DropReason::RetryLimitRts);
    let nodes = hand.finish();
    assert_eq!(comments(&nodes[1]), [(0, None), (1, Some("never sent: contention (rts)"))]);
    let (sent, lost) = (nodes[0][0].datagram(), nodes[1][1].datagram());
    assert_eq!(sent, lost, "the packet as it was");
}

#[test]
fn a_frame_waits_for_its_packet_only_so_long() {
    let mut hand = Hand::new();
    let kept = hand.make();
    hand.send(0, kept, false);
    for _ in 0..super::super::capture::MOST_WAITING + 1 {
        let other = hand.make();
        hand.send(0, other, false);
        hand.packets.end(other, Fate::HandedOver);
    }
    assert!(hand.files[0].records().iter().all(|record| record.comment.is_none()), "written already");
    hand.lose(0, kept, DropReason::RetryLimitData);
    let nodes = hand.finish();
    let last = nodes[0].last().map(|record| (record.interface, record.comment.as_deref()));
    assert_eq!(last, Some((1, Some("lost later: contention (data)"))));
}

#[test]
fn a_frame_that_is_over_is_written_at_once() {
    let mut hand = Hand::new();
    for _ in 0..3 {
        let packet = hand.make();
        hand.send(0, packet, false);
        hand.packets.end(packet, Fate::HandedOver);
    }
    assert_eq!(hand.files[0].records().len(), 2, "all but the latest");
}
