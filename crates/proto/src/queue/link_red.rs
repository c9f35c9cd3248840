//! Link RED (Fu, Zerfos, Luo, Lu, Zhang & Gerla, INFOCOM 2003, §IV): over several hops queues stay short and packets die of
//! contention, so that what tells of overload is not a length but how often the MAC must try. Each head that is about to
//! be offered is marked, or dropped, with a probability that grows with the retries of the packets before.
//!
//! ```text
//!   average ← (1 − weight) · average + weight · retries of the packet just served
//!
//!   average < min-threshold    0
//!   otherwise                  min((average − min-threshold) / (max-threshold − min-threshold), max-p)
//! ```

use super::aqm::{Aqm, Leaving, Served, Verdict};
use crate::units::range::{Checked, must, probability, within};
use crate::units::{Rng, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Link RED. The paper gives no values that hold for every network; these are of the order of its examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinkRedConfig {
    /// Average of retries per packet from which packets are marked or dropped.
    pub min_threshold: f64,
    /// Average at which the probability would reach 1.
    pub max_threshold: f64,
    /// Largest probability (max_P).
    pub max_p: f64,
    /// Weight of the newest packet in the average.
    pub weight: f64,
}

impl Default for LinkRedConfig {
    fn default() -> Self {
        Self { min_threshold: 1.0, max_threshold: 4.0, max_p: 0.1, weight: 0.125 }
    }
}

impl LinkRedConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("min-threshold", self.min_threshold, 0.0, 1000.0)?;
        let rule = format_args!("lie above `queue.link-red.min-threshold`, {}", self.min_threshold);
        must(self.max_threshold > self.min_threshold, "max-threshold", self.max_threshold, rule)?;
        probability("max-p", self.max_p)?;
        must(self.weight > 0.0 && self.weight <= 1.0, "weight", self.weight, "lie above 0 and at most be 1")
    }
}

/// Link RED of one queue.
#[derive(Clone, Debug)]
pub struct LinkRed {
    config: LinkRedConfig,
    average: f64,
    draws: Rng,
}

impl LinkRed {
    /// One that has served nothing yet.
    #[must_use]
    pub const fn new(config: LinkRedConfig, draws: Rng) -> Self {
        Self { config, average: 0.0, draws }
    }

    /// Probability with which the next head is chosen.
    #[must_use]
    pub fn probability(&self) -> f64 {
        let LinkRedConfig { min_threshold, max_threshold, max_p, .. } = self.config;
        let share = (self.average - min_threshold) / (max_threshold - min_threshold);
        share.clamp(0.0, max_p)
    }
}

impl Aqm for LinkRed {
    fn leaving(&mut self, _now: SimTime, _packet: &Leaving) -> Verdict {
        let p = self.probability();
        if p > 0.0 && self.draws.f64() < p { Verdict::Notify } else { Verdict::Pass }
    }

    fn served(&mut self, _now: SimTime, packet: &Served) {
        let retries = f64::from(packet.attempts.saturating_sub(1));
        self.average += (retries - self.average) * self.config.weight;
    }

    fn restart(&mut self, _now: SimTime) {
        self.average = 0.0;
    }
}
