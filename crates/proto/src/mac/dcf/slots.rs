//! Slots that do not count, as their station hears in them what it heard last.

use super::Dcf;
use crate::mac::config::SlotCount;
use crate::units::SimTime;

impl Dcf {
    /// Whether a frame is sent as the access timer fires now, at the end of the last slot.
    #[must_use]
    pub fn sends_at(&self, now: SimTime) -> bool {
        self.job.is_some() && self.access.ends_at(now) && !self.access.is_interrupted()
    }

    /// The slot that ends now does not count: the back-off takes one more. Returns when it ends.
    pub fn lose_slot(&mut self) -> SimTime {
        self.access.lose_slot();
        self.access.armed = self.access.deadline();
        self.access.armed
    }

    /// Whether it counts its slots in seconds.
    #[must_use]
    pub fn counts_in_seconds(&self) -> bool {
        self.config.slot_count == SlotCount::Seconds
    }

    /// The station that was heard last is about to begin to send: what is cut off from a count in seconds is lost. An access
    /// timer that stands too early checks its deadline.
    #[inline]
    pub fn cut_slot(&mut self, now: SimTime) {
        if self.counts_in_seconds() && self.access.counts_short(now) {
            self.access.lose_slot();
        }
    }
}
