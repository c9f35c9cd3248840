//! What an arrival means beyond first in, first out: limits, and which class loses a packet when there is one too many.

use super::classes::Queued;
use super::config::{LimitRule, Overflow, QueueConfig};
use super::contract::Action;
use super::machine::Queue;
use super::managed::Besides;
use super::store::{Slot, Store};
use super::waiting::Victim;
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
    /// Whether an arrival without room is itself the packet that is lost: packets of one class are all that is counted.
    refuses: bool,
    /// The length, the arriving packet counted, from which an arrival is looked at.
    watch: u32,
    /// Whether there was no room, and others have not heard yet of any since.
    was_full: bool,
}

impl Limits {
    pub(super) const fn new(config: &QueueConfig) -> Self {
        let each = config.class_limit.is_some() || config.limit_bytes.is_some();
        let loses_last = !config.service.has_classes() && !matches!(config.overflow, Overflow::HeadOfFattest);
        Self {
            packets: config.capacity(),
            in_service: matches!(config.limit_rule, LimitRule::InService),
            bytes: config.limit_bytes,
            of_class: config.class_limit,
            overflow: config.overflow,
            refuses: loses_last && !each,
            watch: if each { 0 } else { config.capacity() },
            was_full: false,
        }
    }

    /// Each arrival is looked at.
    pub(super) const fn watch_all(&mut self) {
        self.watch = 0;
    }

    /// Whether the next arrival is to be looked at.
    #[inline(always)]
    pub(super) fn looks_at_next(&self, store: &Store) -> bool {
        self.length(store) + 1 >= self.watch
    }

    /// Whether a packet of a class has no room and is itself the one that is lost.
    pub(super) fn refuses(&self, store: &Store) -> bool {
        self.refuses && self.length(store) >= self.packets
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

    /// Whether there was no room, and others have not heard yet of any since.
    #[inline(always)]
    pub(super) const fn was_full(&self) -> bool {
        self.was_full
    }

    /// The same, and there is room now; true once.
    #[cold]
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

    /// Which class loses packets when there is one too many, which of them, and how many.
    fn victim(&self, store: &Store, arrived: Slot) -> ((Slot, Victim), usize) {
        let (class, from_head) = match (self.overflow, arrived) {
            (Overflow::HeadOfFattest, _) => (store.fattest(), true),
            (Overflow::Arriving, Slot::Class(class)) => (Some(class), false),
            (Overflow::TailOfLongest, _) | (Overflow::Arriving, Slot::Express) => (store.longest(), false),
        };
        let half = |class| (store.waiting(class) / 2).clamp(1, BATCH);
        let slot = class.map_or(Slot::Express, Slot::Class);
        match class.filter(|_| from_head) {
            Some(class) => ((slot, Victim::First), half(class)),
            None => ((slot, Victim::Last), 1),
        }
    }
}

impl Queue {
    /// Takes an arrival that is looked at: there may be no room for it, or it may be one too many.
    #[cold]
    #[inline(never)]
    pub(super) fn enqueue_watched<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, entry: Queued, out: &mut S) {
        let header = &cx.packets[entry.packet];
        let refuses = self.limits.refuses(self.waiting.store())
            && self.managed.besides() == Besides::Nothing
            && !self.waiting.goes_ahead(header);
        if refuses {
            self.limits.was_full = true;
            out.put(Action::Dropped(drop_packet(cx, entry.packet, full_for(cx, entry.packet))));
        } else {
            let slot = self.waiting.join(header, entry);
            self.look_at(cx, entry, slot, out);
        }
    }

    /// A packet has joined: it may be one too many, or the AQM may not want it.
    fn look_at<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, arrived: Queued, slot: Slot, out: &mut S) {
        if let Slot::Class(class) = slot {
            let verdict = self
                .managed
                .judges_arrivals()
                .then(|| self.managed.arriving(cx.now, self.waiting.store(), arrived, class));
            self.managed.arm(slot, out);
            if self.limits.of_class.is_some_and(|limit| self.waiting.store().waiting(class) > limit as usize)
            {
                self.managed.overflowed(slot);
                return self.lose(cx, (slot, Victim::Last), DropReason::QueueFull, out);
            }
            if verdict.is_some_and(|verdict| self.meter.judge(cx, arrived.packet, verdict)) {
                return self.lose(cx, (slot, Victim::Last), DropReason::EarlyDrop, out);
            }
        } else {
            self.managed.end_idle(cx.now, self.waiting.store().held() == 1);
        }
        self.limits.note_fullness(self.waiting.store());
        let mut passed = self.limits.are_passed(self.waiting.store());
        while passed {
            let held = self.waiting.store().held();
            let (victim, count) = self.limits.victim(self.waiting.store(), slot);
            self.managed.overflowed(victim.0);
            for _ in 0..count {
                self.lose(cx, victim, DropReason::QueueFull, out);
            }
            let store = self.waiting.store();
            passed = store.held() < held && self.limits.are_still_passed(store);
        }
    }

    /// A packet that waits here is lost.
    pub(super) fn lose<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        (slot, victim): (Slot, Victim),
        reason: DropReason,
        out: &mut S,
    ) {
        let entry = self.waiting.lose(slot, victim);
        if self.managed.judges() {
            self.managed.left(cx.now, self.waiting.store(), slot);
        }
        if let Some(entry) = entry {
            let full = reason == DropReason::QueueFull;
            let reason = if full { full_for(cx, entry.packet) } else { reason };
            out.put(Action::Dropped(drop_packet(cx, entry.packet, reason)));
        }
        self.say_space(out);
    }
}

/// The drop reason of a packet that finds no room in the queue.
fn full_for(cx: &Cx<'_>, packet: PacketId) -> DropReason {
    if cx.packets[packet].forced { DropReason::QueueFullForced } else { DropReason::QueueFull }
}
