//! What a queue counts, and until when.

use super::counters::Counters;
use crate::units::SimTime;

/// The counters of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    counters: Counters,
    counted_at: SimTime,
}

impl Meter {
    /// So many packets have been held until now.
    #[inline(always)]
    pub(super) fn account(&mut self, now: SimTime, held: usize) {
        let passed = now - self.counted_at;
        self.counted_at = now;
        self.counters.account_for(passed, held);
    }

    /// A packet was given up and is kept.
    pub(super) const fn kept(&mut self) {
        self.counters.kept += 1;
    }

    /// Active queue management has dropped a packet, or marked it.
    pub(super) fn judged(&mut self, dropped: bool) {
        self.counters.early_drops += u64::from(dropped);
        self.counters.marked += u64::from(!dropped);
    }

    /// The counters up to `now`.
    pub(super) fn read(&self, now: SimTime, held: usize, turns: u64) -> Counters {
        let mut counters = Counters { turns, ..self.counters };
        counters.account_for(now.saturating_since(self.counted_at), held);
        counters
    }
}
