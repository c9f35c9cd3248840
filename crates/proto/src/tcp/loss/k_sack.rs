//! k-SACK (Chrungoo, Gupta, Saran & Shorey, GLOBECOM 2001): one loss is not congestion; `k` of them within one window
//! are.
//!
//! ```text
//!            a loss: repair it, the window stands still
//!   NORMAL ───────────────────────────────────────────► HALT
//!     ▲ ▲       all of the loss window acknowledged      │ │ k-th loss within the loss window
//!     │ └────────────────────────────────────────────────┘ ▼
//!     └──────────────────────── SACK recovery, the window halved (RFC 6675)
//! ```
//!
//! The loss window is the congestion window from the first loss on.

use super::contract::{AckInfo, Evidence, Input, LossDecision, LossDetector};
use super::counters::Counters;
use super::sack;
use crate::contract::DUP_THRESH;
use crate::keys;

keys! {
    /// k-SACK.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KSackConfig {
        /// Losses within one window from the first on that are congestion; 1: every loss.
        pub losses: u32 = 2 => within(1, 1000),
    }
}

/// The detector that counts losses.
#[derive(Clone, Debug)]
pub struct KSack {
    /// Losses that are congestion.
    most: u32,
    halt: Option<Halt>,
    /// Holes below this byte have been sent again.
    repaired: u64,
    counters: Counters,
}

#[derive(Clone, Copy, Debug)]
struct Halt {
    /// First byte beyond the loss window.
    end: u64,
    /// Losses below this byte have been counted.
    counted: u64,
    /// Losses so far.
    losses: u32,
}

impl KSack {
    /// So many losses in a window are congestion.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self { most, halt: None, repaired: 0, counters: Counters::default() }
    }
}

impl LossDetector for KSack {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        let (fresh, duplicate) = match input {
            Input::Timer => return LossDecision::Wait,
            Input::Timeout => {
                (self.halt, self.repaired) = (None, seen.una);
                return LossDecision::Wait;
            }
            Input::Duplicate(AckInfo { fresh, .. }) => (fresh, true),
            Input::NewAck(AckInfo { fresh, .. }) => (fresh, false),
        };
        if seen.recovering || self.halt.is_some_and(|halt| seen.una >= halt.end) {
            self.halt = None;
        }
        if seen.recovering {
            return LossDecision::Wait;
        }
        if self.halt.is_none() {
            if !fresh || !sack::is_lost(seen) {
                return LossDecision::Wait;
            }
            // Windows are small numbers of segments.
            let end = seen.una.saturating_add(seen.cwnd as u64 * seen.segment);
            self.halt = Some(Halt { end, counted: seen.una, losses: 0 });
        }
        self.count(seen);
        if self.halt.is_some_and(|halt| halt.losses >= self.most) {
            self.halt = None;
            return LossDecision::Lost;
        }
        match lost_from(seen, self.repaired) {
            Some((seq, end)) => {
                self.repaired = end;
                self.counters.repairs += 1;
                LossDecision::Retransmit { seq }
            }
            // The segment that has left the network makes room for another one.
            None if duplicate => LossDecision::SendNew,
            None => LossDecision::Wait,
        }
    }

    fn holds_window(&self) -> bool {
        self.halt.is_some()
    }

    fn repaired(&self) -> u64 {
        self.repaired
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl KSack {
    /// Counts what has turned out to be lost since.
    fn count(&mut self, seen: &Evidence<'_>) {
        if let Some(halt) = &mut self.halt {
            while let Some((_, end)) = lost_from(seen, halt.counted).filter(|&(start, _)| start < halt.end) {
                (halt.counted, halt.losses) = (end, halt.losses + 1);
            }
        }
    }
}

/// The first lost segment at or above `seq`, as `[start, end)`.
pub(super) fn lost_from(seen: &Evidence<'_>, seq: u64) -> Option<(u64, u64)> {
    let (start, hole) = seen.scoreboard.hole_from(seq.max(seen.una));
    let first = start == seen.una && seen.dupacks >= DUP_THRESH;
    let lost = hole != u64::MAX && (first || seen.scoreboard.is_lost(start, seen.segment));
    lost.then(|| (start, hole.min(start.saturating_add(seen.segment))))
}
