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

#[cfg(test)]
mod tests {
    use super::*;

    /// A flow of a round each 100 ms, and what of each is lost.
    #[derive(Default)]
    struct Flow {
        policer: Policer,
        totals: Totals,
        rounds: u64,
    }

    impl Flow {
        /// One round that ends with a loss, if there are any; returns whether the rate has held long enough.
        fn round(&mut self, delivered: f64, lost: f64, limited: bool) -> bool {
            self.rounds += 1;
            self.totals.delivered += delivered;
            self.totals.lost += lost;
            let now = SimTime::from_ms(100 * self.rounds);
            let facts =
                Facts { now, round: true, losses: lost > 0.0, limited, probing: true, segment: 1448.0 };
            self.policer.add(&facts, self.totals)
        }

        fn rounds(&mut self, n: u32, delivered: f64, lost: f64) {
            for _ in 0..n {
                assert!(!self.round(delivered, lost, false));
            }
        }
    }

    /// tcp_bbr.c, `bbr_lt_bw_sampling`: the first loss, and two stretches of four rounds at 100 and 110 segments a
    /// second. The mean holds for 48 rounds.
    #[test]
    fn two_equal_stretches_with_a_fifth_lost_are_a_policer() {
        let mut flow = Flow::default();
        flow.rounds(5, 10.0, 2.0);
        assert_eq!(flow.policer.rate(), None, "one stretch");
        flow.rounds(3, 11.0, 3.0);
        assert_eq!(flow.policer.rate(), None, "three rounds of the second");
        flow.rounds(1, 11.0, 3.0);
        assert!((flow.policer.rate().unwrap() - 105.0).abs() < 1e-9);
        flow.rounds(47, 11.0, 0.0);
        assert!(flow.policer.rate().is_some());
        assert!(flow.round(11.0, 0.0, false), "the path is probed again");
        assert_eq!(flow.policer.rate(), None);
    }

    /// Fewer than 50 in 256 lost, an eighth more than before, 16 rounds without an end, an application with too little:
    /// none is a policer.
    #[test]
    fn other_losses_are_none() {
        let mut few = Flow::default();
        few.rounds(40, 100.0, 19.0);
        let (mut growing, mut delivered) = (Flow::default(), 10.0);
        for stretch in 0..8 {
            growing.rounds(4 + u32::from(stretch == 0), delivered, 0.4 * delivered);
            delivered *= 1.2;
        }
        let mut rare = Flow::default();
        for _ in 0..3 {
            rare.rounds(1, 10.0, 9.0);
            rare.rounds(18, 10.0, 0.0);
        }
        let mut idle = Flow::default();
        for _ in 0..5 {
            idle.rounds(4, 10.0, 4.0);
            idle.round(10.0, 4.0, true);
        }
        for flow in [few, growing, rare, idle] {
            assert_eq!(flow.policer.rate(), None);
        }
    }
}
