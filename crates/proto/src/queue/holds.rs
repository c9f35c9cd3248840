//! What is not to be offered for a while, and what goes before it; what is taken out unsent.

use super::classes::Queued;
use super::contract::Action;
use super::machine::{Queue, Slot};
use crate::contract::{Backlog, Cx, Head, Hold, Sink};
use crate::units::{NodeId, SimTime};
use crate::wire::PacketId;

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

    fn end(&mut self, now: SimTime) {
        self.0.retain(|hold| hold.until() > now);
    }

    fn on(&self, entry: &Queued) -> bool {
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
        self.holds.put(hold);
        self.alert = true;
    }

    /// When the first of the holds that still last ends; `SimTime::MAX` if none does.
    #[must_use]
    pub fn hold_ends(&self, now: SimTime) -> SimTime {
        let ends = self.holds.0.iter().map(|hold| hold.until());
        ends.filter(|&end| end > now).min().unwrap_or(SimTime::MAX)
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
        if !taken.is_empty() {
            self.note_emptied(cx.now);
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
            if self.lets_go(cx, slot, out) {
                return Some(slot);
            }
        }
    }

    /// The next head that is neither in service nor held. Beside frames in service a class goes before its turn, and
    /// borrows the quanta that it lacks; a class whose head is held loses its turn.
    fn next_free(&mut self, now: SimTime) -> Option<Slot> {
        self.holds.end(now);
        self.alert = self.holds.any() || self.managed.listens();
        let Self { in_service, service, express, classes, holds, shared, .. } = self;
        let out = |slot| in_service.iter().any(|&(_, from)| from == slot);
        if !express.is_empty() && !out(Slot::Express) {
            for _ in 0..express.len() {
                match express.head(0) {
                    Some(head) if holds.on(head) => express.rotate(0),
                    _ => return Some(Slot::Express),
                }
            }
        }
        let free =
            |class| !out(Slot::Class(class)) && classes.head(class).is_some_and(|head| !holds.on(head));
        let first = (0..classes.classes()).find(|&class| free(class))?;
        if !*shared {
            return Some(Slot::Class(first));
        }
        if !in_service.is_empty() {
            return service.partner(classes, |class| !free(class)).map(Slot::Class);
        }
        loop {
            let class = service.next(classes)?;
            if free(class) {
                return Some(Slot::Class(class));
            }
            service.rotate(class);
        }
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
            if let Some(entry) = self.head(slot) {
                let Queued { packet, to, size, .. } = *entry;
                tell(Head { packet, to, size, class_length, in_service: self.is_out(slot) });
            }
        };
        if !self.express.is_empty() {
            one(Slot::Express, self.express.len());
        }
        (0..self.classes.classes()).for_each(|class| one(Slot::Class(class), self.classes.class_len(class)));
    }
}
