//! DCTCP (RFC 8257): a mark takes as much of the window as the share of bytes that were marked lately. The share comes
//! from the counters of accurate ECN (RFC 9768), which stand in the place of the RFC's own echo (§3.2).

use super::contract::{MarkSample, WindowRule};
use super::newreno::NewReno;
use super::state::{Congestion, LossResponse, PartialAck};

/// Weight of a new window of data in the share (§4.2: `g`).
const WEIGHT: f64 = 1.0 / 16.0;

/// The rule and the share.
#[derive(Clone, Debug)]
pub struct Dctcp {
    newreno: NewReno,
    /// Share of the bytes that are marked, smoothed (`DCTCP.Alpha`); all at first (§3.3).
    share: f64,
    /// Byte with which the window of data that is watched ends.
    end: u64,
    arrived: u64,
    marked: u64,
}

impl Dctcp {
    /// The rule before any mark.
    #[must_use]
    pub const fn new(deflates_partly: bool) -> Self {
        Self { newreno: NewReno { deflates_partly }, share: 1.0, end: 0, arrived: 0, marked: 0 }
    }
}

impl WindowRule for Dctcp {
    /// §3.3, steps 1 to 8.
    fn on_marks(&mut self, _congestion: &mut Congestion, sample: &MarkSample) {
        self.arrived += sample.arrived;
        self.marked += sample.marked;
        if sample.una <= self.end || self.arrived == 0 {
            return;
        }
        let now = self.marked as f64 / self.arrived as f64;
        self.share += WEIGHT * (now - self.share);
        (self.end, self.arrived, self.marked) = (sample.max_sent, 0, 0);
    }

    /// §3.3, step 9.
    fn on_echo(&mut self, congestion: &mut Congestion) {
        congestion.keep(1.0 - self.share / 2.0);
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        self.newreno.on_loss(congestion, dupacks)
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.newreno.on_partial_ack(congestion, segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::TcpConfig;

    const SEGMENT: u64 = 1000;

    /// Windows of so many segments. So many of them are marked.
    fn watch(rule: &mut Dctcp, congestion: &mut Congestion, windows: u64, segments: u64, marked: u64) {
        for _ in 0..windows {
            let una = rule.end + 1;
            let max_sent = una + segments * SEGMENT;
            let sample = MarkSample { una, max_sent, arrived: segments * SEGMENT, marked: marked * SEGMENT };
            rule.on_marks(congestion, &sample);
        }
    }

    /// §3.3: α begins at 1, and moves by a sixteenth of the way a window.
    #[test]
    fn the_share_follows_the_marks() {
        let (mut rule, mut congestion) = (Dctcp::new(true), Congestion::new(&TcpConfig::default()));
        watch(&mut rule, &mut congestion, 1, 10, 0);
        assert_eq!(rule.share, 15.0 / 16.0);
        watch(&mut rule, &mut congestion, 1, 10, 10);
        assert_eq!(rule.share, 15.0 / 16.0 + 1.0 / 256.0);
        watch(&mut rule, &mut congestion, 200, 20, 5);
        assert!((rule.share - 0.25).abs() < 1e-4, "{}", rule.share);
    }

    /// ACKs of the same window of data add up.
    #[test]
    fn a_window_of_data_is_watched_as_a_whole() {
        let (mut rule, mut congestion) = (Dctcp::new(true), Congestion::new(&TcpConfig::default()));
        watch(&mut rule, &mut congestion, 1, 10, 0);
        let (before, end) = (rule.share, rule.end);
        for marked in [SEGMENT, 0, SEGMENT] {
            let sample = MarkSample { una: end, max_sent: end + 5000, arrived: 2 * SEGMENT, marked };
            rule.on_marks(&mut congestion, &sample);
        }
        assert_eq!(rule.share, before);
        rule.on_marks(
            &mut congestion,
            &MarkSample { una: end + 1, max_sent: end + 5000, arrived: 2 * SEGMENT, marked: 0 },
        );
        assert_eq!(rule.share, before + WEIGHT * (0.25 - before));
    }

    /// §3.3: cwnd × (1 − α/2); §3.5: a loss takes half.
    #[test]
    fn marks_take_half_of_their_share() {
        for (share, after) in [(1.0, 10.0), (0.5, 15.0), (0.0, 20.0)] {
            let (mut rule, mut congestion) = (Dctcp::new(true), Congestion::new(&TcpConfig::default()));
            (rule.share, congestion.cwnd) = (share, 20.0);
            rule.on_echo(&mut congestion);
            assert_eq!((congestion.cwnd, congestion.ssthresh), (after, after));
            congestion.cwnd = 20.0;
            rule.on_loss(&mut congestion, 3);
            assert_eq!(congestion.cwnd, 10.0);
        }
    }
}
