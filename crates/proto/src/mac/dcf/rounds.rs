//! More than one round of retries (Hamadani & Rakocevic §V, scenario 3, and its future work): a frame that has
//! exhausted a retry limit may be tried for another whole limit before it is given up and the link counts as failed.
//!
//! ```text
//!                    limit exhausted, rounds left: both counters at zero,
//!                    the window widened as after any failure (or narrow)
//!                  ┌──────────────────┐
//!   tries ◄────────┴── a round ───────┴─► delivered, or given up: the first round again
//! ```
//!
//! Adaptive: as many rounds as the station has lately had to back off, counted in failures per delivered frame.

use crate::mac::config::{RoundWindow, RoundsConfig};

/// Weight of the newest frame in the average of failures.
const WEIGHT: f64 = 0.125;

/// The rounds of a station's retries.
#[derive(Clone, Debug)]
pub struct Rounds {
    config: RoundsConfig,
    /// Further rounds of the frame in service.
    used: u32,
    /// Its failures.
    failures: u32,
    /// Failures per delivered frame.
    average: f64,
    /// Further rounds so far.
    begun: u64,
}

impl Rounds {
    /// Name of its counter.
    pub const NAME: &'static str = "mac.retry-rounds";

    /// The rounds of a configuration, if it has more than one.
    #[must_use]
    pub fn new(config: &RoundsConfig) -> Option<Box<Self>> {
        let fresh = Self { config: *config, used: 0, failures: 0, average: 0.0, begun: 0 };
        (config.extra > 0).then(|| Box::new(fresh))
    }

    /// Further rounds that a frame may have now.
    fn allowed(&self) -> u32 {
        let RoundsConfig { extra, adaptive, low, high, .. } = self.config;
        if !adaptive {
            return extra;
        }
        let share = (self.average - low) / (high - low);
        // Between 0 and `extra`; `as` cuts downwards.
        (share * f64::from(extra)).clamp(0.0, f64::from(extra)) as u32
    }

    /// An attempt has failed; `last`: the limit of this round is reached. Returns whether another round begins, and
    /// with which window.
    pub(super) fn failed(&mut self, last: bool) -> Option<RoundWindow> {
        self.failures += 1;
        let another = last && self.used < self.allowed();
        if another {
            self.used += 1;
            self.begun += 1;
        }
        another.then_some(self.config.window)
    }

    /// The frame got through.
    pub(super) fn delivered(&mut self) {
        self.average += (f64::from(self.failures) - self.average) * WEIGHT;
        self.next_frame();
    }

    /// Another frame.
    pub(super) const fn next_frame(&mut self) {
        (self.used, self.failures) = (0, 0);
    }

    /// How many further rounds have begun.
    pub(super) const fn begun(&self) -> u64 {
        self.begun
    }
}
