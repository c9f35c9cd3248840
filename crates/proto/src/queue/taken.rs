//! Packets that the MAC takes out of their classes: several of one neighbour, in service at once.
//!
//! A MAC of one frame an exchange is lent the head of a class, which stays where it is until its outcome. A MAC that sends
//! several packets in a frame takes them out instead, as Linux's does. Their outcomes come one by one, in any order. A
//! packet that stays after all goes back to its place: before those that were queued later.

use super::classes::Queued;
use super::contract::Action;
use super::machine::{Queue, end_sent};
use super::store::Slot;
use super::turns::Turns;
use crate::contract::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::NodeId;
use crate::wire::{PacketId, UserPriority};

impl Queue {
    /// From now on the MAC takes packets out, before anything is sent.
    pub const fn let_take(&mut self) {
        self.store.let_take();
    }

    /// Takes out the next packet of a priority for a neighbour, or any packet for any. Of several that wait for it, those of the class whose turn it
    /// is go first. One that was kept after a give-up goes by its turn alone, since its next hop has to be looked up: those
    /// behind it wait for it.
    #[cold]
    #[inline(never)]
    pub fn take<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: Option<(NodeId, UserPriority)>,
        out: &mut S,
    ) -> Option<Offer> {
        loop {
            let (slot, place) = match to {
                None => (self.next_free(cx.now)?, 0),
                Some(to) => self.next_for(cx, to)?,
            };
            if to.is_some() && !self.has_room(slot, place) {
                return None;
            }
            if !self.lets_go(cx, slot, place, out) {
                continue;
            }
            let Queued { packet, to, size, kept } = self.store.take(slot, place)?;
            if let Slot::Class(class) = slot
                && self.shared
            {
                self.turns.charge(class, size, self.store.waiting(class) == 0);
            }
            cx.packets.stay_mut(packet).offered = cx.now;
            return Some(Offer { packet, to, size, second: None, kept: kept > 0 });
        }
    }

    /// Where the next packet for a neighbour waits.
    fn next_for(&mut self, cx: &Cx<'_>, (to, priority): (NodeId, UserPriority)) -> Option<(Slot, usize)> {
        self.holds.end(cx.now);
        let Self { store, holds, turns, shared, .. } = self;
        let (store, holds) = (&*store, &*holds);
        let is_for = |entry: &Queued| entry.to == to && cx.packets[entry.packet].priority == priority;
        let fits = |entry: &Queued| entry.kept == 0 && !holds.on(entry);
        let within = |slot| {
            let (place, entry) = store.waiting_from(slot).enumerate().find(|(_, entry)| is_for(entry))?;
            fits(entry).then_some((slot, place))
        };
        if let Some(found) = within(Slot::Express) {
            return Some(found);
        }
        if !*shared {
            return (0..store.classes().classes()).map(Slot::Class).find_map(within);
        }
        let head_fits = |class| store.head(Slot::Class(class)).is_some_and(|head| is_for(head) && fits(head));
        let on_turn = turns.next(store.classes()).filter(|&class| head_fits(class));
        let class = on_turn.or_else(|| turns.partner(store.classes(), &|class| !head_fits(class)))?;
        Some((Slot::Class(class), 0))
    }

    /// A packet that was taken has come to an end.
    #[cold]
    #[inline(never)]
    pub(super) fn conclude_taken<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        let Some((entry, slot)) = self.store.taken(packet) else { return };
        match outcome {
            Outcome::Held(_) => self.put_back(cx, packet, 0),
            Outcome::GaveUp { .. } if self.keep_rule.keeps(&entry) => {
                self.managed.served(cx, slot, packet, outcome, out);
                self.keep_taken(cx, packet);
            }
            Outcome::Delivered { .. } => {
                self.remove_taken(cx, packet, Some(outcome), out);
                self.note_arrived(slot, entry);
                end_sent(cx, entry);
            }
            Outcome::GaveUp { cause, .. } => {
                self.remove_taken(cx, packet, Some(outcome), out);
                out.put(Action::Dropped(drop_packet(cx, packet, cause.reason())));
            }
        }
        self.say_space(out);
    }

    /// A packet that was taken has gone.
    pub(super) fn remove_taken<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        packet: PacketId,
        outcome: Option<Outcome>,
        out: &mut S,
    ) -> Option<Queued> {
        let (entry, slot) = self.store.give_back(packet)?;
        if self.alert {
            self.gone(cx, slot, Some(packet), outcome, out);
        }
        Some(entry)
    }

    /// A packet that was taken was given up, and is kept.
    pub(super) fn keep_taken(&mut self, cx: &Cx<'_>, packet: PacketId) {
        self.meter.kept();
        self.put_back(cx, packet, 1);
    }

    /// A packet that was taken waits again, before all that were queued later.
    fn put_back(&mut self, cx: &Cx<'_>, packet: PacketId, kept: u32) {
        let Some((mut entry, slot)) = self.store.give_back(packet) else { return };
        entry.kept += kept;
        let order = |packet| (cx.packets[packet].enqueued, cx.packets[packet].uid);
        let earlier = self.store.waiting_from(slot).take_while(|it| order(it.packet) < order(packet)).count();
        self.store.push_at(slot, earlier, entry);
        if let Slot::Class(class) = slot
            && self.shared
        {
            self.turns.refund(class, entry.size);
        }
    }
}
