//! What a node has to do next: what it would send in a slot, and in which slot there is something to do.

use super::config::{FrnConfig, Queues};
use super::entry::{Entry, Lane, Phase};
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
pub(super) struct Lanes(u8);

impl Lanes {
    /// Puts a lane among them, or not. No branch depends on it: where a packet stands is as good as random.
    const fn add(&mut self, lane: Lane, whether: bool) {
        self.0 |= (whether as u8) << lane as u8;
    }

    /// Of each lane those whose packets under way it waits for.
    pub(super) const fn waited_for(config: &FrnConfig) -> [Self; 2] {
        match config.queues {
            _ if !config.stop_and_wait => [Self(0); 2],
            Queues::One => [Self(0b11); 2],
            Queues::Two => [Self(1 << Lane::Data as u8), Self(1 << Lane::Ack as u8)],
        }
    }
}

/// The earliest of those that are due; of several the first.
#[derive(Clone, Copy, Debug)]
struct Earliest {
    due: u64,
    place: usize,
}

impl Earliest {
    const NONE: Self = Self { due: u64::MAX, place: NOBODY };

    #[inline]
    const fn see(&mut self, due: u64, place: usize) {
        (self.due, self.place) = if due < self.due { (due, place) } else { (self.due, self.place) };
    }

    /// Its place, if it is due by a slot.
    const fn by(self, slot: u64) -> usize {
        if self.due <= slot { self.place } else { NOBODY }
    }
}

/// No place: behind all others.
const NOBODY: usize = usize::MAX;

const fn someone(place: usize) -> Option<usize> {
    if place == NOBODY { None } else { Some(place) }
}

/// What stands out among the entries: by it is known in every slot whose turn it is, and when the next one comes. It is
/// looked up once after a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    on: Earliest,
    again: Earliest,
    under_way: Lanes,
    /// Of each lane the first packet that has not been sent.
    new: [usize; 2],
    /// The first slot in which a packet will be found to have lived too long, or its echo not to have come.
    settles: u64,
}

impl Outlook {
    /// Of no entries.
    pub(super) const NONE: Self = Self {
        on: Earliest::NONE,
        again: Earliest::NONE,
        under_way: Lanes(0),
        new: [NOBODY; 2],
        settles: u64::MAX,
    };

    fn of(entries: &[Entry]) -> Self {
        let mut outlook = Self::NONE;
        entries.iter().enumerate().for_each(|(place, entry)| outlook.see(place, entry));
        outlook
    }

    /// Takes in an entry behind those that it has seen.
    #[inline]
    fn see(&mut self, place: usize, entry: &Entry) {
        let state = entry.state;
        self.on.see(state.due_in(Phase::On), place);
        self.again.see(state.due_in(Phase::Backoff), place);
        self.under_way.add(entry.lane, entry.is_under_way());
        let new = if state.phase == Phase::Ready { place } else { NOBODY };
        let [data, ack] = &mut self.new;
        *data = (*data).min(if entry.lane == Lane::Data { new } else { NOBODY });
        *ack = (*ack).min(if entry.lane == Lane::Ack { new } else { NOBODY });
        let missed = state.due_in(Phase::Waiting).saturating_add(1);
        self.settles = self.settles.min(missed).min(entry.dies);
    }
}

impl Frn {
    /// The entries have changed.
    #[inline]
    pub(super) const fn look_again(&mut self) {
        self.stale = true;
    }

    #[inline]
    fn outlook(&mut self) -> Outlook {
        if self.stale {
            self.stale = false;
            self.outlook = Outlook::of(&self.entries);
        }
        self.outlook
    }

    /// Whose turn it is in a slot.
    #[inline]
    pub(super) fn turn(&mut self, slot: u64) -> Turn {
        let Outlook { on, again, under_way, new, .. } = self.outlook();
        let (again, new) = (again.by(slot), self.first_of(new, under_way));
        let contender = if again == NOBODY { new } else { again };
        let contender = if slot < self.free_from { NOBODY } else { contender };
        Turn { on: someone(on.by(slot)), contender: someone(contender) }
    }

    /// Whether a packet of a lane may be sent for the first time while these lanes have packets under way: they wait for each
    /// other as configured.
    const fn is_open(&self, lane: Lane, under_way: Lanes) -> bool {
        self.waits_for[lane as usize].0 & under_way.0 == 0
    }

    /// The first of those packets, one a lane, that may be sent for the first time.
    fn first_of(&self, new: [usize; 2], under_way: Lanes) -> usize {
        let first = |lane: Lane| if self.is_open(lane, under_way) { new[lane as usize] } else { NOBODY };
        first(Lane::Data).min(first(Lane::Ack))
    }

    /// Whether a packet of a lane may be sent now that has not been sent before.
    pub(super) fn may_begin(&mut self, lane: Lane) -> bool {
        let under_way = self.outlook().under_way;
        self.is_open(lane, under_way)
    }

    /// A packet has come, the last of the entries, and nothing else has changed: asks to be woken for it.
    pub(super) fn wake_for<S: Sink<Action>>(&mut self, entry: &Entry, slot: u64, out: &mut S) {
        self.outlook.see(self.entries.len() - 1, entry);
        self.settles = self.settles.min(entry.dies);
        let step = match entry.state.phase {
            Phase::On => entry.state.due,
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
        let Outlook { on, again, under_way, new, settles } = self.outlook();
        self.settles = settles;
        let next = on.due.min(again.due.max(self.free_from)).min(settles);
        let next = self.answers.iter().fold(next, |next, answer| next.min(answer.slot));
        let new = self.first_of(new, under_way);
        next.min(if new == NOBODY { u64::MAX } else { self.free_from })
    }
}
