//! Packets that the MAC takes out of their classes: several of one neighbour, in service at once.
//!
//! A MAC of one frame an exchange is lent the head of a class, which stays where it is until its outcome. A MAC that
//! sends several packets in a frame takes them out instead, as Linux's does. Their outcomes come one by one, in any
//! order. A packet that stays after all goes back to its place: before those that were queued later.

use super::classes::Queued;
use super::contract::Action;
use super::machine::{Queue, end_sent};
use super::managed::Besides;
use super::store::Slot;
use crate::contract::{Cx, Offer, Outcome, Sink, drop_packet};
use crate::units::NodeId;
use crate::wire::{PacketId, UserPriority};

impl Queue {
    /// From now on the MAC takes packets out, before anything is sent.
    pub const fn let_take(&mut self) {
        self.waiting.let_take();
    }

    /// Takes out the next packet of a priority for a neighbour, or any packet for any. Of several that wait for it,
    /// those of the class whose turn it is go first. One that was kept after a give-up goes by its turn alone, since
    /// its next hop has to be looked up: those behind it wait for it.
    #[cold]
    #[inline(never)]
    pub fn take<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: Option<(NodeId, UserPriority)>,
        out: &mut S,
    ) -> Option<Offer> {
        let found = match self.managed.besides() {
            Besides::Nothing if !self.waiting.order().minds_airtime() => self.waiting.next_free(cx, to),
            _ => self.pass_over(cx, to, out),
        };
        let entry = found.and_then(|(slot, place)| self.waiting.take(slot, place));
        self.say_space(out);
        Some(entry?.offered(cx))
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
        match outcome {
            Outcome::Delivered { .. } => {
                let Some((entry, slot)) = self.remove_taken(cx, packet, Some(outcome), out) else { return };
                self.waiting.order_mut().arrived(slot, entry);
                end_sent(cx, entry);
            }
            Outcome::Held(_) => self.put_back(cx, packet, false),
            Outcome::GaveUp { cause, .. } => {
                let Some((entry, slot)) = self.waiting.store().taken(packet) else { return };
                if self.keep_rule.keeps(&entry) {
                    self.managed.served(cx, slot, packet, outcome, out);
                    self.put_back(cx, packet, true);
                } else {
                    self.remove_taken(cx, packet, Some(outcome), out);
                    out.put(Action::Dropped(drop_packet(cx, packet, cause.reason())));
                }
            }
        }
        self.say_space(out);
    }

    /// A packet that was taken has gone; returns it, and where it came from.
    pub(super) fn remove_taken<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        packet: PacketId,
        outcome: Option<Outcome>,
        out: &mut S,
    ) -> Option<(Queued, Slot)> {
        let (entry, slot) = self.waiting.give_up(packet)?;
        self.gone(cx, slot, Some(packet), outcome, out);
        Some((entry, slot))
    }

    /// A packet that was taken waits again, before all that were queued later; `kept`: it was given up.
    pub(super) fn put_back(&mut self, cx: &Cx<'_>, packet: PacketId, kept: bool) {
        if kept {
            self.meter.kept();
        }
        self.waiting.put_back(cx.packets, packet, kept);
        self.limits.note_fullness(self.waiting.store());
    }
}
