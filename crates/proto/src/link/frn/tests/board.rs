//! A blackboard: links of several nodes, slot by slot. What is sent reaches every neighbour that is not sending itself
//! and has not been told to miss it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::contract::{Class, NextHopChoice, NextHops};
use crate::link::frn::{Clock, Frn, FrnConfig};
use crate::link::{Action, End, Input, PacketLink};
use crate::mac::{Sensed, Timer};
use crate::testing::{cx, packet};
use crate::units::{Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{
    Absorbed, DropReason, Fate, Frame, FrameKind, Packet, PacketId, PacketKind, PacketStore, Payload,
    Segment, Towards, UdpDatagram,
};

/// Which node leads to which: by node and destination, with their classes.
pub(super) type Routes = BTreeMap<(u32, u32), Vec<(u32, Class)>>;

/// The next hops of one node, by destination.
struct Here(BTreeMap<NodeId, Vec<NextHopChoice>>);

impl Here {
    fn of(node: u32, routes: &Routes) -> Self {
        let way = |&(neighbour, class): &(u32, Class)| NextHopChoice { neighbour: NodeId(neighbour), class };
        let from_here = routes.iter().filter(|((from, _), _)| *from == node);
        Self(
            from_here
                .map(|((_, to), next_hops)| (NodeId(*to), next_hops.iter().map(way).collect()))
                .collect(),
        )
    }
}

impl NextHops for Here {
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        self.0.get(&destination).map_or(&[], Vec::as_slice)
    }
}

/// How a packet left a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Delivered(u32),
    GaveUp(u32),
    Broadcast,
    Dropped(DropReason),
}

pub(super) struct Board {
    pub(super) nodes: Vec<Frn>,
    pub(super) packets: PacketStore,
    neighbours: Vec<Vec<usize>>,
    pub(super) routes: Routes,
    /// Packets that are to be sent on, with their nodes, where the network layer keeps them for a while.
    pub(super) upstairs: Option<Vec<(usize, PacketId)>>,
    /// Which node misses everything in which slot.
    pub(super) deaf: Vec<(usize, u64)>,
    alarms: BTreeMap<(usize, u8), SimTime>,
    on_air: Vec<(SimTime, Frame)>,
    /// Every frame, with the instant at which it began.
    pub(super) sent: Vec<(SimTime, Frame)>,
    said: Vec<(u64, usize, String)>,
    /// Packets that reached their destination, by number.
    pub(super) arrived: Vec<u64>,
    /// How packets left the link of a node.
    pub(super) left: Vec<(usize, u64, Left)>,
    pub(super) room: Vec<usize>,
    pub(super) now: SimTime,
    config: FrnConfig,
}

impl Board {
    /// Nodes with these links between them.
    pub(super) fn new(config: &FrnConfig, count: usize, links: &[(usize, usize)]) -> Self {
        config.check().unwrap_or_else(|wrong| panic!("{wrong:?}"));
        let link = |index: usize| {
            let rng = Rng::stream(1, 1, Entity::Node(&index.to_string()), Purpose::Backoff);
            Frn::new(config.clone(), NodeId(index as u32), rng)
        };
        let mut neighbours = vec![Vec::new(); count];
        for &(one, other) in links {
            neighbours[one].push(other);
            neighbours[other].push(one);
        }
        Self {
            nodes: (0..count).map(link).collect(),
            packets: PacketStore::new(1),
            neighbours,
            routes: Routes::new(),
            upstairs: None,
            deaf: Vec::new(),
            alarms: BTreeMap::new(),
            on_air: Vec::new(),
            sent: Vec::new(),
            said: Vec::new(),
            arrived: Vec::new(),
            left: Vec::new(),
            room: Vec::new(),
            now: SimTime::ZERO,
            config: config.clone(),
        }
    }

    /// Nodes 0 to `hops` in a line, with the next hops along it.
    pub(super) fn chain(config: &FrnConfig, hops: u32) -> Self {
        let links: Vec<_> = (0..hops as usize).map(|node| (node, node + 1)).collect();
        let mut board = Self::new(config, hops as usize + 1, &links);
        for here in 0..=hops {
            for there in (0..=hops).filter(|&there| there != here) {
                let (ahead, back) =
                    if there > here { (here + 1, here.wrapping_sub(1)) } else { (here - 1, here + 1) };
                let next_hops = board.routes.entry((here, there)).or_default();
                next_hops.push((ahead, Class::Forward));
                if back <= hops {
                    next_hops.push((back, Class::Backward));
                }
            }
        }
        board
    }

    /// A packet of a node for another, data or a TCP ACK.
    pub(super) fn make(&mut self, kind: PacketKind, from: u32, to: u32, size: u32) -> u64 {
        self.make_for(from, kind, from, to, size)
    }

