//! What an arrival, an offer and its end mean beyond first in, first out: limits, and active queue management.

use super::aqm::{Aqm, Arriving, Leaving, Served, Verdict};
use super::atp_sojourn::Sojourn;
use super::classes::Queued;
use super::config::Overflow;
use super::contract::Action;
use super::machine::{Queue, Slot};
use super::set::{AnyAqm, Tail};
use crate::contract::{Cx, Outcome, Sink, drop_packet};
use crate::units::{Dur, SimTime};
use crate::wire::{DropReason, PacketId};

/// The active queue management and what is kept for it.
#[derive(Debug)]
pub(super) struct Managed {
    pub(super) aqm: AnyAqm,
    /// Since when nothing has been here, not even in service, or an arrival has been told of it; counts while that is so.
    idle_since: SimTime,
    /// Idle time that routing messages have ended, of which no arrival has been told yet.
    idle_before: Dur,
    /// Instant for which its timer was asked last.
    armed: SimTime,
    /// How long packets are here, if somebody wants to know.
    sojourn: Option<Sojourn>,
}

impl Default for Managed {
    fn default() -> Self {
        Self {
            aqm: AnyAqm::Tail(Tail),
            idle_since: SimTime::ZERO,
            idle_before: Dur::ZERO,
            armed: SimTime::MAX,
            sojourn: None,
        }
    }
}

impl Managed {
    /// Whether it hears of every packet that leaves.
    pub(super) const fn listens(&self) -> bool {
        !self.aqm.is_tail() || self.sojourn.is_some()
    }

    /// The node has gone down with all that waited.
    pub(super) fn reset(&mut self, now: SimTime) {
        self.aqm.restart(now);
        self.sojourn.as_mut().map(Sojourn::restart);
        (self.idle_since, self.idle_before) = (now, Dur::ZERO);
        self.armed = SimTime::MAX;
    }

    /// Something has come, perhaps to an idle queue.
    fn end_idle(&mut self, now: SimTime, idle: bool) {
        if idle {
            self.idle_before += now.saturating_since(self.idle_since);
        }
        self.idle_since = now;
    }

    fn arm<S: Sink<Action>>(&mut self, out: &mut S) {
        let deadline = self.aqm.deadline();
        if deadline != self.armed {
            self.armed = deadline;
            if deadline < SimTime::MAX {
                out.put(Action::Wake);
            }
        }
    }
}

impl Queue {
    /// Measures how long packets are here, before anything is sent.
    pub fn measure(&mut self, sojourn: Sojourn) {
        self.managed.sojourn = Some(sojourn);
        self.alert = true;
    }

    /// How long packets are here on average \[µs\]; none while it is idle, or if nobody wants to know.
    #[must_use]
    pub fn sojourn(&self, now: SimTime) -> Option<f64> {
        self.managed.sojourn.as_ref()?.average(now)
    }

