//! A toy of a slotted link with relay echo: a node hears that its next hop has a packet when that sends it on, or says
//! so where it stays. A frame may carry two packets for two neighbours; the second answers a slot later, and is silent
//! meanwhile. It keeps its packets itself, wakes at the starts of slots, and stands for what will live on this wall.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Cause, Cx, NextHops, Sink, drop_packet};
use multihop_proto::link::{Action, End, Input, PacketLink};
use multihop_proto::mac::Timer;
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, Entity, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{BatchId, DropReason, Frame, FrameKind, FramePart, PacketId, UserPriority};

/// Length of a slot; every frame fits in.
pub(crate) const SLOT: Dur = Dur::from_ms(10);
/// Packets that a link keeps, that it lets wait for their echoes at once, and how often it sends one.
pub(crate) const LIMIT: usize = 12;
const OUTSTANDING: usize = 3;
const ATTEMPTS: u32 = 6;

/// What all toys of a network have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) pairs: u32,
    /// Frames with one part that got through and one that did not.
    pub(crate) split: u32,
    pub(crate) most_outstanding: usize,
    pub(crate) echoes: u32,
    pub(crate) acks: u32,
    pub(crate) given_up: u32,
    pub(crate) held: u32,
    pub(crate) full: u32,
}

pub(crate) type Shared = Arc<Mutex<Counts>>;

/// A packet in the link's custody.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packet: PacketId,
    uid: u64,
    to: NodeId,
    size: Bytes,
    /// Sent on for another: it is the echo, and goes first.
    forward: bool,
    attempts: u32,
    /// The first slot in which it may be sent.
    due: u64,
    /// The slot in which its echo should come, once sent.
    echo: Option<u64>,
}

/// The packets of a frame of two parts, and how each ended.
type Pair = [(u64, Option<bool>); 2];

/// One node's link.
#[derive(Debug)]
pub(crate) struct Slotted {
    me: NodeId,
    rng: Rng,
    entries: Vec<Entry>,
    /// Answers for packets that stay here: when, to which node, for which.
    answers: Vec<(u64, NodeId, u64)>,
    /// Packets that came in the second part: their echo is due later.
    postponed: BTreeMap<u64, u64>,
    seen: BTreeSet<(u64, NodeId)>,
    silent: u64,
    /// Neighbours that get nothing new before a slot.
    holds: BTreeMap<NodeId, u64>,
    pairs: Vec<Pair>,
    full: bool,
    counts: Shared,
}

impl Slotted {
    pub(crate) fn new(me: NodeId, name: &str, counts: Shared) -> Self {
        Self {
            me,
            rng: Rng::stream(7, 1, Entity::Node(name), Purpose::Jitter),
            entries: Vec::new(),
            answers: Vec::new(),
            postponed: BTreeMap::new(),
            seen: BTreeSet::new(),
            silent: 0,
            holds: BTreeMap::new(),
            pairs: Vec::new(),
            full: false,
            counts,
        }
    }

    fn count(&self, what: impl FnOnce(&mut Counts)) {
        what(&mut self.counts.lock().expect("one thread"));
    }

