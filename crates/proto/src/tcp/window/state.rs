//! Congestion state: window, threshold, and the inflation of fast recovery (RFC 5681 §3).

use crate::tcp::config::{Halving, TcpConfig};

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
    /// Segments of one ACK that open the window.
    counted: f64,
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
            counted: f64::from(config.byte_counting),
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
    /// congestion avoidance (RFC 5681 §3.1); by as many as `byte-counting` says (RFC 3465). A part of a segment counts in whole bytes, as in equation 2, so that ten tenths
    /// make one.
    #[inline]
    pub fn open(&mut self, segments: f64) {
        let counted = segments.min(self.counted).max(1.0);
        if self.cwnd >= self.ssthresh {
            self.cwnd += counted / self.cwnd;
        } else if segments >= 1.0 {
            self.cwnd += counted;
        } else {
            self.cwnd = libm::round((self.cwnd + segments) * self.segment) / self.segment;
        }
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
    }

    /// A mark has been echoed: as a loss, but down to one segment (RFC 3168 §6.1.2).
    pub fn on_echo(&mut self) {
        let window = self.in_use();
        self.ssthresh = self.halves().1;
        self.cwnd = (window / 2.0).max(1.0);
    }

    /// The retransmission timer has fired (RFC 5681 §3.1); `hold`: the threshold stays.
    pub fn on_timeout(&mut self, hold: bool) {
        if !hold {
            self.ssthresh = self.halves().1;
        }
        self.cwnd = 1.0;
        self.inflation = 0;
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
}
