//! The tap that captures: has each transmission encoded once, and files it at its sender and at all nodes that receive
//! it.
//!
//! A frame that carries a packet waits in memory while the packet's fate at its sender is open, and the frames after
//! it wait behind it: if the packet is lost, the cause goes onto the last frame of this node that carried it. What
//! was never sent goes to an interface of its own (see [`super::writer`]).
//!
//! All files of a run together have a limit. The first record beyond it is the last one of its file and says so; from
//! then on the same holds for the next record of every other file. Each file is whole up to there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;

use multihop_proto::contract::{Dropped, Stations};
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::causes::cause;
use multihop_proto::wire::{Bitmap, DropReason, Frame, FrameKind, GiveUp, LostPacket, PacketId, PacketStore};

use super::budget::Budget;
use super::channel::tuned;
use super::datagram::{Datagrams, is_datagram};
use super::on_air::{Carried, Encoder, OnAir, Record};
use super::radiotap::Radio;
use super::waiting::{Content, Waiting};
use super::writer::{Direction, NodeFile, Reception};
use crate::probe::{Tap, Traced};
use crate::scenario::Resolved;

/// Records that may wait at a node. Beyond that the oldest is written; if its packet is lost after all, the loss has
/// a record of its own.
pub(super) const MOST_WAITING: usize = 8_192;

/// Bytes of a record beside the captured ones and the comment: block, flags, end of the options, padding.
const RECORD: usize = 32 + 8 + 4 + 4 + 8;

/// Captures what every node sends and receives into one sink per node.
pub struct Capture<W: Write> {
    budget: Budget,
    encoder: Encoder,
    /// By station.
    radios: Vec<Radio>,
    stations: Stations,
    /// What each station is sending, or has sent last.
    on_air: Vec<Option<OnAir>>,
    nodes: Vec<NodeCapture<W>>,
    buffer: Vec<u8>,
}

/// One node's file, and what waits to be written to it.
struct NodeCapture<W: Write> {
    file: NodeFile<W>,
    /// The limit was reached: nothing more is filed.
    closed: bool,
    waiting: VecDeque<Waiting>,
    /// Number of the first record that waits.
    first: u64,
    /// The last record that waits and in which this node sends a packet.
    last: BTreeMap<Carried, u64>,
    /// Packets whose last frame could not wait for their fate.
    gone: BTreeSet<Carried>,
}

impl<W: Write> Capture<W> {
    /// A capture of a run of `scenario` that opens a sink for each node, in their order. All files together take at
    /// most `limit` bytes, and one record more each.
    ///
    /// # Errors
    /// What `open` says. Errors of writing are kept for the end.
    pub fn new<E>(
        scenario: &Resolved,
        limit: u64,
        mut open: impl FnMut(&str) -> Result<W, E>,
    ) -> Result<Self, E> {
        let (encoder, stations) = (Encoder::new(scenario), scenario.stations());
        let mut nodes = Vec::with_capacity(scenario.nodes.len());
        for (place, number) in scenario.nodes.iter().zip(0..) {
            let wired = scenario.wires.iter().any(|wire| wire.ends.contains(&NodeId(number)));
            let sink = open(&place.name)?;
            let radios: Vec<NodeId> = stations.of(NodeId(number)).collect();
            let own = (NodeId(number), &radios[..]);
            let file = NodeFile::new(sink, own, &scenario.nodes, encoder.link_type(), wired);
            nodes.push(NodeCapture {
                file,
                closed: false,
                waiting: VecDeque::new(),
                first: 0,
                last: BTreeMap::new(),
                gone: BTreeSet::new(),
            });
        }
        let radio = |frequency| Radio::new(&scenario.config.air, frequency);
        let used = nodes.iter().map(|node| node.file.bytes()).sum();
        Ok(Self {
            budget: Budget { limit, used, spent: false, stopped: None },
            encoder,
            radios: tuned(scenario, &stations).into_iter().map(radio).collect(),
            on_air: (0..stations.count()).map(|_| None).collect(),
            stations,
            nodes,
            buffer: Vec::new(),
        })
    }

