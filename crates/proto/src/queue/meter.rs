//! What a queue counts, and until when.

use super::aqm::Verdict;
use super::counters::Counters;
use crate::contract::Cx;
use crate::units::SimTime;
use crate::wire::PacketId;

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

    /// Active queue management has judged a packet: marks what can be marked, and returns whether it is to be dropped.
    pub(super) fn judge(&mut self, cx: &mut Cx<'_>, packet: PacketId, verdict: Verdict) -> bool {
        let dropped = match verdict {
            Verdict::Pass => return false,
            Verdict::Notify => !cx.packets[packet].mark(),
            Verdict::Drop => true,
        };
        self.counters.early_drops += u64::from(dropped);
        self.counters.marked += u64::from(!dropped);
        dropped
    }

    /// The counters up to `now`.
    pub(super) fn read(&self, now: SimTime, held: usize, turns: u64) -> Counters {
        let mut counters = Counters { turns, ..self.counters };
        counters.account_for(now.saturating_since(self.counted_at), held);
        counters
    }
}
