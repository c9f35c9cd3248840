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

/// Which lanes a packet that has not been sent may be taken from.
#[derive(Clone, Copy, Debug)]
struct Lanes([bool; 2]);

impl Lanes {
    const OPEN: Self = Self([true; 2]);

    /// A packet of a lane is under way.
    const fn occupy(&mut self, lane: Lane) {
        self.0[lane as usize] = false;
    }

    /// Whether a packet of a lane may be sent for the first time, where they wait for each other as configured.
    const fn are_open(self, lane: Lane, frn: &Frn) -> bool {
        if !frn.config.stop_and_wait {
            return true;
        }
        match frn.config.queues {
            Queues::One => self.0[0] && self.0[1],
            Queues::Two => self.0[lane as usize],
        }
    }
}

/// The earliest of those that are due by a slot; of several the first.
#[derive(Clone, Copy)]
struct Earliest {
    before: u64,
    place: Option<usize>,
}

impl Earliest {
    const fn by(slot: u64) -> Self {
        Self { before: slot.saturating_add(1), place: None }
    }

    const fn see(&mut self, due: u64, place: usize) {
        if due < self.before {
            *self = Self { before: due, place: Some(place) };
        }
    }
}

impl Frn {
    /// Whose turn it is in a slot.
    pub(super) fn turn(&self, slot: u64) -> Turn {
        let (mut on, mut again) = (Earliest::by(slot), Earliest::by(slot));
        let (mut lanes, mut first) = (Lanes::OPEN, [None; 2]);
        for (place, entry) in self.entries.iter().enumerate() {
            match entry.state {
                State::Ready => {
                    first[entry.lane as usize].get_or_insert(place);
                }
                State::On(due) => on.see(due, place),
                State::Waiting { .. } => lanes.occupy(entry.lane),
                State::Backoff(due) => {
                    lanes.occupy(entry.lane);
                    again.see(due, place);
                }
            }
        }
        let contender = || {
            let open = |lane: Lane| first[lane as usize].filter(|_| lanes.are_open(lane, self));
            let new = match (open(Lane::Data), open(Lane::Ack)) {
                (Some(data), Some(ack)) => Some(data.min(ack)),
                (data, ack) => data.or(ack),
            };
            again.place.or(new)
        };
        Turn { on: on.place, contender: if slot < self.free_from { None } else { contender() } }
    }

    /// Whether a packet of a lane may be sent that has not been sent before.
    pub(super) fn is_open(&self, lane: Lane) -> bool {
        let mut lanes = Lanes::OPEN;
        self.entries.iter().filter(|entry| entry.is_under_way()).for_each(|entry| lanes.occupy(entry.lane));
        lanes.are_open(lane, self)
    }

    /// A packet has come, and nothing else has changed: asks to be woken for it.
    pub(super) fn wake_for<S: Sink<Action>>(&mut self, entry: &Entry, slot: u64, out: &mut S) {
        self.settles = self.settles.min(entry.dies);
        let step = match entry.state {
            State::On(due) => due,
            _ if self.is_open(entry.lane) => self.free_from,
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
        let (mut lanes, mut new) = (Lanes::OPEN, [false; 2]);
        for entry in &self.entries {
            settles = settles.min(entry.dies);
            match entry.state {
                State::Ready => new[entry.lane as usize] = true,
                State::On(due) => next = next.min(due),
                State::Waiting { echo } => {
                    lanes.occupy(entry.lane);
                    settles = settles.min(echo + 1);
                }
                State::Backoff(due) => {
                    lanes.occupy(entry.lane);
                    next = next.min(due.max(self.free_from));
                }
            }
        }
        self.settles = settles;
        next = next.min(settles);
        let may = |lane: Lane| new[lane as usize] && lanes.are_open(lane, self);
        if may(Lane::Data) || may(Lane::Ack) { next.min(self.free_from) } else { next }
    }
}