    /// A packet that a node makes in the name of another one, its source.
    pub(super) fn make_for(&mut self, source: u32, kind: PacketKind, from: u32, to: u32, size: u32) -> u64 {
        let payload = match kind {
            PacketKind::TcpAck => Payload::Tcp(Segment::default()),
            _ => Payload::Udp(UdpDatagram { number: 0, len: size - 28 }),
        };
        let towards = if kind == PacketKind::TcpAck { Towards::Source } else { Towards::Destination };
        let made = Packet { source: NodeId(source), towards, ..packet(FlowId(0), NodeId(to), size, payload) };
        let packet = self.packets.create(made);
        let uid = self.packets[packet].uid;
        self.give(from as usize, packet);
        uid
    }

    /// The network layers let go of what they have kept.
    pub(super) fn let_go(&mut self) {
        for (node, packet) in self.upstairs.take().into_iter().flatten() {
            self.give(node, packet);
        }
    }

    /// The node's timer fires now, asked for or not.
    pub(super) fn fire(&mut self, node: usize, timer: Timer) {
        self.feed(node, Input::Timer(timer));
    }

    /// The node's routing has found the way of a packet.
    fn give(&mut self, node: usize, packet: PacketId) {
        let Packet { destination, size, .. } = self.packets[packet];
        let next_hops = self.routes.get(&(node as u32, destination.0));
        let to = next_hops.map_or(destination, |next_hops| NodeId(next_hops[0].0));
        self.feed(node, Input::Packet { packet, to, size });
    }

    /// A frame that was begun in a slot ends at a node.
    pub(super) fn hear(&mut self, node: usize, slot: u64, frame: &Frame) {
        self.run_until(SimTime::ZERO + self.config.slot * slot + frame.airtime);
        self.feed(node, Input::Receive(frame));
    }

    /// The end of a frame comes to a node now.
    pub(super) fn hear_now(&mut self, node: usize, frame: &Frame) {
        self.feed(node, Input::Receive(frame));
    }

    /// Clocks that are so many microseconds late, by node.
    pub(super) fn set_late(&mut self, late: &[u64]) {
        for (node, &late) in self.nodes.iter_mut().zip(late) {
            node.clock = Clock::new(self.config.slot, Dur::from_us(late));
        }
    }

    pub(super) fn power(&mut self, node: usize, up: bool) {
        self.feed(node, Input::Power(up));
    }

    pub(super) fn withdraw(&mut self, node: usize, neighbour: u32) -> Vec<PacketId> {
        let (packets, room) =
            self.nodes[node].withdraw(&mut cx(self.now, &mut self.packets), NodeId(neighbour));
        self.room.extend(room.then_some(node));
        packets
    }

    fn feed(&mut self, node: usize, input: Input<'_>) {
        let mut out: Vec<Action> = Vec::new();
        let next_hops = Here::of(node as u32, &self.routes);
        self.nodes[node].handle(&mut cx(self.now, &mut self.packets), input, &next_hops, &mut out);
        for action in out {
            self.apply_actions(node, action);
        }
    }

    fn apply_actions(&mut self, node: usize, action: Action) {
        match action {
            Action::Transmit(frame) => self.begin(node, frame),
            Action::Arm(timer, at) => {
                self.alarms.insert((node, u8::from(timer == Timer::Sequence)), at);
            }
            Action::Deliver { packet, .. } if self.packets[packet].destination.0 == node as u32 => {
                self.arrived.push(self.packets[packet].uid);
                self.packets.end(packet, Fate::Delivered);
            }
            Action::Deliver { packet, .. } if self.packets[packet].destination.is_broadcast() => {
                self.arrived.push(self.packets[packet].uid);
                self.packets.end(packet, Fate::Delivered);
            }
            Action::Deliver { packet, .. } => match &mut self.upstairs {
                Some(kept) => kept.push((node, packet)),
                None => self.give(node, packet),
            },
            Action::Ended(packet, end) => {
                let (left, fate) = match end {
                    End::Delivered { attempts } => (Left::Delivered(attempts), Fate::HandedOver),
                    End::GaveUp { attempts, .. } => (Left::GaveUp(attempts), Fate::HandedOver),
                    End::Broadcast => (Left::Broadcast, Fate::Absorbed(Absorbed::Broadcast)),
                    End::Held { .. } => panic!("nothing is held"),
                };
                self.left.push((node, self.packets[packet].uid, left));
                self.packets.end(packet, fate);
            }
            Action::Dropped(dropped) => self.left.push((node, dropped.uid, Left::Dropped(dropped.reason))),
            Action::Room => self.room.push(node),
        }
    }

