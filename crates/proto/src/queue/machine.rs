//! The queue machine: takes packets from the network layer, offers them to the MAC, hears what became of them.

use super::AnyAqm;
use super::admit::Limits;
use super::classes::Queued;
use super::config::{QueueConfig, RoutingOrder, Service};
use super::contract::{Action, Input};
use super::managed::Managed;
use super::meter::Meter;
use super::order::Order;
use super::persistent::KeepRule;
use super::store::{Slot, Store};
use crate::contract::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::{Bytes, NodeId};
use crate::wire::{Absorbed, DropReason, Fate, PacketId, PacketKind};

/// One node's interface queue.
#[derive(Debug)]
pub struct Queue {
    config: QueueConfig,
    pub(super) store: Store,
    pub(super) order: Order,
    pub(super) limits: Limits,
    pub(super) keep_rule: KeepRule,
    /// The length, the arriving packet counted, from which an arrival is looked at.
    watch: u32,
    /// What is to be done at an offer and at its end besides.
    pub(super) besides: Besides,
    pub(super) managed: Managed,
    /// What the routing agent adds to every packet, which counts for whose turn it is.
    header: Bytes,
    pub(super) meter: Meter,
}

/// What a queue does at an offer and at its end besides the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Besides {
    /// Nothing.
    Nothing,
    /// An AQM judges heads, and minds nothing else.
    Heads,
    /// Something is held, an AQM minds what becomes of packets, or waiting times are measured.
    Much,
}

impl Queue {
    /// An empty queue, drop-tail until [`Self::set_aqm`].
    #[must_use]
    pub fn new(config: QueueConfig) -> Self {
        let limits = Limits::new(&config);
        Self {
            store: Store::new(&config),
            order: Order::new(&config),
            watch: limits.watch(),
            limits,
            keep_rule: KeepRule::new(&config),
            besides: Besides::Nothing,
            managed: Managed::new(config.aqm_by),
            header: Bytes::ZERO,
            config,
            meter: Meter::default(),
        }
    }

    /// Puts an active queue management in the place of drop-tail, before anything is sent.
    pub fn set_aqm(&mut self, aqm: AnyAqm) {
        self.managed.set(aqm);
        if self.managed.judges_arrivals() {
            self.watch = 0;
        }
        self.watch_out();
    }

    /// Finds out what is to be done besides.
    pub(super) const fn watch_out(&mut self) {
        self.besides = if self.order.holds().any() || self.managed.listens() {
            Besides::Much
        } else if self.managed.judges() {
            Besides::Heads
        } else {
            Besides::Nothing
        };
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
        self.meter.account(cx.now, self.store.held());
        match input {
            Input::Enqueue { packet, to } => self.enqueue(cx, packet, to, out),
            Input::Outcome(packet, outcome) => self.conclude(cx, packet, outcome, out),
            Input::Keep(packet) => match self.store.end_service(packet) {
                Some(slot) => self.keep(slot),
                None => self.put_back(cx, packet, true),
            },
            Input::Release(packet) => {
                match self.store.end_service(packet) {
                    Some(slot) => drop(self.remove(cx, slot, None, out)),
                    None => drop(self.remove_taken(cx, packet, None, out)),
                }
                cx.packets.stay_mut(packet).mac_sequence = 0; // the node that queues it again offers a new frame
                self.say_space(out);
            }
            Input::Flush => self.flush(cx, out),
            Input::Timer => self.managed.on_timer(cx.now, out),
        }
    }

