//! ACKs that come together: how much more is acknowledged at times than the rate explains (§5.5.9).

use super::sample::Sample;
use crate::tcp::window::windowed::WindowedMax;
use crate::units::SimTime;

/// Rounds that count once the rate is found (`BBR.ExtraAckedFilterLen`).
const ROUNDS: u64 = 10;

/// The largest surplus of the last rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    extra: WindowedMax,
    since: SimTime,
    acked: f64,
}

impl Aggregation {
    /// `UpdateACKAggregation`; before the rate is found one round counts.
    pub(super) fn add(&mut self, sample: &Sample, rate: f64, cwnd: f64, round: u64, found: bool) {
        let mut expected = rate * (sample.now - self.since).as_secs_f64();
        if self.acked <= expected {
            (self.acked, self.since, expected) = (0.0, sample.now, 0.0);
        }
        self.acked += sample.newly;
        let rounds = if found { ROUNDS } else { 1 };
        self.extra.add(round, (self.acked - expected).min(cwnd), (round + 1).saturating_sub(rounds));
    }

    /// Segments by which the window is larger.
    pub(super) fn segments(&self) -> f64 {
        self.extra.get()
    }

    /// Measures anew after a pause.
    pub(super) const fn restart(&mut self, now: SimTime) {
        self.since = now;
    }
}
