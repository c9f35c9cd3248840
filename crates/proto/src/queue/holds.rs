//! What is not to be offered for a while, and what goes before it; what is taken out unsent.

use super::classes::Queued;
use super::contract::Action;
use super::machine::Queue;
use super::store::Slot;
use super::waiting::Victim;
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

    pub(super) fn put(&mut self, hold: Hold) {
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
        self.waiting.hold(hold);
        self.managed.watch(self.waiting.order().holds());
    }

    /// When the first of the holds that still last ends; `SimTime::MAX` if none does.
    #[must_use]
    pub fn hold_ends(&self, now: SimTime) -> SimTime {
        self.waiting.order().holds().ends(now)
    }

    /// Takes out all that waits for a next hop, the frames in service excepted: it is in routing's custody now.
    pub fn withdraw<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, to: NodeId, out: &mut S) -> Vec<PacketId> {
        self.meter.account(cx.now, self.waiting.store().held());
        let taken = self.waiting.withdraw(to);
        taken.iter().for_each(|&packet| cx.packets.stay_mut(packet).mac_sequence = 0);
        if !taken.is_empty() {
            let classes = self.waiting.store().classes().classes();
            for slot in std::iter::once(Slot::Express).chain((0..classes).map(Slot::Class)) {
                self.managed.left(cx.now, self.waiting.store(), slot);
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
            let found = self.waiting.next_free(cx, to);
            self.managed.watch(self.waiting.order().holds());
            let (slot, place) = found?;
            if to.is_some() && !self.waiting.has_room(slot, place) {
                return None;
            }
            if !self.managed.judges() {
                return Some((slot, place));
            }
            let Some(&entry) = self.waiting.store().waiting_from(slot).nth(place) else {
                return Some((slot, place));
            };
            let Self { managed, waiting, meter, .. } = self;
            if !managed.rejects(cx, waiting.store(), (slot, entry), meter, out) {
                return Some((slot, place));
            }
            self.lose(cx, (slot, Victim::At(place)), DropReason::EarlyDrop, out);
        }
    }

    /// The same for any next hop where an AQM judges heads and minds nothing else, and the MAC has no packet.
    #[inline(never)]
    pub(super) fn next_judged<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) -> Option<Slot> {
        loop {
            let slot = self.waiting.next()?;
            let head = *self.waiting.store().head(slot)?;
            let Self { managed, waiting, meter, .. } = self;
            if !managed.rejects(cx, waiting.store(), (slot, head), meter, out) {
                return Some(slot);
            }
            self.lose(cx, (slot, Victim::At(0)), DropReason::EarlyDrop, out);
        }
    }
}

impl Backlog for Queue {
    #[inline]
    fn length(&self) -> u32 {
        self.waiting.store().length()
    }

    #[inline]
    fn free(&self) -> u32 {
        self.limits.free(self.waiting.store())
    }

    fn each_head(&self, tell: &mut dyn FnMut(Head)) {
        let mut one = |slot, class_length| {
            if let Some(entry) = self.waiting.store().head(slot) {
                let Queued { packet, to, size, .. } = *entry;
                tell(Head { packet, to, size, class_length, in_service: self.waiting.store().is_out(slot) });
            }
        };
        let (express, classes) = (self.waiting.store().express(), self.waiting.store().classes());
        if !express.is_empty() {
            one(Slot::Express, express.len());
        }
        (0..classes.classes()).for_each(|class| one(Slot::Class(class), classes.class_len(class)));
    }
}