    /// When the timer of the active queue management shall fire; `SimTime::MAX`: never.
    #[must_use]
    pub const fn wake_at(&self) -> SimTime {
        self.managed.armed
    }

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
            let verdict = (!self.managed.aqm.is_tail()).then(|| self.judge_arrival(cx.now, arrived));
            self.managed.arm(out);
            if self.config.class_limit.is_some_and(|limit| self.waiting(class) > limit as usize) {
                self.managed.aqm.overflowed();
                return self.lose_tail(cx, Some(class), DropReason::QueueFull, out);
            }
            if verdict.is_some_and(|verdict| self.is_dropped(cx, arrived.packet, verdict)) {
                return self.lose_tail(cx, Some(class), DropReason::EarlyDrop, out);
            }
        } else {
            self.managed.end_idle(cx.now, self.held() == 1);
        }
        let length = self.length();
        self.was_full |= length >= self.capacity;
        if length > self.capacity {
            self.managed.aqm.overflowed();
            self.overflow(cx, arrived, out);
        }
    }

    fn judge_arrival(&mut self, now: SimTime, arrived: Queued) -> Verdict {
        let Queued { packet, size, .. } = arrived;
        let waiting = self.length() - 1;
        let out = |entry: &&Queued| {
            self.leaves() && self.in_service.iter().any(|(offered, _)| *offered == entry.packet)
        };
        let entries = self.express.iter().chain(self.classes.iter()).filter(|entry| !out(entry));
        let bytes: u64 = entries.map(|entry| u64::from(entry.size.0)).sum();
        self.managed.end_idle(now, self.held() == 1);
        let idle = std::mem::take(&mut self.managed.idle_before);
        let idle = (idle > Dur::ZERO || self.held() == 1).then_some(idle);
        let arriving = Arriving { packet, size, waiting, bytes: bytes - u64::from(size.0), idle };
        self.managed.aqm.arriving(now, &arriving)
    }

    /// Marks what can be marked; returns whether the packet is to be dropped.
    fn is_dropped(&mut self, cx: &mut Cx<'_>, packet: PacketId, verdict: Verdict) -> bool {
        let dropped = match verdict {
            Verdict::Pass => return false,
            Verdict::Notify => !cx.packets[packet].mark(),
            Verdict::Drop => true,
        };
        self.counters.early_drops += u64::from(dropped);
        self.counters.marked += u64::from(!dropped);
        dropped
    }

    /// One packet too many: the rule says whose.
    fn overflow<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, arrived: Queued, out: &mut S) {
        let express = self.express.iter().any(|entry| entry.packet == arrived.packet);
        let victim = if express || self.config.overflow == Overflow::TailOfLongest {
            self.classes.longest(|class| self.is_out(Slot::Class(class)))
        } else {
            (0..self.classes.classes())
                .find(|&class| self.classes.tail(class).is_some_and(|tail| tail.packet == arrived.packet))
        };
        self.lose_tail(cx, victim, DropReason::QueueFull, out);
    }

    /// The last packet of a class is lost, or the last one of those that go ahead of all classes.
    fn lose_tail<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        class: Option<usize>,
        reason: DropReason,
        out: &mut S,
    ) {
        let dropped = match class {
            Some(class) => {
                let dropped = self.classes.pop_tail(class);
                if self.shared && self.waiting(class) == 0 {
                    self.service.retire(class);
                }
                dropped
            }
            None => self.express.pop_tail(0),
        };
        self.holds.forget(dropped.map(|entry| entry.packet));
        if let Some(entry) = dropped {
            let forced = reason == DropReason::QueueFull && cx.packets[entry.packet].forced;
            let reason = if forced { DropReason::QueueFullForced } else { reason };
            out.put(Action::Dropped(drop_packet(cx, entry.packet, reason)));
        }
    }

    /// Whether the head from here may be offered: if not, the AQM has dropped it. Each is judged once.
    pub(super) fn lets_go<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, slot: Slot, out: &mut S) -> bool {
        let Slot::Class(class) = slot else { return true };
        if self.managed.aqm.is_tail() {
            return true;
        }
        let Some(&Queued { packet, size, kept, .. }) = self.head(slot) else { return true };
        if kept == 0 && cx.packets[packet].mac_sequence == 0 {
            let waited = cx.now.saturating_since(cx.packets[packet].enqueued);
            let verdict = self.managed.aqm.leaving(cx.now, &Leaving { packet, size, waited });
            self.managed.arm(out);
            if self.is_dropped(cx, packet, verdict) {
                self.lose_head(cx, class, out);
                return false;
            }
        }
        true
    }

    fn lose_head<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, class: usize, out: &mut S) {
        let Some(entry) = self.classes.pop(class) else { return };
        if self.shared && self.waiting(class) == 0 {
            self.service.retire(class);
        }
        self.holds.forget(Some(entry.packet));
        self.note_emptied(cx.now);
        out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::EarlyDrop)));
    }

    /// A packet that was in service has left the queue.
    #[cold]
    #[inline(never)]
    pub(super) fn gone<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        packet: Option<PacketId>,
        outcome: Option<Outcome>,
        out: &mut S,
    ) {
        self.holds.forget(packet);
        if let (Some(packet), Some(outcome)) = (packet, outcome) {
            self.served(cx, packet, outcome, out);
        }
        self.note_emptied(cx.now);
    }

    /// The AQM hears what the MAC has made of a packet, and whoever measures how long that took.
    pub(super) fn served<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        let (delivered, rts, attempts) = match outcome {
            Outcome::Delivered { rts, attempts } => (true, rts, attempts),
            Outcome::GaveUp { rts, attempts, .. } => (false, rts, attempts),
            Outcome::Held(_) => return,
        };
        self.managed.aqm.served(cx.now, &Served { attempts: rts.max(attempts), delivered });
        if let Some(sojourn) = &mut self.managed.sojourn {
            sojourn.served(cx.now, cx.packets[packet].enqueued);
        }
        self.managed.arm(out);
    }

    /// Something has left; if nothing is here any more, the idle time begins.
    pub(super) fn note_emptied(&mut self, now: SimTime) {
        if self.is_empty() {
            self.managed.idle_since = now;
        }
    }

    /// The AQM's timer fires, if it has not been put off.
    pub(super) fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if now >= self.managed.armed {
            self.managed.armed = SimTime::MAX;
            self.managed.aqm.timer(now);
            self.managed.arm(out);
        }
    }
}
