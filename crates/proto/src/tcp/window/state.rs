//! Congestion state: window, threshold, and the inflation of fast recovery (RFC 5681 §3).

use crate::tcp::config::{Halving, TcpConfig};
use crate::tcp::undo::Before;
use crate::units::Dur;

/// What a mark leaves of a window that a loss would halve, if its rule is gentle (RFC 8511 §4.1).
const GENTLE: f64 = 0.8;

/// How a sender goes on after a loss was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossResponse {
    /// Start again from the first unacknowledged byte (no recovery phase).
    GoBack,
    /// Retransmit the missing segment and enter fast recovery.
    FastRecovery,
}

/// What a partial ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAck {
    /// Recovery is over.
    Leave,
    /// The next hole is lost too: retransmit it and stay.
    Stay,
}

/// Congestion window in segments and its companions.
#[derive(Clone, Debug, PartialEq)]
pub struct Congestion {
    /// Congestion window \[segments\].
    pub cwnd: f64,
    /// Slow-start threshold \[segments\].
    pub ssthresh: f64,
    /// Segments known to have left the network during fast recovery.
    pub inflation: u32,
    /// Most segments that may be outstanding.
    pub limit: u32,
    /// Bytes of a segment.
    segment: f64,
    halving: Halving,
    /// The reduction under way is a gentle one: for a mark, by a smaller share than for a loss (RFC 8511).
    pub(super) gentle: bool,
    /// Segments of one ACK that open the window.
    pub(super) counted: f64,
    /// Segments acknowledged that have not made the window larger yet, if it is a whole number.
    credit: Option<f64>,
}

