//! Active queue management of a queue, and what is kept for it: one management of all, or one for each class.

use super::Sojourn;
use super::aqm::{Aqm, Arriving, Leaving, Served, Verdict};
use super::classes::Queued;
use super::config::AqmBy;
use super::contract::Action;
use super::holds::Holds;
use super::meter::Meter;
use super::set::{AnyAqm, Tail};
use super::store::{Slot, Store};
use crate::contract::{Cx, Outcome, Sink};
use crate::units::{Dur, SimTime};
use crate::wire::PacketId;

/// What a queue does at an offer and at its end besides the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Besides {
    /// Nothing.
    Nothing,
    /// An AQM judges heads, and minds nothing else.
    Heads,
    /// Something is held, an AQM minds what becomes of packets, or waiting times are measured.
    Much,
}

/// The active queue management and what is kept for it.
#[derive(Debug)]
pub(super) struct Managed {
    aqm: AnyAqm,
    /// Whether it looks at heads alone ([`Aqm::minds_heads_alone`]).
    heads_alone: bool,
    /// Those of the classes, if each has its own: made when the class first needs it.
    of_classes: Option<Vec<AnyAqm>>,
    /// Since when the queue is empty and nothing is in service, or since the last arrival that knew it. It counts while
    /// the queue is empty.
    idle_since: SimTime,
    /// Idle time that routing messages have ended. The next arrival is to know it.
    idle_before: Dur,
    /// Instant for which its timer was asked last.
    armed: SimTime,
    /// How long packets are here, if it is asked for.
    sojourn: Option<Sojourn>,
    /// What is to be done at an offer and at its end besides.
    besides: Besides,
}

impl Managed {
    /// Drop-tail.
    pub(super) fn new(by: AqmBy) -> Self {
        Self {
            aqm: AnyAqm::Tail(Tail),
            heads_alone: false,
            of_classes: (by == AqmBy::Class).then(Vec::new),
            idle_since: SimTime::ZERO,
            idle_before: Dur::ZERO,
            armed: SimTime::MAX,
            sojourn: None,
            besides: Besides::Nothing,
        }
    }

    /// Puts a management in the place of drop-tail. One from outside stands for the whole queue.
    pub(super) fn set(&mut self, aqm: AnyAqm) {
        if matches!(aqm, AnyAqm::Custom(_)) {
            self.of_classes = None;
        }
        self.heads_alone = aqm.minds_heads_alone();
        self.aqm = aqm;
        self.look_out(false);
    }

    /// What is to be done at an offer and at its end besides.
    #[inline(always)]
    pub(super) const fn besides(&self) -> Besides {
        self.besides
    }

    /// Something is held from now on, or no longer.
    pub(super) const fn watch(&mut self, holds: &Holds) {
        self.look_out(holds.any());
    }

    const fn look_out(&mut self, holds: bool) {
        self.besides = if holds || self.judges_arrivals() || self.sojourn.is_some() {
            Besides::Much
        } else if self.judges() {
            Besides::Heads
        } else {
            Besides::Nothing
        };
    }

    /// Measures how long packets are here.
    pub(super) fn measure(&mut self, sojourn: Sojourn) {
        self.sojourn = Some(sojourn);
        self.look_out(false);
    }

    /// How long packets are here on average \[µs\]; none while it is idle, or if nothing measures it.
    pub(super) fn sojourn(&self, now: SimTime) -> Option<f64> {
        self.sojourn.as_ref()?.average(now)
    }

    /// The management of the whole queue.
    #[cfg(test)]
    pub(super) const fn aqm(&self) -> &AnyAqm {
        &self.aqm
    }

    /// Whether it judges packets.
    pub(super) const fn judges(&self) -> bool {
        !self.aqm.is_tail()
    }

    /// Whether it judges packets as they arrive.
    pub(super) const fn judges_arrivals(&self) -> bool {
        self.judges() && !self.heads_alone
    }

    /// When the timer shall fire; `SimTime::MAX`: never.
    pub(super) const fn armed(&self) -> SimTime {
        self.armed
    }

    /// The node has gone down with all that waited.
    pub(super) fn reset(&mut self, now: SimTime) {
        self.all().for_each(|aqm| aqm.restart(now));
        self.sojourn.as_mut().map(Sojourn::restart);
        (self.idle_since, self.idle_before) = (now, Dur::ZERO);
        self.armed = SimTime::MAX;
    }

    fn all(&mut self) -> impl Iterator<Item = &mut AnyAqm> {
        std::iter::once(&mut self.aqm).chain(self.of_classes.iter_mut().flatten())
    }

    /// The management of a class; of routing messages that of the whole queue, if there is one.
    #[inline]
    fn of(&mut self, slot: Slot) -> Option<&mut AnyAqm> {
        let Self { aqm, of_classes, .. } = self;
        let Some(of_classes) = of_classes else { return Some(aqm) };
        let Slot::Class(class) = slot else { return None };
        if of_classes.len() <= class {
            make_more(of_classes, class, aqm);
        }
        of_classes.get_mut(class)
    }

    /// Something has come, perhaps to an idle queue.
    pub(super) fn end_idle(&mut self, now: SimTime, idle: bool) {
        if idle {
            self.idle_before += now.saturating_since(self.idle_since);
        }
        self.idle_since = now;
    }

    /// Asks to be woken for the timer of a management that has been called. A timer of another class may then fire
    /// early.
    #[inline]
    pub(super) fn arm<S: Sink<Action>>(&mut self, slot: Slot, out: &mut S) {
        if !self.heads_alone {
            self.ask_deadline(slot, out);
        }
    }

