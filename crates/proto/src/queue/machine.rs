//! The queue machine: takes packets from the network layer, offers them to the MAC, hears what became of them.

use super::admit::Limits;
use super::classes::Queued;
use super::config::QueueConfig;
use super::contract::{Action, Input};
use super::managed::{Besides, Managed};
use super::meter::Meter;
use super::persistent::KeepRule;
use super::store::Slot;
use super::waiting::Waiting;
use super::{AnyAqm, AnyTurns};
use crate::contract::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::{Bytes, NodeId};
use crate::wire::{Absorbed, DropReason, Fate, PacketId};

/// One node's interface queue.
#[derive(Debug)]
pub struct Queue {
    pub(super) waiting: Waiting,
    pub(super) limits: Limits,
    pub(super) keep_rule: KeepRule,
    pub(super) managed: Managed,
    /// What the routing agent adds to every packet, which counts for whose turn it is.
    header: Bytes,
    pub(super) meter: Meter,
}

impl Queue {
    /// An empty queue, drop-tail until [`Self::set_aqm`].
    #[must_use]
    pub fn new(config: QueueConfig) -> Self {
        Self {
            waiting: Waiting::new(&config),
            limits: Limits::new(&config),
            keep_rule: KeepRule::new(&config),
            managed: Managed::new(config.aqm_by),
            header: Bytes::ZERO,
            meter: Meter::default(),
        }
    }

    /// Puts an active queue management in the place of drop-tail, before anything is sent.
    pub fn set_aqm(&mut self, aqm: AnyAqm) {
        self.managed.set(aqm);
        if self.managed.judges_arrivals() {
            self.limits.watch_all();
        }
    }

    /// Puts another discipline in the place of that of the service, before anything is sent. It is asked where classes
    /// take turns.
    pub fn set_turns(&mut self, turns: AnyTurns) {
        self.waiting.order_mut().set_turns(turns);
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
        self.meter.account(cx.now, self.waiting.store().held());
        match input {
            Input::Enqueue { packet, to } => self.enqueue(cx, packet, to, out),
            Input::Outcome(packet, outcome) => self.conclude(cx, packet, outcome, out),
            Input::Keep(packet) => match self.waiting.end_service(packet) {
                Some(slot) => {
                    self.meter.kept();
                    self.waiting.stay(slot, true);
                }
                None => self.put_back(cx, packet, true),
            },
            Input::Release(packet) => {
                match self.waiting.end_service(packet) {
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
        if self.waiting.store().is_empty() {
            return None;
        }
        let slot = match self.managed.besides() {
            Besides::Nothing if !self.waiting.store().serves() => self.waiting.next(),
            Besides::Heads if !self.waiting.store().serves() => self.next_judged(cx, out),
            _ => self.pass_over(cx, None, out).map(|(slot, _)| slot),
        };
        let entry = slot.and_then(|slot| self.waiting.lend(slot));
        self.say_space(out);
        Some(entry?.offered(cx))
    }

    /// A frame in service goes to another next hop than it was queued for, and may have another length.
    pub fn readdress(&mut self, packet: PacketId, to: NodeId, size: Bytes) {
        self.waiting.readdress(packet, to, size);
    }

    fn enqueue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        let header = &mut cx.packets[packet];
        header.enqueued = cx.now;
        let entry = Queued { packet, to, size: header.size + self.header, kept: 0 };
        if self.limits.looks_at_next(self.waiting.store()) {
            return self.enqueue_watched(cx, entry, out);
        }
        self.waiting.join(header, entry);
    }

    /// A frame in service has come to an end: delete it, keep it, or lose it.
    fn conclude<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        let Some(slot) = self.waiting.end_service(packet) else {
            return self.conclude_taken(cx, packet, outcome, out);
        };
        match outcome {
            Outcome::Delivered { .. } => {
                if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    self.waiting.order_mut().arrived(slot, entry);
                    end_sent(cx, entry);
                }
            }
            Outcome::GaveUp { cause, .. } => {
                if self.waiting.store().head(slot).is_some_and(|entry| self.keep_rule.keeps(entry)) {
                    self.managed.served(cx, slot, packet, outcome, out);
                    self.meter.kept();
                    self.waiting.stay(slot, true);
                } else if let Some(entry) = self.remove(cx, slot, Some(outcome), out) {
                    out.put(Action::Dropped(drop_packet(cx, entry.packet, cause.reason())));
                }
            }
            Outcome::Held(_) => {
                self.waiting.stay(slot, false);
                self.limits.note_fullness(self.waiting.store());
            }
        }
        self.say_space(out);
    }

    /// Says that there is room, if there was none: wherever a packet stops counting.
    #[inline(always)]
    pub(super) fn say_space<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.limits.was_full() && self.limits.reopen(self.waiting.store()) {
            out.put(Action::Space);
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
        let removed = self.waiting.leave(slot);
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
        match self.managed.besides() {
            Besides::Nothing => {}
            Besides::Heads => self.managed.left(cx.now, self.waiting.store(), slot),
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
        self.waiting.forget(packet);
        if let (Some(packet), Some(outcome)) = (packet, outcome) {
            self.managed.served(cx, slot, packet, outcome, out);
        }
        self.managed.left(cx.now, self.waiting.store(), slot);
    }

    fn flush<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.managed.reset(cx.now);
        self.limits.forget_fullness();
        for entry in self.waiting.drain() {
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