    /// Files a frame at the node of a station, then writes what has waited long enough there.
    fn file(
        &mut self,
        now: SimTime,
        station: NodeId,
        frame: &Frame,
        packets: &PacketStore,
        received_at: Option<f64>,
    ) {
        let node = self.stations.node_of(station);
        if self.nodes[node.index()].closed {
            return;
        }
        let known = self.on_air[frame.from.index()].take().filter(|on_air| on_air.frame == *frame);
        let on_air = known.unwrap_or_else(|| self.encoder.encode(frame, packets));
        let radio = self.stations.of(node).take_while(|&other| other != station).count() as u32; // a few
        let capture = &mut self.nodes[node.index()];
        let several = packets.mpdus(frame.batch).len() > 1;
        // Others hear of one MPDU that came through for all of them.
        let judged = received_at.is_some() && frame.kind == FrameKind::Data && frame.to == station;
        let intact = if judged { packets.map(frame.batch) } else { Bitmap::ALL };
        for (_, part) in (0..).zip(&on_air.parts).filter(|&(place, _)| intact.has(place)) {
            let direction = match received_at {
                None => Direction::Outbound(radio),
                Some(_) => Direction::Inbound(reception(part, station), radio),
            };
            let radiotap = match received_at {
                _ if self.encoder.has_own_frames() => Vec::new(),
                None => self.radios[station.index()].sent(frame, now, several),
                Some(power) => self.radios[station.index()].received(frame, now, power, several),
            };
            let content = Content::Frame { radiotap, part: part.clone() };
            capture.push(Waiting { at: now, direction, content, comment: None });
        }
        self.on_air[frame.from.index()] = Some(on_air);
        self.write_settled(node, now, packets);
    }

    /// Writes the records of a node whose packets have met their fate there.
    fn write_settled(&mut self, node: NodeId, now: SimTime, packets: &PacketStore) {
        let capture = &mut self.nodes[node.index()];
        while let Some(front) = capture.waiting.front() {
            // A packet may still be lost in the instant in which it arrives.
            let settled = front.at < now && !capture.is_open(front, packets);
            if !settled && capture.waiting.len() <= MOST_WAITING {
                break;
            }
            capture.write_front(
                settled,
                &self.encoder.datagrams,
                packets,
                &mut self.buffer,
                &mut self.budget,
            );
        }
    }
}

impl<W: Write + Send> Tap for Capture<W> {
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore) {
        self.on_air[frame.from.index()] = None;
        self.file(now, frame.from, frame, packets, None);
    }

    fn received(&mut self, now: SimTime, node: NodeId, power: f64, frame: &Frame, packets: &PacketStore) {
        self.file(now, node, frame, packets, Some(power));
    }

    fn over_wire(
        &mut self,
        now: SimTime,
        (from, to): (NodeId, NodeId),
        sent: bool,
        packet: PacketId,
        packets: &PacketStore,
    ) {
        let (node, direction) =
            if sent { (from, Direction::WireOutbound) } else { (to, Direction::WireInbound) };
        let capture = &mut self.nodes[node.index()];
        if capture.closed {
            return;
        }
        let carried = packets.carried(packet);
        if !is_datagram(&carried) {
            return; // the interface of the wire has no other
        }
        let mut datagram = Vec::new();
        self.encoder.datagrams.append(&mut datagram, &carried);
        let carries = Carried { uid: packets[packet].uid, copy: packet };
        let content = Content::Wired { datagram, carries };
        capture.push(Waiting { at: now, direction, content, comment: None });
        self.write_settled(node, now, packets);
    }

    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped, why: Option<GiveUp>) {
        self.nodes[node.index()].lose(now, dropped, &cause(dropped.reason, why).name());
    }

    fn pause(&mut self, now: SimTime, packets: &PacketStore) {
        for (number, node) in (0..).map(NodeId).zip(0..self.nodes.len()) {
            self.write_settled(number, now, packets);
            self.nodes[node].keep_lost(&self.encoder.datagrams, packets);
        }
    }

    fn finish(mut self: Box<Self>, packets: &PacketStore) -> Result<Option<Traced>, String> {
        for capture in &mut self.nodes {
            while !capture.waiting.is_empty() {
                capture.write_front(
                    true,
                    &self.encoder.datagrams,
                    packets,
                    &mut self.buffer,
                    &mut self.budget,
                );
            }
        }
        let Budget { limit, used: bytes, stopped, .. } = self.budget;
        self.nodes.into_iter().try_for_each(|capture| capture.file.finish())?;
        Ok(Some(Traced { bytes, limit, stopped }))
    }
}

impl<W: Write> NodeCapture<W> {
    fn push(&mut self, record: Waiting) {
        let number = self.first + self.waiting.len() as u64;
        for &carried in record.sends() {
            self.last.insert(carried, number);
            self.gone.remove(&carried);
        }
        self.waiting.push_back(record);
    }

    /// Whether a packet that the first record carries is still in this node's custody, and no later record
    /// carries it.
    fn is_open(&self, front: &Waiting, packets: &PacketStore) -> bool {
        front.sends().iter().any(|carried| {
            self.last.get(carried) == Some(&self.first)
                && packets[carried.copy].uid == carried.uid
                && packets.in_custody(carried.copy)
        })
    }

    /// Keeps what waits and is about to be forgotten, and forgets what is over.
    fn keep_lost(&mut self, datagrams: &Datagrams, packets: &PacketStore) {
        for record in &mut self.waiting {
            if let Content::Lost(loss) = record.content {
                record.content = Content::Datagram(datagram(loss, datagrams, packets));
            }
        }
        self.gone.retain(|gone| packets[gone.copy].uid == gone.uid && packets.in_custody(gone.copy));
    }