impl Congestion {
    /// The window at the start of a connection.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self {
            cwnd: f64::from(config.initial_window),
            ssthresh: config.first_ssthresh(),
            inflation: 0,
            limit: config.max_window,
            segment: f64::from(config.segment.0),
            halving: config.halving,
            gentle: false,
            counted: f64::from(config.byte_counting),
            credit: config.whole_window.then_some(0.0),
        }
    }

    /// Segments that may be outstanding now.
    #[inline]
    #[must_use]
    pub fn segments(&self) -> u32 {
        // cwnd is positive and far below 2^32; `as` saturates.
        (self.cwnd as u32).saturating_add(self.inflation).min(self.limit)
    }

    /// A new ACK of `segments` segments outside recovery: slow start by what it acknowledges but at most by one, then
    /// congestion avoidance (RFC 5681 §3.1); by as many as `byte-counting` says (RFC 3465). A part of a segment counts
    /// in whole bytes, as in equation 2, so that ten tenths make one.
    #[inline]
    pub fn open(&mut self, segments: f64) {
        if self.credit.is_some() {
            let left = self.start_slowly(segments.min(self.counted));
            return self.grow(self.cwnd, left);
        }
        let counted = segments.min(self.counted).max(1.0);
        if self.cwnd >= self.ssthresh {
            self.grow(self.cwnd, counted);
        } else if segments >= 1.0 {
            self.cwnd += counted;
        } else {
            self.cwnd = libm::round((self.cwnd + segments) * self.segment) / self.segment;
        }
    }

    /// Whether the window is a whole number of segments.
    pub(super) const fn is_whole(&self) -> bool {
        self.credit.is_some()
    }

    /// A window that a rule has computed, in whole segments if the window is.
    pub(super) fn whole(&self, window: f64) -> f64 {
        if self.is_whole() { libm::floor(window) } else { window }
    }

    /// The window grows by one segment for each `per` of these.
    #[inline]
    pub fn grow(&mut self, per: f64, segments: f64) {
        if self.credit.is_some() {
            self.count(per, segments);
        } else {
            self.cwnd += segments / per;
        }
    }

    /// The same in whole segments (Linux, `tcp_cong_avoid_ai`): what was counted while `per` was larger makes one at
    /// most.
    fn count(&mut self, per: f64, segments: f64) {
        let mut credit = self.credit.unwrap_or_default();
        if credit >= per {
            credit = 0.0;
            self.cwnd += 1.0;
        }
        credit += segments;
        let steps = libm::floor(credit / per);
        self.cwnd += steps;
        self.credit = Some(credit - steps * per);
    }

    /// Slow start up to the threshold; returns how many segments are left for congestion avoidance (Linux,
    /// `tcp_slow_start`).
    pub(super) fn start_slowly(&mut self, segments: f64) -> f64 {
        let (before, most) = (self.cwnd, self.ssthresh.max(self.cwnd));
        let sum = before + segments;
        self.cwnd = libm::floor(sum.min(most));
        sum - self.cwnd
    }

    /// What a loss leaves of the window, by this share of it: at least two segments, whole ones if the window is.
    #[must_use]
    pub fn share(&self, share: f64) -> f64 {
        let left = self.in_use() * share;
        if self.credit.is_some() { libm::floor(left).max(2.0) } else { left.max(2.0) }
    }

    /// What may be in flight \[segments\]: the window, as far as the largest one allows.
    #[must_use]
    pub fn in_use(&self) -> f64 {
        self.cwnd.min(f64::from(self.limit))
    }

    /// Half of what may be in flight, for the window and for the threshold (RFC 5681 equation 4, with the window for
    /// the flight).
    #[must_use]
    pub fn halves(&self) -> (f64, f64) {
        let window = self.in_use();
        if self.credit.is_some() {
            let half = self.share(0.5);
            return (half, half);
        }
        let half = match self.halving {
            Halving::Exact => (window / 2.0).max(2.0),
            Halving::WholeThreshold => (window / 2.0).max(1.0),
            Halving::Whole => libm::floor(libm::floor(window) / 2.0).max(1.0),
        };
        let threshold = if self.halving == Halving::Exact { half } else { libm::floor(half) };
        (half, threshold.max(2.0))
    }

    /// A loss was judged without a timeout: window and threshold are halved.
    pub fn halve(&mut self) {
        (self.cwnd, self.ssthresh) = self.halves();
        self.forget_credit();
    }

    /// The window, and what was counted towards a larger one.
    pub(super) const fn size(&self) -> (f64, Option<f64>) {
        (self.cwnd, self.credit)
    }

    /// The window has not grown since it was of this size; what has made it smaller stays.
    pub(super) fn take_growth_back(&mut self, (cwnd, credit): (f64, Option<f64>)) {
        if self.cwnd >= cwnd {
            (self.cwnd, self.credit) = (cwnd, credit);
        }
    }

    /// The window was reduced: what was counted towards a larger one is void.
    pub fn forget_credit(&mut self) {
        self.credit = self.credit.map(|_| 0.0);
    }

    /// Nothing was sent for so long, which is longer than the timeout (Linux, `tcp_cwnd_restart`): a half for each
    /// timeout, but not below `least`. The threshold remembers three quarters.
    #[cold]
    pub(crate) fn decay(&mut self, idle: Dur, rto: Dur, least: f64) {
        let half = self.whole(self.cwnd / 2.0);
        self.ssthresh = self.ssthresh.max(half + self.whole(self.cwnd / 4.0));
        let mut left = idle;
        while left > rto && self.cwnd > least {
            left -= rto;
            self.cwnd = self.whole(self.cwnd / 2.0).max(least);
        }
    }

    /// A mark has been echoed: as a loss, but down to one segment (RFC 3168 §6.1.2), or gently.
    pub fn on_echo(&mut self) {
        if self.gentle {
            return self.keep(GENTLE);
        }
        let threshold = self.halves().1;
        self.keep(0.5);
        self.ssthresh = threshold;
    }

    /// A mark leaves this share of the window, down to one segment, and of the threshold, down to two.
    pub(super) fn keep(&mut self, share: f64) {
        let window = self.in_use();
        self.ssthresh = self.share(share);
        self.cwnd = if self.credit.is_some() { self.ssthresh } else { (window * share).max(1.0) };
        self.forget_credit();
    }

    /// The retransmission timer has fired (RFC 5681 §3.1); `hold`: the threshold stays.
    pub fn on_timeout(&mut self, hold: bool) {
        if !hold {
            self.ssthresh = self.halves().1;
        }
        self.cwnd = 1.0;
        self.inflation = 0;
        self.forget_credit();
    }

    /// Window and threshold, in case that they are to be restored.
    #[must_use]
    pub const fn before(&self) -> Before {
        Before { cwnd: self.cwnd, ssthresh: self.ssthresh }
    }

    /// A reduction is taken back.
    pub fn restore(&mut self, before: Before) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Whatever a rule from outside has made of it: at least one segment, and two for the threshold.
    pub(super) fn keep_bounds(&mut self) {
        self.cwnd = self.cwnd.max(1.0);
        self.ssthresh = self.ssthresh.max(2.0);
    }

    /// The end of recovery: what was inflated is taken back.
    pub const fn leave_recovery(&mut self) {
        self.inflation = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ns-2.35 makes of a window of 5 (and 11) at a fast retransmit is 2.5 and 2 (5.5 and 5).
    #[test]
    fn half_of_the_window_is_rounded_as_configured() {
        let halves = |cwnd, halving| {
            let mut congestion = Congestion::new(&TcpConfig { halving, ..TcpConfig::default() });
            congestion.cwnd = cwnd;
            congestion.halve();
            (congestion.cwnd, congestion.ssthresh)
        };
        assert_eq!(halves(5.0, Halving::Exact), (2.5, 2.5));
        assert_eq!(halves(3.0, Halving::Exact), (2.0, 2.0));
        assert_eq!(halves(5.0, Halving::WholeThreshold), (2.5, 2.0));
        assert_eq!(halves(11.0, Halving::WholeThreshold), (5.5, 5.0));
        assert_eq!(halves(3.0, Halving::WholeThreshold), (1.5, 2.0));
        assert_eq!(halves(11.9, Halving::Whole), (5.0, 5.0));
        assert_eq!(halves(1.0, Halving::Whole), (1.0, 2.0));
    }

    /// RFC 3465 §2.2: five ACKs of two segments make ten fifteen by ACKs, and twenty by bytes. Of one ACK for ten, as
    /// many count as are configured; Linux has no bound.
    #[test]
    fn slow_start_may_count_bytes() {
        for (byte_counting, whole_window, pairs, stretch) in [
            (1, false, 15.0, 11.0),
            (2, false, 20.0, 12.0),
            (1000, false, 20.0, 20.0),
            (1000, true, 20.0, 20.0),
        ] {
            let config =
                TcpConfig { byte_counting, whole_window, initial_window: 10, ..TcpConfig::default() };
            let opened = |acks: usize, segments: f64| {
                let mut congestion = Congestion::new(&config);
                (0..acks).for_each(|_| congestion.open(segments));
                congestion.cwnd
            };
            assert_eq!((opened(5, 2.0), opened(1, 10.0)), (pairs, stretch), "{byte_counting}");
        }
    }

    /// Linux, `tcp_cwnd_restart`: of 101 segments 50 are left after a timeout in which nothing was sent, 25 after two,
    /// ten after many. The threshold is 50 + 25 at least. A window below the least stays.
    #[test]
    fn an_idle_window_is_halved_for_each_timeout() {
        let decayed = |whole_window, (cwnd, ssthresh), idle_ms| {
            let mut congestion = Congestion::new(&TcpConfig { whole_window, ..TcpConfig::default() });
            (congestion.cwnd, congestion.ssthresh) = (cwnd, ssthresh);
            congestion.decay(Dur::from_ms(idle_ms), Dur::from_ms(300), 10.0);
            (congestion.cwnd, congestion.ssthresh)
        };
        for (idle_ms, left) in
            [(301, 50.0), (600, 50.0), (601, 25.0), (900, 25.0), (901, 12.0), (90_000, 10.0)]
        {
            assert_eq!(decayed(true, (101.0, 20.0), idle_ms), (left, 75.0), "{idle_ms} ms");
        }
        assert_eq!(decayed(false, (101.0, 90.0), 601), (25.25, 90.0));
        assert_eq!(decayed(true, (4.0, 2.0), 601), (4.0, 3.0));
    }

    /// tcp_cong.c: ten segments acknowledged make ten eleven, however few come at a time; what slow start leaves over
    /// counts; a loss leaves whole segments.
    #[test]
    fn a_window_may_be_whole_segments() {
        let config =
            TcpConfig { whole_window: true, byte_counting: 1000, initial_window: 10, ..TcpConfig::default() };
        let mut congestion = Congestion::new(&config);
        congestion.ssthresh = 10.0;
        (0..4).for_each(|_| congestion.open(2.0));
        assert_eq!(congestion.cwnd, 10.0);
        congestion.open(2.0);
        assert_eq!(congestion.cwnd, 11.0);
        congestion.halve();
        assert_eq!((congestion.cwnd, congestion.ssthresh), (5.0, 5.0));
        congestion.ssthresh = 8.0;
        congestion.open(9.0);
        assert_eq!(congestion.cwnd, 8.0, "six are left over");
        congestion.open(2.0);
        assert_eq!(congestion.cwnd, 9.0);
        congestion.cwnd = 3.0;
        congestion.on_echo();
        assert_eq!((congestion.cwnd, congestion.ssthresh), (2.0, 2.0));
    }
}
