//! What an arrival means beyond first in, first out: limits, and which class loses a packet when there is one too many.

use super::aqm::Verdict;
use super::classes::Queued;
use super::config::{LimitRule, Overflow, QueueConfig};
use super::contract::Action;
use super::machine::Queue;
use super::meter::Meter;
use super::store::{Slot, Store};
use crate::contract::{Cx, Sink, drop_packet};
use crate::units::Bytes;
use crate::wire::{DropReason, PacketId};

/// Packets that the fattest class loses at once, at most (RFC 8290 §4.1).
const BATCH: usize = 64;

/// How much a queue holds.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Packets that it holds.
    packets: u32,
    /// Whether those in service count among them.
    in_service: bool,
    /// Bytes that it holds, if they are counted.
    bytes: Option<Bytes>,
    /// Packets that a class holds, if that is less.
    of_class: Option<u32>,
    overflow: Overflow,
    /// Whether there was no room, and others have not heard yet of any since.
    was_full: bool,
}

impl Limits {
    pub(super) const fn new(config: &QueueConfig) -> Self {
        Self {
            packets: config.capacity(),
            in_service: matches!(config.limit_rule, LimitRule::InService),
            bytes: config.limit_bytes,
            of_class: config.class_limit,
            overflow: config.overflow,
            was_full: false,
        }
    }

    /// The length, the arriving packet counted, from which an arrival is looked at: 0 if each is.
    pub(super) const fn watch(&self) -> u32 {
        let each = self.of_class.is_some() || self.bytes.is_some() || self.in_service;
        if each { 0 } else { self.packets }
    }

    /// Packets that count.
    #[inline(always)]
    fn length(&self, store: &Store) -> u32 {
        if self.in_service { u32::try_from(store.held()).unwrap_or(u32::MAX) } else { store.length() }
    }

    /// Packets that could still be taken; where bytes are counted, of 1500 bytes.
    #[inline(always)]
    pub(super) fn free(&self, store: &Store) -> u32 {
        let packets = self.packets.saturating_sub(self.length(store));
        self.bytes.map_or(packets, |most| {
            let left = u64::from(most.0).saturating_sub(store.bytes()) / 1500;
            packets.min(u32::try_from(left).unwrap_or(u32::MAX))
        })
    }

    /// Something has joined or come back: if there is no room now, others are to hear when there is.
    pub(super) fn note_fullness(&mut self, store: &Store) {
        self.was_full |= self.free(store) == 0;
    }

    /// Whether there is room, and there was none before; true once.
    #[inline]
    pub(super) fn reopen(&mut self, store: &Store) -> bool {
        let reopens = self.was_full && self.free(store) > 0;
        self.was_full &= !reopens;
        reopens
    }

    /// The queue is empty, and others hear of it in another way.
    pub(super) const fn forget_fullness(&mut self) {
        self.was_full = false;
    }

    fn are_passed(&self, store: &Store) -> bool {
        self.length(store) > self.packets || self.has_too_many_bytes(store)
    }

    /// Whether one loss was not enough: a long packet may take the place of several.
    fn are_still_passed(&self, store: &Store) -> bool {
        self.overflow != Overflow::Arriving && self.has_too_many_bytes(store)
    }

    fn has_too_many_bytes(&self, store: &Store) -> bool {
        self.bytes.is_some_and(|most| store.bytes() > u64::from(most.0))
    }

    /// Which class loses packets when there is one too many, and how many: from the head, or the last one.
    fn victim(&self, store: &Store, arrived: Slot) -> (Slot, Option<usize>) {
        let (class, from_head) = match (self.overflow, arrived) {
            (Overflow::HeadOfFattest, _) => (store.fattest(), true),
            (Overflow::Arriving, Slot::Class(class)) => (Some(class), false),
            (Overflow::TailOfLongest, _) | (Overflow::Arriving, Slot::Express) => (store.longest(), false),
        };
        let half = |class| (store.waiting(class) / 2).clamp(1, BATCH);
        let slot = class.map_or(Slot::Express, Slot::Class);
        (slot, class.filter(|_| from_head).map(half))
    }
}

impl Queue {
    /// A packet has joined: it may be one too many, or the AQM may not want it.
    #[cold]
    #[inline(never)]
    pub(super) fn look_at<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        arrived: Queued,
        slot: Slot,
        out: &mut S,
    ) {
        if let Slot::Class(class) = slot {
            let verdict = self
                .managed
                .judges_arrivals()
                .then(|| self.managed.arriving(cx.now, &self.store, arrived, class));
            self.managed.arm(slot, out);
            if self.limits.of_class.is_some_and(|limit| self.store.waiting(class) > limit as usize) {
                self.managed.overflowed(slot);
                let last = self.store.pop_tail(slot);
                return self.lose(cx, slot, last, DropReason::QueueFull, out);
            }
            if verdict.is_some_and(|verdict| is_dropped(cx, &mut self.meter, arrived.packet, verdict)) {
                let last = self.store.pop_tail(slot);
                return self.lose(cx, slot, last, DropReason::EarlyDrop, out);
            }
        } else {
            self.managed.end_idle(cx.now, self.store.held() == 1);
        }
        self.limits.note_fullness(&self.store);
        if self.limits.are_passed(&self.store) {
            self.overflow(cx, slot, out);
            while self.limits.are_still_passed(&self.store) && self.overflow(cx, slot, out) {}
        }
    }

    /// One packet too many: the rule says which are lost. Whether any could be lost.
    fn overflow<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, arrived: Slot, out: &mut S) -> bool {
        let held = self.store.held();
        let (victim, from_head) = self.limits.victim(&self.store, arrived);
        self.managed.overflowed(victim);
        for _ in 0..from_head.unwrap_or(1) {
            let entry = match (victim, from_head) {
                (Slot::Class(class), Some(_)) => self.store.pop_waiting(class),
                _ => self.store.pop_tail(victim),
            };
            self.lose(cx, victim, entry, DropReason::QueueFull, out);
        }
        self.store.held() < held
    }

    /// A packet that was taken out is lost.
    pub(super) fn lose<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        slot: Slot,
        entry: Option<Queued>,
        reason: DropReason,
        out: &mut S,
    ) {
        self.order.note_emptied(&self.store, slot);
        self.order.holds_mut().forget(entry.map(|entry| entry.packet));
        if self.managed.judges() {
            self.managed.left(cx.now, &self.store, slot);
        }
        if let Some(entry) = entry {
            let forced = reason == DropReason::QueueFull && cx.packets[entry.packet].forced;
            let reason = if forced { DropReason::QueueFullForced } else { reason };
            out.put(Action::Dropped(drop_packet(cx, entry.packet, reason)));
        }
        self.say_space(out);
    }
}

/// Marks what can be marked; returns whether the packet is to be dropped.
pub(super) fn is_dropped(cx: &mut Cx<'_>, meter: &mut Meter, packet: PacketId, verdict: Verdict) -> bool {
    let dropped = match verdict {
        Verdict::Pass => return false,
        Verdict::Notify => !cx.packets[packet].mark(),
        Verdict::Drop => true,
    };
    meter.judged(dropped);
    dropped
}