    /// Offers the next frame; it stays here until its outcome arrives. Of one class only one is out at a time: `None`
    /// if nothing else waits.
    #[inline]
    pub fn offer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) -> Option<Offer> {
        if self.store.is_empty() {
            return None;
        }
        let slot = match self.besides {
            Besides::Nothing if !self.store.serves() => self.order.next(&self.store),
            Besides::Heads if !self.store.serves() => self.next_judged(cx, out),
            _ => self.pass_over(cx, None, out).map(|(slot, _)| slot),
        };
        let offer = slot.and_then(|slot| self.lend(cx, slot));
        self.say_space(out);
        offer
    }

    /// The MAC gets the head of a class.
    #[inline(always)]
    fn lend(&mut self, cx: &mut Cx<'_>, slot: Slot) -> Option<Offer> {
        let entry = *self.store.head(slot)?;
        self.store.begin_service(entry.packet, slot);
        if self.store.leaves() {
            self.order.charge(&self.store, slot, entry.size);
        }
        cx.packets.stay_mut(entry.packet).offered = cx.now;
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
        self.store.readdress(packet, to, size);
    }

    fn enqueue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        let header = &mut cx.packets[packet];
        header.enqueued = cx.now;
        let entry = Queued { packet, to, size: header.size + self.header, kept: 0 };
        let slot = if self.config.routing_priority
            && header.kind() == PacketKind::Routing
            && self.config.service != Service::Priority
        {
            self.store.push_ahead(header, entry, self.config.routing_order == RoutingOrder::Lifo);
            Slot::Express
        } else {
            let class = self.store.class(header, to);
            self.order.joins(&self.store, class, to);
            self.store.push(class, entry);
            Slot::Class(class)
        };
        if self.store.length() >= self.watch {
            self.look_at(cx, entry, slot, out);
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
        let Some(slot) = self.store.end_service(packet) else {
            return self.conclude_taken(cx, packet, outcome, out);
        };
        match outcome {
            Outcome::Delivered { .. } => {
                if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    self.order.arrived(slot, entry);
                    end_sent(cx, entry);
                }
            }
            Outcome::GaveUp { cause, .. } => {
                if self.store.head(slot).is_some_and(|entry| self.keep_rule.keeps(entry)) {
                    self.managed.served(cx, slot, packet, outcome, out);
                    self.keep(slot);
                } else if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    out.put(Action::Dropped(drop_packet(cx, entry.packet, cause.reason())));
                }
            }
            Outcome::Held(_) => {
                self.order.end_turn(&mut self.store, slot);
                self.limits.note_fullness(&self.store); // it waits again
            }
        }
        self.say_space(out);
    }

    /// Says that there is room, if there was none: wherever a packet stops counting.
    #[inline]
    pub(super) fn say_space<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.limits.reopen(&self.store) {
            out.put(Action::Space);
        }
    }

    /// The head stays; the next backlogged class has its turn.
    fn keep(&mut self, slot: Slot) {
        self.meter.kept();
        self.store.keep_head(slot);
        self.order.end_turn(&mut self.store, slot);
    }

    #[inline(always)]
    fn remove<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        slot: Slot,
        outcome: Option<Outcome>,
        out: &mut S,
    ) -> Option<Queued> {
        let removed = self.store.pop(slot);
        if let Some(entry) = removed
            && !self.store.leaves()
        {
            self.order.charge(&self.store, slot, entry.size);
        }
        self.gone(cx, slot, removed.map(|entry| entry.packet), outcome, out);
        removed
    }

    /// A packet that was in service has left the queue.
    #[inline(always)]
    pub(super) fn gone<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        slot: Slot,
        packet: Option<PacketId>,
        outcome: Option<Outcome>,
        out: &mut S,
    ) {
        match self.besides {
            Besides::Nothing => {}
            Besides::Heads => self.managed.left(cx.now, &self.store, slot),
            Besides::Much => self.tell_gone(cx, slot, packet, outcome, out),
        }
    }

    /// The same, where it matters to much.
    #[cold]
    #[inline(never)]
    fn tell_gone<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        slot: Slot,
        packet: Option<PacketId>,
        outcome: Option<Outcome>,
        out: &mut S,
    ) {
        self.order.holds_mut().forget(packet);
        if let (Some(packet), Some(outcome)) = (packet, outcome) {
            self.managed.served(cx, slot, packet, outcome, out);
        }
        self.managed.left(cx.now, &self.store, slot);
    }

    fn flush<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.managed.reset(cx.now);
        self.order.clear();
        self.limits.forget_fullness();
        for entry in self.store.drain() {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
    }
}

/// The custody of a packet that was sent ends.
#[inline(always)]
pub(super) fn end_sent(cx: &mut Cx<'_>, entry: Queued) {
    let broadcast = entry.to == NodeId::BROADCAST;
    cx.packets
        .end(entry.packet, if broadcast { Fate::Absorbed(Absorbed::Broadcast) } else { Fate::HandedOver });
}
