//! Whether the rate has stopped growing (§5.3.1.2).

use super::sample::Sample;

/// Growth of a round that shows that there is more.
const GROWTH: f64 = 1.25;
/// Rounds without it that show that there is none.
const ROUNDS: u32 = 3;

/// The search for a plateau.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    rate: f64,
    rounds: u32,
    /// Whether the rate has stopped growing since the search began (`BBR.full_bw_now`).
    pub(super) now: bool,
    /// Whether it ever has (`BBR.full_bw_reached`).
    pub(super) ever: bool,
}

impl FullPipe {
    /// The search begins again from this rate.
    pub(super) const fn restart(&mut self, rate: f64) {
        (self.rate, self.rounds, self.now) = (rate, 0, false);
    }

    /// `CheckFullBWReached`; `round`: the ACK began a round.
    pub(super) fn judge(&mut self, sample: &Sample, round: bool) {
        let Some(rate) = sample.rate.filter(|_| round && !self.now && !sample.limited) else { return };
        if rate >= self.rate * GROWTH {
            return self.restart(rate);
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.ever |= self.now;
    }
}