    fn take_in(
        &mut self,
        cx: &mut Cx<'_>,
        (packet, to, size): (PacketId, NodeId, Bytes),
        out: &mut dyn Sink<Action>,
    ) {
        let slot = number(cx.now);
        let (uid, forward) = (cx.packets[packet].uid, cx.packets[packet].source != self.me);
        let held = self.holds.get(&to).copied().filter(|&until| until > slot && !forward);
        if let Some(until) = held {
            self.count(|counts| counts.held += 1);
            return out.put(Action::Ended(packet, End::Held { to, until: start(until) }));
        }
        if self.entries.len() == LIMIT {
            self.full = true;
            self.count(|counts| counts.full += 1);
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::QueueFull)));
        }
        let due = self.postponed.remove(&uid).unwrap_or(slot + 1);
        self.entries.push(Entry { packet, uid, to, size, forward, attempts: 0, due, echo: None });
        out.put(Action::Arm(Timer::Sequence, start(slot + 1)));
    }

    fn hear(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut dyn Sink<Action>) {
        if frame.kind == FrameKind::Ack {
            if frame.to == self.me {
                self.through(frame.from, |uid| uid as u16 == frame.sequence, out);
            }
            return;
        }
        // The node that sends a packet on has it.
        for packet in std::iter::once(frame.packet).chain(frame.second.map(|part| part.packet)) {
            let echoed = cx.packets[packet].uid;
            self.through(frame.from, |uid| uid == echoed, out);
        }
        let Some(part) = frame.part_for(self.me) else { return };
        if frame.to.is_broadcast() {
            let packet = cx.packets.receive(part);
            return out.put(Action::Deliver { packet, from: frame.from });
        }
        let (slot, uid, second) = (number(cx.now), cx.packets[part].uid, frame.to != self.me);
        let answer = slot + 1 + u64::from(second);
        if second {
            self.silent = slot + 1;
        }
        let again = !self.seen.insert((uid, frame.from));
        if again || cx.packets[part].destination == self.me {
            self.answers.push((answer, frame.from, uid));
        } else {
            self.postponed.insert(uid, answer);
        }
        if again {
            cx.packets.receive_duplicate(part);
        } else {
            let packet = cx.packets.receive(part);
            out.put(Action::Deliver { packet, from: frame.from });
        }
        out.put(Action::Arm(Timer::Sequence, start(slot + 1)));
    }

    /// What a neighbour was sent and waits for its echo has got through.
    fn through(&mut self, from: NodeId, is: impl Fn(u64) -> bool, out: &mut dyn Sink<Action>) {
        let waits = |entry: &Entry| entry.echo.is_some() && entry.to == from && is(entry.uid);
        while let Some(place) = self.entries.iter().position(waits) {
            let entry = self.entries.remove(place);
            self.count(|counts| counts.echoes += 1);
            self.part_ended(entry.uid, true);
            out.put(Action::Ended(entry.packet, End::Delivered { attempts: entry.attempts }));
        }
        if self.full && self.entries.len() < LIMIT {
            self.full = false;
            out.put(Action::Room);
        }
    }

    fn part_ended(&mut self, uid: u64, well: bool) {
        for (of, end) in self.pairs.iter_mut().flatten() {
            if *of == uid {
                end.get_or_insert(well);
            }
        }
        let is_over = |pair: &Pair| pair.iter().all(|(_, end)| end.is_some());
        let over: Vec<Pair> = self.pairs.extract_if(.., |pair| is_over(pair)).collect();
        let split = over.iter().filter(|pair| pair[0].1 != pair[1].1).count();
        self.count(|counts| counts.split += split as u32);
    }

    /// Echoes that did not come.
    fn miss(&mut self, slot: u64, out: &mut dyn Sink<Action>) {
        let missing = |entry: &Entry| entry.echo.is_some_and(|echo| echo < slot);
        let mut missed: Vec<Entry> = self.entries.extract_if(.., |entry| missing(entry)).collect();
        for entry in &mut missed {
            self.part_ended(entry.uid, false);
            (entry.echo, entry.due) = (None, slot + u64::from(self.rng.below(5)));
            if entry.attempts > 1 {
                self.holds.insert(entry.to, slot + 3);
            }
        }
        let (lost, again): (Vec<Entry>, Vec<Entry>) =
            missed.into_iter().partition(|entry| entry.attempts == ATTEMPTS);
        self.entries.splice(0..0, again);
        for Entry { packet, to, attempts, .. } in lost {
            self.count(|counts| counts.given_up += 1);
            let end = End::GaveUp { to, cause: Cause::DataLimit, attempts };
            out.put(Action::Ended(packet, end));
        }
    }

    fn begin(&mut self, cx: &Cx<'_>, out: &mut dyn Sink<Action>) {
        let slot = number(cx.now);
        self.miss(slot, out);
        self.holds.retain(|_, &mut until| until > slot);
        if self.silent != slot {
            let due = self.answers.iter().position(|&(due, ..)| due <= slot);
            match due.map(|place| self.answers.remove(place)) {
                Some((_, to, uid)) => {
                    self.count(|counts| counts.acks += 1);
                    out.put(Action::Transmit(self.frame(FrameKind::Ack, to, uid as u16, Bytes(14))));
                }
                None => self.transmit(slot, out),
            }
        }
        if !self.entries.is_empty() || !self.answers.is_empty() {
            out.put(Action::Arm(Timer::Sequence, start(slot + 1)));
        }
    }

    /// Sends what is due: a packet on its way first, and beside it one for another neighbour.
    fn transmit(&mut self, slot: u64, out: &mut dyn Sink<Action>) {
        let outstanding = self.entries.iter().filter(|entry| entry.echo.is_some()).count();
        let free = |entry: &Entry| {
            let own = outstanding < OUTSTANDING && !self.holds.contains_key(&entry.to);
            entry.echo.is_none() && entry.due <= slot && (entry.forward || own)
        };
        let mut ready = (0..self.entries.len()).filter(|&place| free(&self.entries[place]));
        let Some(eldest) = ready.clone().next() else { return };
        let first = ready.find(|&place| self.entries[place].forward).unwrap_or(eldest);
        let to = self.entries[first].to;
        let beside = |&place: &usize| {
            let other = &self.entries[place];
            free(other) && other.to != to && !to.is_broadcast() && !other.to.is_broadcast()
        };
        let room = outstanding + 1 < OUTSTANDING;
        let second = (0..self.entries.len()).filter(|_| room).find(beside);
        for (place, wait) in [(Some(first), 1), (second, 2)] {
            if let Some(place) = place {
                self.entries[place].attempts += 1;
                self.entries[place].echo = Some(slot + wait);
            }
        }
        let Entry { packet, size, uid, .. } = self.entries[first];
        let mut frame = self.frame(FrameKind::Data, to, 0, size + Bytes(34));
        frame.packet = packet;
        if let Some(other) = second.map(|place| self.entries[place]) {
            frame = Frame { packet, ..self.frame(FrameKind::Data, to, 0, size + other.size + Bytes(44)) };
            frame.second = Some(FramePart { to: other.to, packet: other.packet });
            self.pairs.push([(uid, None), (other.uid, None)]);
            self.count(|counts| counts.pairs += 1);
        }
        let outstanding = outstanding + 1 + usize::from(second.is_some());
        self.count(|counts| counts.most_outstanding = counts.most_outstanding.max(outstanding));
        out.put(Action::Transmit(frame));
        if to.is_broadcast() {
            self.entries.remove(first);
            out.put(Action::Ended(packet, End::Broadcast));
        }
    }

    /// A frame at a rate of its own: at 2 Mb/s if the slot is long enough, else at 11 Mb/s.
    fn frame(&self, kind: FrameKind, to: NodeId, sequence: u16, size: Bytes) -> Frame {
        let at = |mbps: u64| TxVector::dsss(Bitrate::from_mbps(mbps), Preamble::Long);
        let tx = if at(2).airtime(size) < SLOT { at(2) } else { at(11) };
        Frame {
            kind,
            retry: false,
            more: false,
            sequence,
            from: self.me,
            to,
            packet: PacketId::NONE,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size,
            duration: Dur::ZERO,
            tx,
            airtime: tx.airtime(size),
        }
    }

    fn go_down(&mut self, cx: &mut Cx<'_>, out: &mut dyn Sink<Action>) {
        for entry in std::mem::take(&mut self.entries) {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
        self.answers.clear();
        self.postponed.clear();
        self.holds.clear();
        self.pairs.clear();
        self.full = false;
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
    }
}

impl PacketLink for Slotted {
    fn handle<N: NextHops, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, _: &N, mut out: S) {
        let out = &mut out;
        match input {
            Input::Packet { packet, to, size } => self.take_in(cx, (packet, to, size), out),
            Input::Receive(frame) => self.hear(cx, frame, out),
            Input::Timer(_) => self.begin(cx, out),
            Input::Power(false) => self.go_down(cx, out),
            Input::Power(true) => {}
        }
    }

    fn packets(&self) -> Vec<PacketId> {
        self.entries.iter().map(|entry| entry.packet).collect()
    }

    fn free(&self) -> u32 {
        (LIMIT - self.entries.len()) as u32
    }

    fn withdraw(&mut self, _: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool) {
        let waits = |entry: &Entry| entry.to == neighbour && entry.echo.is_none();
        (self.entries.extract_if(.., |entry| waits(entry)).map(|entry| entry.packet).collect(), false)
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell("link.waiting", self.entries.len() as u64);
    }
}

/// The number of the slot that an instant is in, and its start.
fn number(at: SimTime) -> u64 {
    at.as_ns() / SLOT.as_ns()
}

fn start(slot: u64) -> SimTime {
    SimTime::ZERO + SLOT * slot
}
