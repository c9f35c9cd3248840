//! What is not to be offered for a while, and what goes before it; what is taken out unsent.

use super::admit::is_dropped;
use super::classes::Queued;
use super::contract::Action;
use super::machine::Queue;
use super::store::Slot;
use crate::contract::{Backlog, Cx, Head, Hold, Sink};
use crate::units::{NodeId, SimTime};
use crate::wire::{DropReason, PacketId, UserPriority};

/// The holds that have not ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds(Vec<Hold>);

impl Holds {
    /// Whether there may be any.
    #[inline(always)]
    pub(super) const fn any(&self) -> bool {
        !self.0.is_empty()
    }

    fn put(&mut self, hold: Hold) {
        self.0.retain(|old| match (*old, hold) {
            (Hold::Packet(old, _), Hold::Packet(new, _)) => old != new,
            (Hold::Neighbour(old, _), Hold::Neighbour(new, _)) => old != new,
            _ => true,
        });
        self.0.push(hold);
    }

    pub(super) fn end(&mut self, now: SimTime) {
        self.0.retain(|hold| hold.until() > now);
    }

    /// When the first of those that still last ends; `SimTime::MAX` if none does.
    fn ends(&self, now: SimTime) -> SimTime {
        let ends = self.0.iter().map(|hold| hold.until());
        ends.filter(|&end| end > now).min().unwrap_or(SimTime::MAX)
    }

    pub(super) fn on(&self, entry: &Queued) -> bool {
        self.0.iter().any(|hold| match *hold {
            Hold::Packet(packet, _) => packet == entry.packet,
            Hold::Neighbour(neighbour, _) => neighbour == entry.to,
        })
    }

    /// A packet leaves the queue: its number may come to mean another one.
    #[cold]
    pub(super) fn forget(&mut self, gone: Option<PacketId>) {
        self.0.retain(|hold| !matches!(*hold, Hold::Packet(packet, _) if Some(packet) == gone));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Queue {
    /// Something is not to be offered for a while.
    pub fn hold(&mut self, hold: Hold) {
        self.order.holds_mut().put(hold);
        self.watch_out();
    }

    /// When the first of the holds that still last ends; `SimTime::MAX` if none does.
    #[must_use]
    pub fn hold_ends(&self, now: SimTime) -> SimTime {
        self.order.holds().ends(now)
    }

    /// Takes out all that waits for a next hop, the frames in service excepted: it is in routing's custody now.
    pub fn withdraw<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, to: NodeId, out: &mut S) -> Vec<PacketId> {
        self.meter.account(cx.now, self.store.held());
        let taken = self.store.withdraw(to);
        let classes = self.store.classes().classes();
        for slot in (0..classes).map(Slot::Class) {
            self.order.note_emptied(&self.store, slot);
        }
        for &packet in &taken {
            self.order.holds_mut().forget(Some(packet));
            cx.packets.stay_mut(packet).mac_sequence = 0;
        }
        if !taken.is_empty() {
            for slot in std::iter::once(Slot::Express).chain((0..classes).map(Slot::Class)) {
                self.managed.left(cx.now, &self.store, slot);
            }
        }
        self.say_space(out);
        taken
    }

    /// Where the next packet for the MAC waits, of a next hop or of any, where more is to be looked at than usual.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_over<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: Option<(NodeId, UserPriority)>,
        out: &mut S,
    ) -> Option<(Slot, usize)> {
        loop {
            let found = match to {
                None => self.order.next_free(cx.now, &mut self.store).map(|slot| (slot, 0)),
                Some(to) => self.order.next_for(cx, &self.store, to),
            };
            self.watch_out();
            let (slot, place) = found?;
            if to.is_some() && !self.order.has_room(&self.store, slot, place) {
                return None;
            }
            let Some(&entry) = self.store.waiting_from(slot).nth(place) else { return Some((slot, place)) };
            if self.lets_go(cx, slot, place, entry, out) {
                return Some((slot, place));
            }
        }
    }

    /// The same for any next hop where an AQM judges heads and minds nothing else, and the MAC has no packet.
    #[inline(never)]
    pub(super) fn next_judged<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) -> Option<Slot> {
        loop {
            let slot = self.order.next(&self.store)?;
            let head = *self.store.head(slot)?;
            if self.lets_go(cx, slot, 0, head, out) {
                return Some(slot);
            }
        }
    }

    /// Whether what waits at a place may be offered: if not, the AQM has dropped it. Each packet is judged once.
    #[inline]
    fn lets_go<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        slot: Slot,
        place: usize,
        entry: Queued,
        out: &mut S,
    ) -> bool {
        let Slot::Class(class) = slot else { return true };
        if !self.managed.judges() || entry.kept > 0 || cx.packets.stay(entry.packet).mac_sequence != 0 {
            return true;
        }
        let verdict = self.managed.leaving(cx, &self.store, entry, class);
        self.managed.arm(slot, out);
        if !is_dropped(cx, &mut self.meter, entry.packet, verdict) {
            return true;
        }
        let entry = self.store.pop_at(slot, place);
        self.lose(cx, slot, entry, DropReason::EarlyDrop, out);
        false
    }
}

impl Backlog for Queue {
    #[inline]
    fn length(&self) -> u32 {
        self.store.length()
    }

    #[inline]
    fn free(&self) -> u32 {
        self.limits.free(&self.store)
    }

    fn each_head(&self, tell: &mut dyn FnMut(Head)) {
        let mut one = |slot, class_length| {
            if let Some(entry) = self.store.head(slot) {
                let Queued { packet, to, size, .. } = *entry;
                tell(Head { packet, to, size, class_length, in_service: self.store.is_out(slot) });
            }
        };
        let (express, classes) = (self.store.express(), self.store.classes());
        if !express.is_empty() {
            one(Slot::Express, express.len());
        }
        (0..classes.classes()).for_each(|class| one(Slot::Class(class), classes.class_len(class)));
    }
}
