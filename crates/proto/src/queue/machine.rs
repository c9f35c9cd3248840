//! The queue machine: takes packets from the network layer, offers them to the MAC, hears what became of them.

use super::classes::{ClassTable, Queued};
use super::config::{OnGiveUp, Overflow, QueueConfig, Service};
use super::contract::{Action, Input};
use super::counters::Counters;
use super::holds::Holds;
use super::{RoundRobin, persistent};
use crate::port::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, PacketId, PacketKind};

/// One node's interface queue.
#[derive(Clone, Debug)]
pub struct Queue {
    config: QueueConfig,
    pub(super) classes: ClassTable,
    pub(super) service: RoundRobin,
    /// Whether classes share the service; if not there is one, always on turn.
    pub(super) shared: bool,
    /// Packets that it holds.
    capacity: u32,
    /// What the routing agent adds to every packet, which counts for whose turn it is.
    header: Bytes,
    /// Routing packets, served before all classes where the configuration says so.
    pub(super) express: ClassTable,
    /// The packets that the MAC has, and where they came from: they are the heads of these.
    pub(super) in_service: Vec<(PacketId, Slot)>,
    pub(super) holds: Holds,
    was_full: bool,
    counters: Counters,
    counted_at: SimTime,
}

/// Where the frame in service came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Express,
    Class(usize),
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(config: QueueConfig) -> Self {
        Self {
            service: RoundRobin::new(config.quantum),
            shared: config.service == Service::Drr,
            capacity: config.capacity(),
            header: Bytes::ZERO,
            config,
            classes: ClassTable::default(),
            express: ClassTable::default(),
            in_service: Vec::new(),
            holds: Holds::default(),
            was_full: false,
            counters: Counters::default(),
            counted_at: SimTime::ZERO,
        }
    }

    /// Sets what the routing agent adds to every packet, nothing otherwise.
    pub const fn set_header(&mut self, header: Bytes) {
        self.header = header;
    }

    /// What the routing agent adds to every packet.
    #[must_use]
    pub const fn header(&self) -> Bytes {
        self.header
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        self.account(cx.now);
        match input {
            Input::Enqueue { packet, to } => self.enqueue(cx, packet, to, out),
            Input::Outcome(packet, outcome) => self.conclude(cx, packet, outcome, out),
            Input::Keep(packet) => {
                if let Some(slot) = self.end_service(packet) {
                    self.keep(slot);
                }
            }
            Input::Release(packet) => {
                if let Some(slot) = self.end_service(packet) {
                    self.remove(slot);
                    cx.packets[packet].mac_sequence = 0; // whoever queues it again offers a new frame
                    self.say_space(out);
                }
            }
            Input::Flush => self.flush(cx, out),
        }
    }

    /// Offers the next frame; it stays here until its outcome arrives. Of one class only one is out at a time: `None`
    /// if nothing else waits.
    #[inline]
    pub fn offer(&mut self, cx: &mut Cx<'_>) -> Option<Offer> {
        if self.is_empty() {
            return None;
        }
        let slot = if !self.in_service.is_empty() || self.holds.any() {
            self.pass_over(cx.now)?
        } else if !self.express.is_empty() {
            Slot::Express
        } else if self.shared {
            Slot::Class(self.service.next(&self.classes)?)
        } else {
            Slot::Class(0)
        };
        let entry = *self.head(slot)?;
        self.in_service.push((entry.packet, slot));
        if self.shared && self.leaves() {
            self.charge(slot, entry.size);
        }
        cx.packets[entry.packet].head_of_line = cx.now;
        Some(Offer {
            packet: entry.packet,
            to: entry.to,
            size: entry.size,
            second: None,
            kept: entry.kept > 0,
        })
    }

    /// The next hop of a frame in service.
    #[must_use]
    pub fn next_hop(&self, packet: PacketId) -> Option<NodeId> {
        let (_, slot) = self.in_service.iter().find(|(offered, _)| *offered == packet)?;
        self.head(*slot).map(|entry| entry.to)
    }

    /// A frame in service goes to another next hop than it was queued for, and may have another length.
    pub fn readdress(&mut self, packet: PacketId, to: NodeId, size: Bytes) {
        let slot = self.in_service.iter().find(|(offered, _)| *offered == packet);
        let head = slot.and_then(|&(_, slot)| match slot {
            Slot::Express => self.express.head_mut(0),
            Slot::Class(class) => self.classes.head_mut(class),
        });
        if let Some(entry) = head {
            (entry.to, entry.size) = (to, size);
        }
    }

    /// Packets that wait, the one in service not counted unless the queue keeps it in memory.
    #[inline]
    #[must_use]
    pub fn length(&self) -> u32 {
        let held = self.classes.len() + self.express.len();
        let out = if self.config.on_give_up == OnGiveUp::Drop { self.in_service.len() } else { 0 };
        u32::try_from(held - out).unwrap_or(u32::MAX)
    }

    /// Packets that could still be taken.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        self.capacity.saturating_sub(self.length())
    }

    /// Whether nothing is held.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.express.is_empty()
    }

    /// Packets held, the one in service included.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.classes.len() + self.express.len()
    }

    /// The packets held, the ones in service included.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.express.iter().chain(self.classes.iter()).map(|entry| entry.packet)
    }

    /// Counters up to `now`.
    #[must_use]
    pub fn counters(&self, now: SimTime) -> Counters {
        let mut counters = Counters { turns: self.service.turns(), ..self.counters };
        counters.account_for(now.saturating_since(self.counted_at), self.held());
        counters
    }

    fn enqueue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        let header = &mut cx.packets[packet];
        header.enqueued = cx.now;
        let entry = Queued { packet, to, size: header.size + self.header, kept: 0 };
        if self.config.routing_priority && header.kind() == PacketKind::Routing {
            let class = self.express.class(None, header, to);
            self.express.push(class, entry);
        } else {
            let by = self.shared.then_some(self.config.class_by);
            let class = self.classes.class(by, header, to);
            if self.shared && self.waiting(class) == 0 {
                self.service.activate(class);
            }
            self.classes.push(class, entry);
        }
        let length = self.length();
        self.was_full |= length >= self.capacity;
        if length > self.capacity {
            self.overflow(cx, entry, out);
        }
    }

    /// One packet too many: the rule says whose.
    fn overflow<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, arrived: Queued, out: &mut S) {
        let express = self.express.iter().last().is_some_and(|entry| entry.packet == arrived.packet);
        let victim = if express || self.config.overflow == Overflow::TailOfLongest {
            self.classes.longest(|class| self.is_out(Slot::Class(class)))
        } else {
            (0..self.classes.classes())
                .find(|&class| self.classes.tail(class).is_some_and(|tail| tail.packet == arrived.packet))
        };
        let dropped = match victim {
            Some(class) => {
                let dropped = self.classes.pop_tail(class);
                if self.shared && self.waiting(class) == 0 {
                    self.service.retire(class);
                }
                dropped
            }
            None => self.express.pop_tail(0),
        };
        self.holds.forget(dropped.map(|entry| entry.packet));
        if let Some(entry) = dropped {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::QueueFull)));
        }
    }

    /// A frame in service has come to an end: delete it, keep it, or lose it.
    fn conclude<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        let Some(slot) = self.end_service(packet) else { return };
        match outcome {
            Outcome::Delivered { .. } => {
                if let Some(entry) = self.remove(slot) {
                    let broadcast = entry.to == NodeId::BROADCAST;
                    let fate = if broadcast { Fate::Absorbed(Absorbed::Broadcast) } else { Fate::HandedOver };
                    cx.packets.end(entry.packet, fate);
                }
            }
            Outcome::GaveUp { cause, .. } => {
                let (rule, limit) = (self.config.on_give_up, self.config.keep_limit);
                if self.head(slot).is_some_and(|entry| persistent::keeps(rule, limit, entry)) {
                    self.keep(slot);
                } else if let Some(entry) = self.remove(slot) {
                    out.put(Action::Dropped(drop_packet(cx, entry.packet, cause.reason())));
                }
            }
            Outcome::Held(_) => self.rotate(slot),
        }
        self.say_space(out);
    }

    /// Takes out all that waits for a next hop, the frames in service excepted: it is in routing's custody now.
    pub fn withdraw<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, to: NodeId, out: &mut S) -> Vec<PacketId> {
        self.account(cx.now);
        let Self { in_service, express, classes, .. } = self;
        let busy = |slot: Slot| in_service.iter().any(|&(_, sent)| sent == slot);
        let mut taken = express.withdraw(to, |_| busy(Slot::Express));
        taken.extend(classes.withdraw(to, |class| busy(Slot::Class(class))));
        for class in 0..self.classes.classes() {
            if self.waiting(class) == 0 {
                self.service.retire(class);
            }
        }
        for &packet in &taken {
            self.holds.forget(Some(packet));
            cx.packets[packet].mac_sequence = 0;
        }
        self.say_space(out);
        taken
    }

    /// Says that there is room, if there was none.
    #[inline]
    fn say_space<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.was_full && self.free() > 0 {
            self.was_full = false;
            out.put(Action::Space);
        }
    }

    #[inline]
    fn end_service(&mut self, packet: PacketId) -> Option<Slot> {
        let place = self.in_service.iter().position(|(offered, _)| *offered == packet)?;
        Some(self.in_service.swap_remove(place).1)
    }

    /// The head stays; the next backlogged class has its turn.
    fn keep(&mut self, slot: Slot) {
        self.counters.kept += 1;
        let head = match slot {
            Slot::Express => self.express.head_mut(0),
            Slot::Class(class) => self.classes.head_mut(class),
        };
        if let Some(entry) = head {
            entry.kept += 1;
        }
        self.rotate(slot);
    }

    /// Ends a turn: that of a class, or that of a routing packet among the routing packets.
    fn rotate(&mut self, slot: Slot) {
        match slot {
            Slot::Express => {
                // One that cannot get through must not block those behind it for ever.
                if !self.express.is_empty() {
                    self.express.rotate(0);
                }
            }
            Slot::Class(class) if self.shared && self.leaves() => {
                let size = self.classes.head(class).map_or(Bytes(0), |head| head.size);
                self.service.refund(class, size);
            }
            Slot::Class(class) if self.shared => self.service.rotate(class),
            Slot::Class(_) => {} // alone
        }
    }

    /// Whether the head from here is in the MAC's hands.
    pub(super) fn is_out(&self, from: Slot) -> bool {
        self.in_service.iter().any(|&(_, slot)| slot == from)
    }

    pub(super) fn head(&self, slot: Slot) -> Option<&Queued> {
        match slot {
            Slot::Express => self.express.head(0),
            Slot::Class(class) => self.classes.head(class),
        }
    }

    fn remove(&mut self, slot: Slot) -> Option<Queued> {
        let removed = self.take(slot);
        if self.holds.any() {
            self.holds.forget(removed.map(|entry| entry.packet));
        }
        removed
    }

    #[inline]
    fn take(&mut self, slot: Slot) -> Option<Queued> {
        match slot {
            Slot::Express => self.express.pop(0),
            Slot::Class(class) => {
                let entry = self.classes.pop(class)?;
                if self.shared && !self.leaves() {
                    self.service.charge(class, entry.size, self.classes.class_len(class) == 0);
                }
                Some(entry)
            }
        }
    }

    /// Whether a packet leaves its class when the MAC takes it; one that may be kept stays at its head.
    const fn leaves(&self) -> bool {
        matches!(self.config.on_give_up, OnGiveUp::Drop)
    }

    /// Packets of a class that wait for their turn.
    fn waiting(&self, class: usize) -> usize {
        self.classes.class_len(class) - usize::from(self.leaves() && self.is_out(Slot::Class(class)))
    }

    /// The MAC has taken a packet of a class for good.
    fn charge(&mut self, slot: Slot, size: Bytes) {
        if let Slot::Class(class) = slot {
            self.service.charge(class, size, self.waiting(class) == 0);
        }
    }

    fn flush<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.in_service.clear();
        self.holds.clear();
        self.service.clear();
        for entry in self.express.drain().into_iter().chain(self.classes.drain()) {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
    }

    #[inline]
    fn account(&mut self, now: SimTime) {
        let passed = now - self.counted_at;
        self.counted_at = now;
        let held = self.held();
        self.counters.account_for(passed, held);
    }
}
