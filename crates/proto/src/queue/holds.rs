//! What is not to be offered for a while, and what goes before it; what is taken out unsent.

use super::admit::is_dropped;
use super::classes::Queued;
use super::contract::Action;
use super::machine::Queue;
use super::store::{Slot, Store};
use super::turns::Turns;
use crate::contract::{Backlog, Cx, Head, Hold, Sink};
use crate::units::{NodeId, SimTime};
use crate::wire::{DropReason, PacketId};

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

/// Whether the head of a class may be offered: it is neither in service nor held.
pub(super) fn is_free(store: &Store, holds: &Holds, class: usize) -> bool {
    let slot = Slot::Class(class);
    !store.is_out(slot) && store.head(slot).is_some_and(|head| !holds.on(head))
}

impl Queue {
    /// Something is not to be offered for a while.
    pub fn hold(&mut self, hold: Hold) {
        self.holds.put(hold);
        self.alert = true;
    }

    /// When the first of the holds that still last ends; `SimTime::MAX` if none does.
    #[must_use]
    pub fn hold_ends(&self, now: SimTime) -> SimTime {
        self.holds.ends(now)
    }

    /// Takes out all that waits for a next hop, the frames in service excepted: it is in routing's custody now.
    pub fn withdraw<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, to: NodeId, out: &mut S) -> Vec<PacketId> {
        self.meter.account(cx.now, self.store.held());
        let taken = self.store.withdraw(to);
        let classes = self.store.classes().classes();
        for slot in (0..classes).map(Slot::Class) {
            self.note_emptied(slot);
        }
        for &packet in &taken {
            self.holds.forget(Some(packet));
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

    /// The next head for the MAC where more is to be looked at than usual.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_over<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) -> Option<Slot> {
        loop {
            let slot = self.next_free(cx.now)?;
            if self.lets_go(cx, slot, 0, out) {
                return Some(slot);
            }
        }
    }

    /// The next head that is neither in service nor held. Beside frames in service a class goes before its turn, and borrows
    /// what it lacks; a class whose head is held loses its turn.
    pub(super) fn next_free(&mut self, now: SimTime) -> Option<Slot> {
        self.holds.end(now);
        self.alert = self.holds.any() || self.managed.listens();
        if !self.store.is_out(Slot::Express) {
            for _ in 0..self.store.express().len() {
                match self.store.head(Slot::Express) {
                    Some(head) if self.holds.on(head) => self.store.rotate_ahead(),
                    _ => return Some(Slot::Express),
                }
            }
        }
        let Self { store, holds, turns, shared, .. } = self;
        let (store, holds) = (&*store, &*holds);
        if *shared && !store.serves() && !holds.any() {
            return turns.next(store.classes()).map(Slot::Class);
        }
        let first = (0..store.classes().classes()).find(|&class| is_free(store, holds, class))?;
        if !*shared {
            return Some(Slot::Class(first));
        }
        if store.serves() {
            return turns.partner(store.classes(), &|class| !is_free(store, holds, class)).map(Slot::Class);
        }
        loop {
            let class = turns.next(store.classes())?;
            if is_free(store, holds, class) {
                return Some(Slot::Class(class));
            }
            turns.rotate(class);
        }
    }

    /// Whether what waits at a place may be offered: if not, the AQM has dropped it. Each packet is judged once.
    pub(super) fn lets_go<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        slot: Slot,
        place: usize,
        out: &mut S,
    ) -> bool {
        let Slot::Class(class) = slot else { return true };
        if !self.managed.judges() {
            return true;
        }
        let Some(&head) = self.store.waiting_from(slot).nth(place) else { return true };
        if head.kept > 0 || cx.packets.stay(head.packet).mac_sequence != 0 {
            return true;
        }
        let verdict = self.managed.leaving(cx, &self.store, head, class);
        self.managed.arm(slot, out);
        if !is_dropped(cx, &mut self.meter, head.packet, verdict) {
            return true;
        }
        let entry = self.store.pop_at(slot, place);
        self.lose(cx, slot, entry, DropReason::EarlyDrop, out);
        false
    }
}

impl Backlog for Queue {
    fn length(&self) -> u32 {
        self.length()
    }

    fn free(&self) -> u32 {
        self.free()
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
