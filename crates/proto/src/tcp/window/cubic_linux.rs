//! How CUBIC of Linux 6.x grows (tcp_cubic.c, `bictcp_update`): in whole segments, and by a count of acknowledged
//! segments for each segment more.

use crate::units::{Dur, SimTime};

/// As long as the window stays, the count is kept for this long.
const KEPT: Dur = Dur::from_us(31_250);
/// Before the first loss: one segment for so many at most.
const MOST_AT_FIRST: f64 = 20.0;
/// At the plateau: one segment for so many windows.
const WINDOWS_AT_REST: f64 = 100.0;
/// One segment for so many at least: the window grows by half in a round trip.
const LEAST: f64 = 2.0;

/// Counts of one epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts {
    /// Segments acknowledged that have not made NewReno's window larger.
    acked: f64,
    /// NewReno's window.
    reno: f64,
    /// The window grows by one segment each time so many segments are acknowledged.
    per: f64,
    /// The window that `per` belongs to.
    window: f64,
    /// When `per` was computed.
    since: SimTime,
}

impl Counts {
    /// An epoch begins with this window.
    pub(super) const fn new(now: SimTime, cwnd: f64) -> Self {
        Self { acked: 0.0, reno: cwnd, per: 0.0, window: 0.0, since: now }
    }

    /// So many segments are acknowledged; returns how many make the window larger by one. `target`: where the function
    /// is one round trip ahead; `first`: nothing was lost yet.
    pub(super) fn per(
        &mut self,
        now: SimTime,
        cwnd: f64,
        segments: f64,
        beta: f64,
        target: f64,
        first: bool,
    ) -> f64 {
        self.acked += segments;
        if self.window == cwnd && now - self.since <= KEPT {
            return self.per;
        }
        (self.window, self.since) = (cwnd, now);
        let ahead = libm::floor(target) - cwnd;
        let mut per = if ahead > 0.0 { libm::floor(cwnd / ahead) } else { WINDOWS_AT_REST * cwnd };
        if first {
            per = per.min(MOST_AT_FIRST);
        }
        // One segment in a round trip for NewReno with this decrease, in eighths of a window.
        let scale = libm::floor(8.0 * (1.0 + beta) / 3.0 / (1.0 - beta));
        let round = libm::floor(cwnd * scale / 8.0).max(1.0); // by a decrease to less than half it would be none
        while self.acked > round {
            self.acked -= round;
            self.reno += 1.0;
        }
        if self.reno > cwnd {
            per = per.min(libm::floor(cwnd / (self.reno - cwnd)));
        }
        self.per = per.max(LEAST);
        self.per
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BETA: f64 = 717.0 / 1024.0;

    /// 18 acknowledged at a window of ten make NewReno's window eleven: 15/8 of it.
    #[test]
    fn newreno_gains_a_segment_for_fifteen_eighths_of_a_window() {
        let mut counts = Counts::new(SimTime::ZERO, 10.0);
        let mut give = |number: u64| {
            let now = SimTime::ZERO + Dur::from_ms(40 * number);
            counts.per(now, 10.0, 1.0, BETA, 10.0, false)
        };
        assert!((1..=18).all(|number| give(number) == 1000.0));
        assert_eq!(give(19), 10.0);
    }

    /// With a decrease to less than half a round of one segment would be shorter than a segment.
    #[test]
    fn a_window_of_one_segment_grows_with_any_decrease() {
        for beta in [0.0, 0.1, 0.4] {
            let mut counts = Counts::new(SimTime::ZERO, 1.0);
            assert_eq!(counts.per(SimTime::ZERO, 1.0, 3.0, beta, 1.0, false), LEAST, "{beta}");
        }
    }

    #[test]
    fn the_function_counts_in_whole_segments() {
        let per = |target, first| {
            Counts::new(SimTime::ZERO, 10.0).per(SimTime::ZERO, 10.0, 1.0, BETA, target, first)
        };
        assert_eq!([13.9, 11.0, 30.0].map(|target| per(target, false)), [3.0, 10.0, 2.0]);
        assert_eq!((per(10.0, true), per(10.9, false)), (20.0, 1000.0));
    }

    #[test]
    fn the_count_is_kept_while_the_window_stays() {
        let mut counts = Counts::new(SimTime::ZERO, 10.0);
        let mut at = |ms, cwnd| counts.per(SimTime::from_ms(ms), cwnd, 1.0, BETA, 20.0, false);
        assert_eq!([at(0, 10.0), at(31, 10.0), at(40, 12.0)], [2.0, 2.0, 2.0]);
        let mut at = |ms, target| counts.per(SimTime::from_ms(ms), 12.0, 1.0, BETA, target, false);
        assert_eq!([at(60, 14.0), at(80, 14.0)], [2.0, 6.0]);
    }
}
