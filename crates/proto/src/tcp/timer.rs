//! The one timer of a sender: the retransmission timer (RFC 6298 §5), or the persist timer in its place.

use super::persist::Persist;
use crate::units::{Dur, SimTime};

/// When it fires, and as which of the two.
#[derive(Clone, Copy, Debug)]
pub struct RetransmissionTimer {
    persist: Persist,
    deadline: SimTime,
}

impl RetransmissionTimer {
    /// It does not run.
    #[must_use]
    pub fn off() -> Self {
        Self { persist: Persist::default(), deadline: SimTime::MAX }
    }

    /// When it fires; `SimTime::MAX` if it does not run.
    #[inline]
    #[must_use]
    pub const fn deadline(&self) -> SimTime {
        self.deadline
    }

    /// Whether it does not run.
    #[inline]
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.deadline == SimTime::MAX
    }

    /// Whether it runs as the persist timer.
    #[inline]
    #[must_use]
    pub const fn is_probing(&self) -> bool {
        self.persist.is_running()
    }

    /// Sets it.
    #[inline]
    pub const fn set(&mut self, deadline: SimTime) {
        self.deadline = deadline;
    }

    /// It is the retransmission timer again.
    #[inline]
    pub const fn stop_probing(&mut self) {
        self.persist.stop();
    }

    /// It becomes the persist timer; returns when the first probe is due.
    pub fn start_probing(&mut self, now: SimTime, rto: Dur) -> SimTime {
        self.persist.start(now, rto)
    }

    /// A probe goes out; returns when the next is due, at most `most` later.
    pub fn probed(&mut self, now: SimTime, rto: Dur, most: Dur) -> SimTime {
        self.persist.probed(now, rto, most)
    }
}
