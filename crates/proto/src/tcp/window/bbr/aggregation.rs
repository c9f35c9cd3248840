//! ACKs that come together: how much more is acknowledged at times than the rate explains.

use crate::units::{Dur, SimTime};

/// Rounds after which the older of the two maxima is forgotten.
const ROUNDS: u32 = 5;
/// The window makes up for ACKs that come late by this much at most.
const MOST: Dur = Dur::from_ms(100);

/// Largest surplus of the last five to ten rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    extra: [f64; 2],
    at: usize,
    rounds: u32,
    since: SimTime,
    acked: f64,
}

impl Aggregation {
    /// So many segments are acknowledged on a path of so many segments a second. Those that the rate explains are whole
    /// segments (Linux, `bbr_update_ack_aggregation`): of two that take exactly their time, one.
    pub(super) fn add(&mut self, now: SimTime, round: bool, acked: f64, rate: f64, cwnd: f64) {
        if round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.at) = (0, 1 - self.at);
                self.extra[self.at] = 0.0;
            }
        }
        let mut expected = libm::floor(rate * (now - self.since).as_secs_f64());
        if self.acked <= expected {
            (self.acked, self.since, expected) = (0.0, now, 0.0);
        }
        self.acked += acked;
        let extra = (self.acked - expected).min(cwnd);
        self.extra[self.at] = self.extra[self.at].max(extra);
    }

    /// Segments by which the window is larger.
    pub(super) fn segments(&self, rate: f64) -> f64 {
        self.extra[0].max(self.extra[1]).min(libm::floor(rate * MOST.as_secs_f64()))
    }

    /// Measures anew after a pause.
    pub(super) const fn restart(&mut self, now: SimTime) {
        (self.since, self.acked) = (now, 0.0);
    }
}
