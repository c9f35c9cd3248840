//! Slots: which one an instant is in, by a node's own clock.

use crate::units::{Dur, SimTime};

/// A node's clock of slots, which may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    slot: Dur,
    /// Its slots begin so much after those of a clock that is right.
    late: Dur,
}

impl Clock {
    /// A clock that is `late` behind the earliest of all.
    #[must_use]
    pub const fn new(slot: Dur, late: Dur) -> Self {
        Self { slot, late }
    }

    /// The number of the slot that an instant is in; 0 also before the first has begun.
    #[inline]
    #[must_use]
    pub const fn number(self, at: SimTime) -> u64 {
        at.as_ns().saturating_sub(self.late.as_ns()) / self.slot.as_ns()
    }

    /// When a slot begins.
    #[inline]
    #[must_use]
    pub fn start(self, slot: u64) -> SimTime {
        SimTime::ZERO + self.late + self.slot * slot
    }

    /// Length of a slot.
    #[must_use]
    pub const fn slot(self) -> Dur {
        self.slot
    }
}
