//! Link RED (Fu, Zerfos, Luo, Lu, Zhang & Gerla, INFOCOM 2003, §IV): over several hops queues stay short and packets
//! die of contention, so that what tells of overload is not a length but how often the MAC must try. Each head that is
//! about to be offered is marked, or dropped, with a probability that grows with the retries of the packets before.
//!
//! ```text
//!   average ← (1 − weight) · average + weight · retries of the packet just served
//!
//!   average < min-threshold    0
//!   otherwise                  min((average − min-threshold) / (max-threshold − min-threshold), max-p)
//! ```

use super::aqm::{Aqm, Leaving, Served, Verdict};
use crate::keys;
use crate::units::range::must;
use crate::units::{Rng, SimTime};

keys! {
    /// Link RED. The paper gives no values that hold for every network; these are of the order of its examples.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct LinkRedConfig {
        /// Average of retries per packet from which packets are marked or dropped.
        pub min_threshold: f64 = 1.0 => within(0.0, 1000.0),
        /// Average at which the probability would reach 1.
        pub max_threshold: f64 = 4.0,
        /// Largest probability (max_P).
        pub max_p: f64 = 0.1 => probability,
        /// Weight of the newest packet in the average.
        pub weight: f64 = 0.125,
    }
    also(its) {
        let rule = format_args!("lie above `queue.link-red.min-threshold`, {}", its.min_threshold);
        must(its.max_threshold > its.min_threshold, "max-threshold", its.max_threshold, rule)?;
        must(its.weight > 0.0 && its.weight <= 1.0, "weight", its.weight, "lie above 0 and at most be 1")
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

    /// Another one of the same configuration, with draws of its own.
    #[must_use]
    pub fn sibling(&mut self) -> Self {
        Self::new(self.config, self.draws.split())
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
