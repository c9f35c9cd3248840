//! Slots: which one an instant is in, by a node's own clock.

use crate::units::{Dur, SimTime};

/// A node's clock of slots, which may be off.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    slot: Dur,
    /// Its slots begin so much after those of a clock that is right.
    late: Dur,
    /// The slot that was asked for last, and when it begins: most questions are about that one, and need no division.
    number: u64,
    begins: SimTime,
}

impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        (self.slot, self.late) == (other.slot, other.late)
    }
}

impl Eq for Clock {}

impl Clock {
    /// A clock that is `late` behind the earliest of all.
    #[must_use]
    pub fn new(slot: Dur, late: Dur) -> Self {
        Self { slot, late, number: 0, begins: SimTime::ZERO + late }
    }

    /// The number of the slot that an instant is in; 0 also before the first has begun.
    #[inline]
    pub fn number(&mut self, at: SimTime) -> u64 {
        let next = self.begins + self.slot;
        if at >= next && at < next + self.slot {
            // Mostly it is the one after the last: a step instead of a division.
            self.number += 1;
            self.begins = next;
        } else if at >= next || at < self.begins {
            self.look_up(at);
        }
        self.number
    }

    /// The number of the slot that an instant is in, which begins a slot: mostly this one, and then nothing is divided.
    #[inline]
    pub fn woken(&mut self, slot: u64, at: SimTime) -> u64 {
        if slot == u64::MAX || self.start(slot) != at {
            return self.number(at);
        }
        (self.number, self.begins) = (slot, at);
        slot
    }

    /// Any other slot than the last and the one after it.
    fn look_up(&mut self, at: SimTime) {
        self.number = at.as_ns().saturating_sub(self.late.as_ns()) / self.slot.as_ns();
        self.begins = self.start(self.number);
    }

    /// When the slot begins that [`Self::number`] has named last.
    #[inline]
    #[must_use]
    pub const fn begins(&self) -> SimTime {
        self.begins
    }

    /// When a slot begins.
    #[inline]
    #[must_use]
    pub fn start(&self, slot: u64) -> SimTime {
        SimTime::ZERO + self.late + self.slot * slot
    }

    /// Length of a slot.
    #[must_use]
    pub const fn slot(&self) -> Dur {
        self.slot
    }
}
