//! What a node has to do next: what it would send in a slot, and in which slot there is something to do.

use super::config::Queues;
use super::entry::{Entry, Lane, State};
use super::machine::Frn;
use crate::link::Action;
use crate::mac::Timer;
use crate::port::Sink;
use crate::units::SimTime;

/// What can be sent in a slot, by its place among the entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// A packet that is sent on, ahead of all others.
    pub(super) on: Option<usize>,
    /// The packet that it would send if nobody else does: one that is due again, else the first that has not been sent.
    pub(super) contender: Option<usize>,
}

/// Some of the two lanes, a bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Lanes(u8);

impl Lanes {
    /// Puts a lane among them, or not. No branch depends on it: where a packet stands is as good as random.
    const fn add(&mut self, lane: Lane, whether: bool) {
        self.0 |= (whether as u8) << lane as u8;
    }

    const fn has(self, lane: Lane) -> bool {
        self.0 & 1 << lane as u8 != 0
    }
}

/// The earliest of those that are due by a slot; of several the first.
#[derive(Clone, Copy)]
struct Earliest {
    before: u64,
    place: usize,
}

impl Earliest {
    const fn by(slot: u64) -> Self {
        Self { before: slot.saturating_add(1), place: NOBODY }
    }

    const fn see(&mut self, due: u64, place: usize) {
        (self.before, self.place) = if due < self.before { (due, place) } else { (self.before, self.place) };
    }
}

/// No place: behind all others.
const NOBODY: usize = usize::MAX;

const fn someone(place: usize) -> Option<usize> {
    if place == NOBODY { None } else { Some(place) }
}

impl Frn {
    /// Whose turn it is in a slot.
    #[inline]
    pub(super) fn turn(&self, slot: u64) -> Turn {
        let (mut on, mut again) = (Earliest::by(slot), Earliest::by(slot));
        let (mut under_way, mut first) = (Lanes::default(), [NOBODY; 2]);
        for (place, entry) in self.entries.iter().enumerate() {
            let (state, due) = (entry.state, entry.state.due());
            on.see(if matches!(state, State::On(_)) { due } else { u64::MAX }, place);
            again.see(if matches!(state, State::Backoff(_)) { due } else { u64::MAX }, place);
            under_way.add(entry.lane, entry.is_under_way());
            let first = &mut first[entry.lane as usize];
            *first = (*first).min(if state == State::Ready { place } else { NOBODY });
        }
        let contender = if slot < self.free_from {
            NOBODY
        } else if again.place != NOBODY {
            again.place
        } else {
            let new = |lane: Lane| if self.is_open(lane, under_way) { first[lane as usize] } else { NOBODY };
            new(Lane::Data).min(new(Lane::Ack))
        };
        Turn { on: someone(on.place), contender: someone(contender) }
    }

    /// Whether a packet of a lane may be sent for the first time while these lanes have packets under way: they wait for each
    /// other as configured.
    const fn is_open(&self, lane: Lane, under_way: Lanes) -> bool {
        !self.config.stop_and_wait
            || match self.config.queues {
                Queues::One => under_way.0 == 0,
                Queues::Two => !under_way.has(lane),
            }
    }

    /// Whether a packet of a lane may be sent now that has not been sent before.
    pub(super) fn may_begin(&self, lane: Lane) -> bool {
        let mut under_way = Lanes::default();
        self.entries.iter().for_each(|entry| under_way.add(entry.lane, entry.is_under_way()));
        self.is_open(lane, under_way)
    }

    /// A packet has come, and nothing else has changed: asks to be woken for it.
    pub(super) fn wake_for<S: Sink<Action>>(&mut self, entry: &Entry, slot: u64, out: &mut S) {
        self.settles = self.settles.min(entry.dies);
        let step = match entry.state {
            State::On(due) => due,
            _ if self.may_begin(entry.lane) => self.free_from,
            _ => u64::MAX,
        };
        let step = step.min(entry.dies);
        if step < self.armed {
            let next = step.max(slot + 1);
            if next < self.armed {
                self.armed = next;
                out.put(Action::Arm(Timer::Sequence, self.clock.start(next)));
            }
        }
    }

    /// Asks to be woken at the next slot in which there is something to do.
    pub(super) fn wake<S: Sink<Action>>(&mut self, slot: u64, out: &mut S) {
        let next = self.next_step();
        let next = if next == u64::MAX { next } else { next.max(slot + 1) };
        // What is due in this very slot may be still to come.
        if next != self.armed && self.armed > slot {
            self.armed = next;
            let at = if next == u64::MAX { SimTime::MAX } else { self.clock.start(next) };
            out.put(Action::Arm(Timer::Sequence, at));
        }
    }

    /// The slot in which something is next to be thought of; `u64::MAX` if nothing is.
    fn next_step(&mut self) -> u64 {
        let (mut next, mut settles) = (u64::MAX, u64::MAX);
        for answer in &self.answers {
            next = next.min(answer.slot);
        }
        let (mut under_way, mut new) = (Lanes::default(), Lanes::default());
        for entry in &self.entries {
            let (state, due) = (entry.state, entry.state.due());
            let again = if matches!(state, State::Backoff(_)) { due.max(self.free_from) } else { u64::MAX };
            next = next.min(if matches!(state, State::On(_)) { due } else { again });
            let missed = if matches!(state, State::Waiting { .. }) { due + 1 } else { u64::MAX };
            settles = settles.min(missed).min(entry.dies);
            under_way.add(entry.lane, entry.is_under_way());
            new.add(entry.lane, state == State::Ready);
        }
        self.settles = settles;
        next = next.min(settles);
        let may = |lane: Lane| new.has(lane) && self.is_open(lane, under_way);
        if may(Lane::Data) || may(Lane::Ack) { next.min(self.free_from) } else { next }
    }
}