    /// A packet was lost here: says so on the last frame that carried it, or makes a record of its own.
    fn lose(&mut self, now: SimTime, dropped: &Dropped, cause: &str) {
        if self.closed {
            return;
        }
        let lost = Carried { uid: dropped.uid, copy: dropped.copy };
        let last = self.last.get(&lost).map(|number| (number - self.first) as usize);
        if let Some(record) = last.and_then(|index| self.waiting.get_mut(index)) {
            let lost = format!("lost: {cause}");
            record.comment =
                Some(record.comment.take().map_or_else(|| lost.clone(), |it| format!("{it}; {lost}")));
            return;
        }
        let on_air = dropped.reason.is_give_up();
        let mut latest = self.waiting.iter_mut().rev().take_while(|record| record.at == now);
        if let Some(record) = latest.find(|record| !on_air && record.brings(dropped.uid)) {
            record.comment = Some(format!("lost on arrival: {cause}"));
            return;
        }
        let sent = match dropped.reason {
            _ if self.gone.remove(&lost) => "lost later",
            DropReason::WireLoss | DropReason::WireCut => "lost on the way here",
            _ => "never sent",
        };
        self.waiting.push_back(Waiting {
            at: now,
            direction: Direction::Unsent,
            content: Content::Lost(dropped.loss),
            comment: Some(format!("{sent}: {cause}")),
        });
    }

    /// Writes the first record. `settled`: its packet's fate is known.
    fn write_front(
        &mut self,
        settled: bool,
        datagrams: &Datagrams,
        packets: &PacketStore,
        buffer: &mut Vec<u8>,
        budget: &mut Budget,
    ) {
        let Some(record) = self.waiting.pop_front() else { return };
        for carried in record.sends() {
            if self.last.get(carried) == Some(&self.first) {
                self.last.remove(carried);
                if !settled {
                    self.gone.insert(*carried);
                }
            }
        }
        self.first += 1;
        buffer.clear();
        match &record.content {
            Content::Frame { radiotap, part } => {
                buffer.extend_from_slice(radiotap);
                buffer.extend_from_slice(&part.mpdu);
            }
            Content::Lost(loss) => buffer.extend(datagram(*loss, datagrams, packets)),
            Content::Datagram(datagram) | Content::Wired { datagram, .. } => {
                buffer.extend_from_slice(datagram)
            }
        }
        if buffer.is_empty() {
            return; // no IP datagram, as the interface of unsent packets has them
        }
        let note = match &record.content {
            Content::Frame { part, .. } => part.note.as_deref(),
            Content::Lost(_) | Content::Datagram(_) | Content::Wired { .. } => None,
        };
        let mut comment = match (note, record.comment) {
            (Some(note), Some(comment)) => Some(format!("{note}; {comment}")),
            (note, comment) => comment.or_else(|| note.map(ToOwned::to_owned)),
        };
        if !budget.takes(buffer.len() + RECORD + comment.as_ref().map_or(0, String::len)) {
            self.close(record.at, budget);
            let end = format!("the capture ends here, at its limit of {} bytes", budget.limit);
            comment = Some(comment.map_or_else(|| end.clone(), |comment| format!("{comment}; {end}")));
        }
        let before = self.file.bytes();
        self.file.record(record.at, record.direction, buffer, comment.as_deref());
        budget.used += self.file.bytes().saturating_sub(before); // none after an error
    }

    /// The record of this instant is the last one here.
    fn close(&mut self, at: SimTime, budget: &mut Budget) {
        self.closed = true;
        self.waiting = VecDeque::new();
        self.last.clear();
        self.gone.clear();
        budget.stopped = Some(budget.stopped.map_or(at, |stopped| stopped.min(at)));
    }
}

/// The lost packet of the loss of this number, encoded; nothing if it has been forgotten, or is no datagram.
fn datagram(loss: u64, datagrams: &Datagrams, packets: &PacketStore) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(carried) = find(packets.lost(), loss).map(LostPacket::carried).filter(is_datagram) {
        datagrams.append(&mut bytes, &carried);
    }
    bytes
}

/// The lost packet of the loss of this number.
fn find(lost: &[LostPacket], loss: u64) -> Option<&LostPacket> {
    lost.binary_search_by_key(&loss, |lost| lost.loss).ok().map(|place| &lost[place])
}

fn reception(part: &Record, node: NodeId) -> Reception {
    if part.to == node || part.second == Some(node) {
        Reception::Unicast
    } else if part.to.is_broadcast() {
        Reception::Broadcast
    } else {
        Reception::Promiscuous
    }
}
