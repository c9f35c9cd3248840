//! The queue machine: takes packets from the network layer, offers them to the MAC, hears what became of them.

use super::classes::{ClassTable, Queued};
use super::config::{ClassBy, OnGiveUp, QueueConfig, RoutingOrder, Service};
use super::contract::{Action, Input};
use super::counters::Counters;
use super::holds::Holds;
use super::managed::Managed;
use super::{AnyAqm, RoundRobin, persistent};
use crate::contract::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, PacketId, PacketKind};

/// One node's interface queue.
#[derive(Debug)]
pub struct Queue {
    pub(super) config: QueueConfig,
    pub(super) classes: ClassTable,
    pub(super) service: RoundRobin,
    /// Whether classes have turns; if not there is one, or the first that has packets is served.
    pub(super) shared: bool,
    /// What makes a class, if there are several.
    by: Option<ClassBy>,
    /// Packets that it holds.
    pub(super) capacity: u32,
    /// The length, the arriving packet counted, from which an arrival is looked at: the capacity, or 0.
    pub(super) watch: u32,
    /// Whether more is to be done at an offer and at its end than usual: something is held, an AQM listens, or
    /// somebody measures.
    pub(super) alert: bool,
    pub(super) managed: Managed,
    /// What the routing agent adds to every packet, which counts for whose turn it is.
    header: Bytes,
    /// Routing packets, served before all classes where the configuration says so.
    pub(super) express: ClassTable,
    /// The packets that the MAC has, and where they came from: they are the heads of these.
    pub(super) in_service: Vec<(PacketId, Slot)>,
    pub(super) holds: Holds,
    pub(super) was_full: bool,
    pub(super) counters: Counters,
    pub(super) counted_at: SimTime,
}

/// Where the frame in service came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Express,
    Class(usize),
}

impl Queue {
    /// An empty queue, drop-tail until [`Self::set_aqm`].
    #[must_use]
    pub fn new(config: QueueConfig) -> Self {
        let capacity = config.capacity();
        Self {
            service: RoundRobin::new(config.quantum),
            shared: config.service == Service::Drr,
            by: (config.service != Service::Fifo).then_some(config.class_by),
            capacity,
            watch: if config.class_limit.is_some() { 0 } else { capacity },
            alert: false,
            managed: Managed::default(),
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

    /// Puts an active queue management in the place of drop-tail, before anything is sent.
    pub fn set_aqm(&mut self, aqm: AnyAqm) {
        if !aqm.is_tail() {
            self.watch = 0;
        }
        self.managed.aqm = aqm;
        self.alert = self.managed.listens();
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
                    self.remove(cx, slot, None, out);
                    cx.packets[packet].mac_sequence = 0; // whoever queues it again offers a new frame
                    self.say_space(out);
                }
            }
            Input::Flush => self.flush(cx, out),
            Input::Timer => self.on_timer(cx.now, out),
        }
    }

    /// Offers the next frame; it stays here until its outcome arrives. Of one class only one is out at a time: `None`
    /// if nothing else waits.
    #[inline]
    pub fn offer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) -> Option<Offer> {
        if self.is_empty() {
            return None;
        }
        let slot = if !self.in_service.is_empty() || self.alert {
            self.pass_over(cx, out)?
        } else if !self.express.is_empty() {
            Slot::Express
        } else if self.shared {
            Slot::Class(self.service.next(&self.classes)?)
        } else {
            Slot::Class(self.first_class())
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

    fn enqueue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        let header = &mut cx.packets[packet];
        header.enqueued = cx.now;
        let entry = Queued { packet, to, size: header.size + self.header, kept: 0 };
        let slot = if self.config.routing_priority
            && header.kind() == PacketKind::Routing
            && self.config.service != Service::Priority
        {
            let class = self.express.class(None, header, to);
            match self.config.routing_order {
                RoutingOrder::Fifo => self.express.push(class, entry),
                // The head may be in the MAC's hands.
                RoutingOrder::Lifo => {
                    self.express.push_at(class, usize::from(self.is_out(Slot::Express)), entry)
                }
            }
            Slot::Express
        } else {
            let class = self.classes.class(self.by, header, to);
            if self.shared && self.waiting(class) == 0 {
                self.service.activate(class);
            }
            self.classes.push(class, entry);
            Slot::Class(class)
        };
        if self.length() >= self.watch {
            self.look_at(cx, entry, slot, out);
        }
    }

    /// The class on turn of those that have no round robin: the only one, or the first by rank that has packets.
    #[inline(always)]
    fn first_class(&self) -> usize {
        if self.by.is_none() {
            return 0;
        }
        (0..self.classes.classes()).find(|&class| self.classes.class_len(class) > 0).unwrap_or(0)
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
                if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    let broadcast = entry.to == NodeId::BROADCAST;
                    let fate = if broadcast { Fate::Absorbed(Absorbed::Broadcast) } else { Fate::HandedOver };
                    cx.packets.end(entry.packet, fate);
                }
            }
            Outcome::GaveUp { cause, .. } => {
                let (rule, limit) = (self.config.on_give_up, self.config.keep_limit);
                if self.head(slot).is_some_and(|entry| persistent::keeps(rule, limit, entry)) {
                    self.served(cx, packet, outcome, out);
                    self.keep(slot);
                } else if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    out.put(Action::Dropped(drop_packet(cx, entry.packet, cause.reason())));
                }
            }
            Outcome::Held(_) => self.rotate(slot),
        }
        self.say_space(out);
    }

    /// Says that there is room, if there was none.
    #[inline]
    pub(super) fn say_space<S: Sink<Action>>(&mut self, out: &mut S) {
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
            Slot::Class(_) => {} // without turns
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

    #[inline(always)]
    fn remove<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        slot: Slot,
        outcome: Option<Outcome>,
        out: &mut S,
    ) -> Option<Queued> {
        let removed = self.take(slot);
        if self.alert {
            self.gone(cx, removed.map(|entry| entry.packet), outcome, out);
        }
        removed
    }

    #[inline(always)]
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
    pub(super) const fn leaves(&self) -> bool {
        matches!(self.config.on_give_up, OnGiveUp::Drop)
    }

    /// Packets of a class that wait for their turn.
    pub(super) fn waiting(&self, class: usize) -> usize {
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
        self.managed.reset(cx.now);
        self.service.clear();
        self.was_full = false;
        for entry in self.express.drain().into_iter().chain(self.classes.drain()) {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
    }

    #[inline]
    pub(super) fn account(&mut self, now: SimTime) {
        let passed = now - self.counted_at;
        self.counted_at = now;
        let held = self.held();
        self.counters.account_for(passed, held);
    }
}
