//! The timer of a machine, as what drives the machine keeps it.

use crate::units::SimTime;

/// When a machine wants to be woken. Each request replaces the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake(SimTime);

impl Wake {
    /// It does not want to be woken.
    pub const OFF: Self = Self(SimTime::MAX);

    /// The instant; `SimTime::MAX` if there is none.
    #[inline(always)]
    #[must_use]
    pub const fn at(self) -> SimTime {
        self.0
    }

    /// It wants to be woken at this instant; `SimTime::MAX`: at none.
    #[inline(always)]
    pub const fn set(&mut self, at: SimTime) {
        self.0 = at;
    }

    /// Whether it is to be woken now; then the request is done.
    #[inline]
    pub fn fires(&mut self, now: SimTime) -> bool {
        let fires = self.0 <= now;
        if fires {
            *self = Self::OFF;
        }
        fires
    }

    /// The earliest instant of all.
    #[inline(always)]
    pub fn earliest(all: impl Iterator<Item = Self>) -> SimTime {
        all.map(Self::at).min().unwrap_or(SimTime::MAX)
    }
}
