//! Round-trip times of a round, for rules that compare them with the least one: Vegas and Veno.

use super::contract::PathSample;
use crate::units::Dur;

/// Least round-trip times of the connection and of the present round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundDelay {
    base: Option<Dur>,
    least: Option<Dur>,
    samples: u32,
    /// The round ends with the acknowledgement of this byte.
    end: u64,
}

/// A round that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Round {
    /// Round-trip times measured in it.
    pub(super) samples: u32,
    /// Least of the connection, over the least of the round; 1 with nothing in the queues.
    pub(super) share: f64,
}

impl Round {
    /// Segments of a window that wait in queues: what it would hold at the least round-trip time, taken off it.
    pub(super) fn queued(&self, cwnd: f64) -> f64 {
        cwnd * (1.0 - self.share)
    }
}

impl RoundDelay {
    /// An ACK has come; returns the round that it ends.
    pub(super) fn take(&mut self, sample: &PathSample) -> Option<Round> {
        if let Some(rtt) = sample.path.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
        if sample.ack.una <= self.end {
            return None;
        }
        let round = self.base.zip(self.least).map(|(base, least)| Round {
            samples: self.samples,
            share: base.as_ns() as f64 / least.as_ns().max(1) as f64,
        });
        (self.end, self.least, self.samples) = (sample.ack.max_sent, None, 0);
        round
    }

    /// Forgets the least round-trip time: the path may be another one.
    pub(super) const fn forget(&mut self) {
        (self.base, self.least, self.samples) = (None, None, 0);
    }
}

/// What the tests of rules that measure rounds need.
#[cfg(test)]
pub(super) mod testing {
    use crate::tcp::config::TcpConfig;
    use crate::tcp::sendlog::Measured;
    use crate::tcp::window::{AckSample, Congestion, PathSample, WindowRule};
    use crate::units::{Dur, SimTime};

    /// A round of four samples of this round-trip time, in ms.
    pub(in crate::tcp::window) fn round(
        rule: &mut impl WindowRule,
        congestion: &mut Congestion,
        number: u64,
        rtt: u64,
    ) {
        for ack in 1..=4 {
            let path = Measured { rtt: Some(Dur::from_ms(rtt)), ..Measured::default() };
            let ack = AckSample {
                now: SimTime::from_secs(number),
                segments: 1.0,
                una: number * 10 + ack,
                max_sent: number * 10 + 10,
                ..AckSample::default()
            };
            rule.on_path(congestion, &PathSample { ack, path, ..PathSample::default() });
        }
    }

    /// A window of so many segments, with this slow-start threshold.
    pub(in crate::tcp::window) fn start(cwnd: f64, ssthresh: u32) -> Congestion {
        let config = TcpConfig { initial_ssthresh: Some(ssthresh), ..TcpConfig::default() };
        let mut congestion = Congestion::new(&config);
        congestion.cwnd = cwnd;
        congestion
    }
}
