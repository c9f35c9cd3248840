//! The retry chain: at which rates a frame goes until an ACK comes.
//!
//! ```text
//!   no sample:       best   ──► second ──► safest ──► slowest
//!   a fast sample:   sample ──► best   ──► safest ──► slowest
//!   a slow sample:   best   ──► sample ──► safest ──► slowest
//! ```

use super::sampler::Sample;
use super::table::Table;
use crate::mac::rate::contract::Attempt;

/// The chain of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// Rates, and tries at each.
    stages: [(usize, u32); 4],
    /// The stage that tries a rate.
    sampled: Option<usize>,
    place: usize,
    failed: u32,
}

impl Chain {
    /// That of a frame which tries a rate, or none.
    pub(super) fn new(table: &Table, sample: Option<Sample>) -> Self {
        let [best, second, safest, slowest] = table.used();
        let (rungs, sampled) = match sample {
            None => ([best, second, safest, slowest], None),
            Some(Sample { rung, deferred: false }) => ([rung, best, safest, slowest], Some(0)),
            Some(Sample { rung, deferred: true }) => ([best, rung, safest, slowest], Some(1)),
        };
        Self { stages: rungs.map(|rung| (rung, table.tries(rung))), sampled, place: 0, failed: 0 }
    }

    /// At what the next attempt is made.
    pub(super) fn attempt(&self) -> Attempt {
        let (rung, _) = self.stages[self.place];
        Attempt { probe: self.sampled == Some(self.place), ..Attempt::at(rung) }
    }

    /// No ACK came. At the slowest rate the frame stays.
    pub(super) fn fail(&mut self) {
        self.failed += 1;
        if self.failed >= self.stages[self.place].1 && self.place + 1 < self.stages.len() {
            self.place += 1;
            self.failed = 0;
        }
    }

    /// Whether the frame came to a sample that was put second.
    pub(super) const fn has_deferred_sample_used(&self) -> bool {
        matches!(self.sampled, Some(1)) && self.place >= 1
    }
}
