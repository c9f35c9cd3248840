//! HyStart (Ha & Rhee 2011) as in Linux: slow start ends before it overflows the queue. It ends when the round-trip
//! time of a round has grown, or when a train of ACKs is half as long as the least round trip.

use super::config::HyStartConfig;
use super::contract::PathSample;
use super::state::Congestion;
use crate::units::{Dur, SimTime};

/// Least window in segments at which it looks.
const LOW_WINDOW: f64 = 16.0;
/// Samples of a round before its least one counts.
const SAMPLES: u32 = 8;
/// Least growth of the round-trip time that ends slow start.
const LEAST_GROWTH: Dur = Dur::from_ms(4);
/// Longest gap between two ACKs of a train.
const GAP: Dur = Dur::from_ms(2);
/// What ACKs may be late by gathering, at most (`hystart_ack_delay`; less only above 2 Gb/s).
const ACK_DELAY: Dur = Dur::from_ms(1);

/// State of HyStart.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStart {
    config: HyStartConfig,
    /// The round ends with the acknowledgement of this byte.
    end: u64,
    began: SimTime,
    last: SimTime,
    samples: u32,
    least: Option<Dur>,
    exits: u64,
}

impl HyStart {
    /// Before the first ACK.
    #[must_use]
    pub(super) const fn new(config: HyStartConfig) -> Self {
        Self { config, end: 0, began: SimTime::ZERO, last: SimTime::ZERO, samples: 0, least: None, exits: 0 }
    }

    /// Times that it ended slow start.
    #[must_use]
    pub(super) const fn exits(&self) -> u64 {
        self.exits
    }

    /// An ACK has come.
    pub(super) fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        let slow_start = congestion.cwnd < congestion.ssthresh && !sample.recovering;
        let (Some(rtt), Some(base)) = (sample.path.rtt, sample.path.min_rtt) else { return };
        if !slow_start {
            return;
        }
        let now = sample.ack.now;
        if sample.ack.una > self.end {
            *self = Self {
                end: sample.ack.max_sent,
                began: now,
                last: now,
                exits: self.exits,
                ..Self::new(self.config)
            };
        }
        if congestion.cwnd < LOW_WINDOW {
            return; // rounds are counted from the first one on
        }
        let mut over = false;
        if now - self.last <= GAP {
            self.last = now;
            over = now - self.began > Dur::from_ns((base + ACK_DELAY).as_ns() / 2);
        }
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        if self.samples < SAMPLES {
            self.samples += 1;
        } else {
            let growth = base.mul_f64(self.config.growth).clamp(LEAST_GROWTH, self.config.most);
            over |= least > base + growth;
        }
        if over {
            congestion.ssthresh = congestion.cwnd.max(2.0);
            self.exits += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use crate::tcp::sendlog::Measured;
    use crate::tcp::window::AckSample;

    /// The window at which slow start ends on a path of 100 ms whose rounds take 4 ms more each, ACKs 3 ms apart.
    fn exit(config: HyStartConfig) -> f64 {
        let mut hystart = HyStart::new(config);
        let mut congestion = Congestion::new(&TcpConfig { max_window: 40_000, ..TcpConfig::default() });
        congestion.cwnd = 16.0;
        for number in 1..60_u64 {
            for ack in 0..10_u64 {
                let sample = PathSample {
                    ack: AckSample {
                        now: SimTime::from_ms(number * 1000 + ack * 3),
                        una: number * 1000 + ack,
                        max_sent: number * 1000 + 500,
                        ..AckSample::default()
                    },
                    path: Measured {
                        rtt: Some(Dur::from_ms(96 + 4 * number)),
                        min_rtt: Some(Dur::from_ms(100)),
                        ..Measured::default()
                    },
                    ..PathSample::default()
                };
                hystart.on_path(&mut congestion, &sample);
                if hystart.exits() > 0 {
                    return congestion.ssthresh;
                }
            }
            congestion.cwnd += 1.0;
        }
        f64::NAN
    }

    /// Linux: a round of more than 112.5 ms is the fifth. ns-3.44: one of more than 200 ms, the 27th. A bound of 50 ms:
    /// more than 150 ms, the 14th.
    #[test]
    fn slow_start_ends_where_the_round_trip_has_grown_by_the_share_within_the_bound() {
        assert_eq!(exit(HyStartConfig::default()), 20.0);
        assert_eq!(exit(HyStartConfig { growth: 1.0, most: Dur::from_secs(1) }), 42.0);
        assert_eq!(exit(HyStartConfig { growth: 1.0, most: Dur::from_ms(50) }), 29.0);
    }
}