    /// A frame begins: it is noted, and the neighbours sense it.
    fn begin(&mut self, node: usize, frame: Frame) {
        assert!(self.on_air.iter().all(|(_, other)| other.from != frame.from), "one transmission at a time");
        let name = |id: PacketId| if self.packets[id].kind() == PacketKind::TcpAck { "A" } else { "D" };
        let mut text = match frame.kind {
            FrameKind::Ack => format!("ok>{}", frame.to.0),
            _ if frame.to.is_broadcast() => "all".to_owned(),
            _ => format!("{}>{}", name(frame.packet), frame.to.0),
        };
        if let Some(part) = frame.second {
            write!(text, "+{}>{}", name(part.packet), part.to.0).expect("memory");
        }
        self.said.push((self.now.as_ns() / self.config.slot.as_ns(), node, text));
        self.sent.push((self.now, frame));
        for part in [Some(frame.packet), frame.second.map(|part| part.packet)].into_iter().flatten() {
            if part != PacketId::NONE {
                self.packets.hold(part);
            }
        }
        self.on_air.push((self.now + frame.airtime, frame));
    }

    /// Goes on until the slot begins; what happens at its first instant is still to come.
    pub(super) fn run_to(&mut self, slot: u64) {
        self.run_until(SimTime::ZERO + self.config.slot * slot);
    }

    /// Goes on until an instant.
    pub(super) fn run_until(&mut self, end: SimTime) {
        let mut told = self.on_air.len();
        loop {
            let alarm = self.alarms.iter().map(|(&key, &at)| (at, key)).min();
            let over = self.on_air.iter().map(|&(at, _)| at).min();
            let next = alarm.map_or(SimTime::MAX, |(at, _)| at).min(over.unwrap_or(SimTime::MAX));
            if next > self.now {
                // The node that begins at an instant is heard after it.
                for place in told.min(self.on_air.len())..self.on_air.len() {
                    let (until, frame) = self.on_air[place];
                    for listener in self.neighbours[frame.from.index()].clone() {
                        self.nodes[listener].sense(self.now, Sensed::Carrier(until));
                    }
                }
                told = self.on_air.len();
            }
            if next >= end {
                break;
            }
            self.now = next;
            if over == Some(next) {
                let place = self.on_air.iter().position(|&(at, _)| at == next).expect("one is over");
                let (_, frame) = self.on_air.remove(place);
                told -= 1;
                self.end(&frame);
            } else if let Some((_, key)) = alarm {
                self.alarms.remove(&key);
                let timer = if key.1 == 1 { Timer::Sequence } else { Timer::Access };
                self.feed(key.0, Input::Timer(timer));
            }
        }
        self.now = end;
    }

    fn end(&mut self, frame: &Frame) {
        let slot = (self.now - frame.airtime).as_ns() / self.config.slot.as_ns();
        for listener in self.neighbours[frame.from.index()].clone() {
            let begun = self.now - frame.airtime;
            let overlaps = |&(at, other): &(SimTime, Frame)| {
                let theirs = other.from.index();
                let disturbs = theirs == listener || self.neighbours[listener].contains(&theirs);
                other.from != frame.from && disturbs && at < self.now && at + other.airtime > begun
            };
            let disturbed = self.sent.iter().rev().take(16).any(overlaps);
            if !disturbed && !self.deaf.contains(&(listener, slot)) {
                self.feed(listener, Input::Receive(frame));
            }
        }
        self.packets.release(frame);
    }

    /// What was sent in the slots from the first to the last given: a row a node, a column a slot.
    pub(super) fn diagram(&self, slots: std::ops::RangeInclusive<u64>) -> String {
        let mut rows = String::new();
        for node in 0..self.nodes.len() {
            let said =
                |slot| self.said.iter().find(|it| it.0 == slot && it.1 == node).map_or(".", |it| &it.2);
            let row: Vec<String> = slots.clone().map(|slot| format!("{:<8}", said(slot))).collect();
            writeln!(rows, "{node}: {}", row.concat().trim_end()).expect("memory");
        }
        rows
    }

    /// In which slots a node sent.
    pub(super) fn slots_of(&self, node: usize) -> Vec<u64> {
        self.said.iter().filter(|it| it.1 == node).map(|it| it.0).collect()
    }
}

/// Compares two diagrams, whatever stands before the rows.
#[track_caller]
pub(super) fn same(diagram: &str, expected: &str) {
    let rows = |text: &str| -> Vec<String> {
        text.lines()
            .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|row| !row.is_empty())
            .collect()
    };
    assert_eq!(rows(diagram), rows(expected), "\n{diagram}");
}
