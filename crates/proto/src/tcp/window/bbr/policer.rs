//! Rates of a policer: two stretches of time with many losses and equal rates, and the flow is paced at that rate for
//! 48 rounds.

use crate::units::{Dur, SimTime};

/// Rounds of a stretch: at least, and at most.
const STRETCH: (u32, u32) = (4, 16);
/// Share of the delivered segments that is lost.
const LOSS: f64 = 50.0 / 256.0;
/// How much two rates may differ: a share, and 4 kbit/s in bytes a second.
const DIFFERENCE: (f64, f64) = (1.0 / 8.0, 500.0);
/// Rounds for which the rate holds.
const HOLDS: u32 = 48;

/// Counts of the connection so far, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) delivered: f64,
    pub(super) lost: f64,
}

/// State of the search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// Whether its rate is in use.
    uses: bool,
    samples: bool,
    rounds: u32,
    since: SimTime,
    before: Totals,
    /// Rate of the stretch before, in segments a second.
    rate: f64,
}

impl Policer {
    /// Its rate, if the flow is policed.
    pub(super) fn rate(&self) -> Option<f64> {
        self.uses.then_some(self.rate)
    }

    /// Forgets all.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    fn restart(&mut self, now: SimTime, totals: Totals) {
        (self.since, self.before, self.rounds) = (now, totals, 0);
    }

    /// An ACK; `probing`: in PROBE_BW. Returns whether a rate has held long enough, so that the path is probed again.
    pub(super) fn add(&mut self, ack: &Facts, totals: Totals) -> bool {
        if self.uses {
            self.rounds += u32::from(ack.probing && ack.round);
            let over = self.rounds >= HOLDS;
            if over {
                self.reset();
            }
            return over;
        }
        if !self.samples {
            if ack.losses {
                self.restart(ack.now, totals);
                self.samples = true;
            }
            return false;
        }
        self.rounds += u32::from(ack.round);
        if ack.limited || self.rounds > STRETCH.1 {
            self.reset();
            return false;
        }
        if self.rounds >= STRETCH.0 && ack.losses {
            self.end_stretch(ack, totals);
        }
        false
    }

    fn end_stretch(&mut self, ack: &Facts, totals: Totals) {
        let (delivered, lost) = (totals.delivered - self.before.delivered, totals.lost - self.before.lost);
        let length = ack.now - self.since;
        if delivered <= 0.0 || lost < LOSS * delivered || length < Dur::from_ms(1) {
            return;
        }
        let rate = delivered / length.as_secs_f64();
        let difference = (rate - self.rate).abs();
        if self.rate > 0.0
            && (difference <= DIFFERENCE.0 * self.rate || difference * ack.segment <= DIFFERENCE.1)
        {
            (self.rate, self.uses, self.rounds) = (f64::midpoint(rate, self.rate), true, 0);
            return;
        }
        self.rate = rate;
        self.restart(ack.now, totals);
    }
}

/// What one ACK says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) now: SimTime,
    pub(super) round: bool,
    pub(super) losses: bool,
    pub(super) limited: bool,
    pub(super) probing: bool,
    /// Bytes of a segment.
    pub(super) segment: f64,
}
