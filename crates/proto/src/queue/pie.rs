//! PIE, proportional integral controller enhanced (RFC 8033): packets are dropped as they arrive, with a probability
//! that follows how far waiting times are from a target, and where they are going.
//!
//! ```text
//!   every update:  p += alpha · (delay − target) + beta · (delay − delay before)
//!                  the step is smaller where p is small
//! ```

use super::aqm::{Aqm, Arriving, Leaving, Verdict};
use crate::keys;
use crate::units::range::must;
use crate::units::{Bytes, Dur, Rng, SimTime};

keys! {
    /// PIE (RFC 8033). Defaults are the RFC's.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PieConfig {
        /// Waiting time that is aimed at (§4.2: 15 ms).
        pub target: Dur = Dur::from_ms(15) => within(Dur::from_us(1), Dur::from_secs(1000)),
        /// Time between two updates of the probability (§4.2: 15 ms).
        pub update: Dur = Dur::from_ms(15) => within(Dur::from_us(100), Dur::from_secs(1000)),
        /// Weight of the distance from the target \[1/s\] (§4.2).
        pub alpha: f64 = 0.125 => within(0.0, 1000.0),
        /// Weight of the change since the update before \[1/s\] (§4.2).
        pub beta: f64 = 1.25 => within(0.0, 1000.0),
        /// A burst after an idle time passes for this long (§4.4: 150 ms).
        pub burst: Dur = Dur::from_ms(150) => within(Dur::ZERO, Dur::from_secs(1000)),
        /// No packet is dropped while so many bytes or fewer wait (§4.1: two mean packets).
        pub least_bytes: Bytes = Bytes(3000) => within(Bytes(0), Bytes(1_000_000_000)),
        /// Packets of an ECN-capable transport are marked in place of being dropped.
        pub ecn: bool = true,
        /// Largest probability at which packets are marked; beyond, they are dropped like others (§5.1: 0.1).
        pub mark_limit: f64 = 0.1 => probability,
        /// From a probability of 0.1 on, one update adds at most 0.02 (§5.5).
        pub cap: bool = true,
        /// Drops are spread more evenly than by chance (§5.4).
        pub derandomise: bool = false,
    }
    also(its) {
        let rule = "be at least as long as `queue.pie.update`, or 0";
        must(its.burst == Dur::ZERO || its.burst >= its.update, "burst", its.burst, rule)
    }
}

/// PIE of one queue.
#[derive(Clone, Debug)]
pub struct Pie {
    config: PieConfig,
    draws: Rng,
    probability: f64,
    /// Waiting time of the last packet that left; none while nothing waits.
    delay: Dur,
    /// The same at the update before.
    before: Dur,
    /// For how long a burst is let through.
    burst: Dur,
    /// Probabilities of the packets since the last drop, added up.
    passed: f64,
    /// The next update.
    next: SimTime,
}

impl Pie {
    /// One that has seen nothing.
    #[must_use]
    pub const fn new(config: PieConfig, draws: Rng) -> Self {
        let burst = config.burst;
        Self {
            config,
            draws,
            probability: 0.0,
            delay: Dur::ZERO,
            before: Dur::ZERO,
            burst,
            passed: 0.0,
            next: SimTime::MAX,
        }
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> PieConfig {
        self.config
    }

    /// Another one of the same configuration, with draws of its own.
    #[must_use]
    pub fn sibling(&mut self) -> Self {
        Self::new(self.config, self.draws.split())
    }

    /// Probability with which the next packet is dropped.
    #[must_use]
    pub const fn probability(&self) -> f64 {
        self.probability
    }

    /// Whether chance chooses a packet (§4.1, §5.4).
    fn chooses(&mut self, packet: &Arriving) -> bool {
        let calm = self.before < self.config.target / 2 && self.probability < 0.2;
        if calm || packet.bytes <= u64::from(self.config.least_bytes.0) {
            return false;
        }
        if self.config.derandomise {
            self.passed = if self.probability == 0.0 { 0.0 } else { self.passed + self.probability };
            if self.passed < 0.85 {
                return false;
            }
            if self.passed >= 8.5 {
                return true;
            }
        }
        self.draws.f64() < self.probability
    }

    /// The probability follows the waiting time (§4.2).
    fn update(&mut self) {
        let PieConfig { target, alpha, beta, .. } = self.config;
        let seconds = |of: Dur| of.as_secs_f64();
        let (delay, before) = (seconds(self.delay), seconds(self.before));
        let mut step = alpha * (delay - seconds(target)) + beta * (delay - before);
        step /= scale(self.probability);
        if self.config.cap && self.probability >= 0.1 {
            step = step.min(0.02);
        }
        if delay > 0.25 {
            step += 0.02;
        }
        self.probability += step;
        if delay == 0.0 && before == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
    }
}

/// By what a step is divided where the probability is small (§4.2).
fn scale(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |&(_, by)| by)
}

impl Aqm for Pie {
    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict {
        if self.next == SimTime::MAX {
            self.next = now + self.config.update;
        }
        if self.burst > Dur::ZERO || !self.chooses(packet) {
            return Verdict::Pass;
        }
        self.passed = 0.0;
        let marks = self.config.ecn && self.probability <= self.config.mark_limit;
        if marks { Verdict::Notify } else { Verdict::Drop }
    }

    fn leaving(&mut self, _now: SimTime, packet: &Leaving) -> Verdict {
        self.delay = packet.waited;
        Verdict::Pass
    }

    fn emptied(&mut self, _now: SimTime) {
        self.delay = Dur::ZERO;
    }

    fn restart(&mut self, _now: SimTime) {
        let Self { config, draws, .. } = self;
        *self = Self::new(*config, draws.clone());
    }

    fn timer(&mut self, now: SimTime) {
        self.update();
        let calm = |delay: Dur| delay < self.config.target / 2;
        let rested = self.probability == 0.0 && calm(self.delay) && calm(self.before);
        let idle = rested && self.delay == Dur::ZERO && self.before == Dur::ZERO;
        self.burst = if rested { self.config.burst } else { self.burst.saturating_sub(self.config.update) };
        self.before = self.delay;
        self.next = if idle { SimTime::MAX } else { now + self.config.update };
    }

    fn deadline(&self) -> SimTime {
        self.next
    }
}