    fn ask_deadline<S: Sink<Action>>(&mut self, slot: Slot, out: &mut S) {
        let deadline = self.of(slot).map_or(SimTime::MAX, |aqm| aqm.deadline());
        let first = if self.of_classes.is_some() { deadline.min(self.armed) } else { deadline };
        self.arm_at(first, out);
    }

    fn arm_at<S: Sink<Action>>(&mut self, deadline: SimTime, out: &mut S) {
        if deadline != self.armed {
            self.armed = deadline;
            if deadline < SimTime::MAX {
                out.put(Action::Wake);
            }
        }
    }

    /// What becomes of a packet that has joined a class.
    pub(super) fn arriving(&mut self, now: SimTime, store: &Store, arrived: Queued, class: usize) -> Verdict {
        let Queued { packet, size, .. } = arrived;
        let alone = store.held() == 1;
        self.end_idle(now, alone);
        let idle = std::mem::take(&mut self.idle_before);
        let idle = (idle > Dur::ZERO || alone).then_some(idle);
        let (waiting, bytes) = (self.waiting(store, class), self.bytes(store, class));
        let arriving =
            Arriving { packet, size, waiting: waiting - 1, bytes: bytes - u64::from(size.0), idle };
        self.of(Slot::Class(class)).map_or(Verdict::Pass, |aqm| aqm.arriving(now, &arriving))
    }

    /// Packets that wait, as the management of a class counts them.
    fn waiting(&self, store: &Store, class: usize) -> u32 {
        match self.of_classes {
            None => store.length(),
            Some(_) => store.waiting(class) as u32, // packets are counted in 32 bits
        }
    }

    /// Bytes that wait, as it counts them.
    #[inline]
    fn bytes(&self, store: &Store, class: usize) -> u64 {
        match self.of_classes {
            None => store.bytes(),
            Some(_) => store.class_bytes(class),
        }
    }

    /// A packet was lost for want of room.
    pub(super) fn overflowed(&mut self, slot: Slot) {
        if let Some(aqm) = self.of(slot) {
            aqm.overflowed();
        }
    }

    /// What becomes of the head of a class that is about to be offered for the first time.
    #[inline(always)]
    fn leaving(&mut self, cx: &Cx<'_>, store: &Store, head: Queued, class: usize) -> Verdict {
        let Queued { packet, size, .. } = head;
        let waited = cx.now.saturating_since(cx.packets[packet].enqueued);
        let left = self.bytes(store, class) - u64::from(size.0);
        let leaving = Leaving { packet, size, waited, left, ecn: cx.packets[packet].is_markable() };
        self.of(Slot::Class(class)).map_or(Verdict::Pass, |aqm| aqm.leaving(cx.now, &leaving))
    }

    /// Whether what is about to be offered is to be dropped. Each packet is judged once.
    #[inline(always)]
    pub(super) fn rejects<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        store: &Store,
        (slot, entry): (Slot, Queued),
        meter: &mut Meter,
        out: &mut S,
    ) -> bool {
        let Slot::Class(class) = slot else { return false };
        if !self.judges() || entry.kept > 0 || cx.packets.stay(entry.packet).mac_sequence != 0 {
            return false;
        }
        let verdict = self.leaving(cx, store, entry, class);
        self.arm(slot, out);
        meter.judge(cx, entry.packet, verdict)
    }

    /// The MAC has come to an end with a packet.
    pub(super) fn served<S: Sink<Action>>(
        &mut self,
        cx: &Cx<'_>,
        slot: Slot,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        let (delivered, rts, attempts) = match outcome {
            Outcome::Delivered { rts, attempts } => (true, rts, attempts),
            Outcome::GaveUp { rts, attempts, .. } => (false, rts, attempts),
            Outcome::Held(_) => return,
        };
        if !self.heads_alone
            && let Some(aqm) = self.of(slot)
        {
            aqm.served(cx.now, &Served { attempts: rts.max(attempts), delivered });
        }
        if let Some(sojourn) = &mut self.sojourn {
            sojourn.served(cx.now, cx.packets[packet].enqueued);
        }
        self.arm(slot, out);
    }

    /// Something has left from here; if nothing is here any more, the management hears of it, and the idle time begins.
    #[inline]
    pub(super) fn left(&mut self, now: SimTime, store: &Store, slot: Slot) {
        if let Slot::Class(class) = slot
            && store.classes().class_len(class) > 0
        {
            return;
        }
        let empty = store.held() == 0;
        if empty {
            self.idle_since = now;
        }
        let alone = empty || self.of_classes.is_some() && slot != Slot::Express;
        if alone && let Some(aqm) = self.of(slot) {
            aqm.emptied(now);
        }
    }

    /// The timer fires, if it has not been put off.
    pub(super) fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if now >= self.armed {
            self.armed = SimTime::MAX;
            self.all().filter(|aqm| aqm.deadline() <= now).for_each(|aqm| aqm.timer(now));
            let next = self.all().map(|aqm| aqm.deadline()).min().unwrap_or(SimTime::MAX);
            self.arm_at(next, out);
        }
    }
}

/// Makes the managements of classes up to this one.
#[cold]
fn make_more(of_classes: &mut Vec<AnyAqm>, class: usize, aqm: &mut AnyAqm) {
    while of_classes.len() <= class {
        of_classes.extend(aqm.sibling());
    }
}
