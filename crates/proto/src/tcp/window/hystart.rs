//! HyStart (Ha & Rhee 2011) as in Linux: slow start ends before it overflows the queue. It ends when the round-trip
//! time of a round has grown, or when a train of ACKs is half as long as the least round trip.

use super::config::{HyStartConfig, HyStartRtt};
use super::contract::{AckSample, PathSample};
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
    /// Length of a train that ends slow start, as a share of the least round trip.
    train: f64,
    /// The round ends with the acknowledgement of this byte.
    end: u64,
    began: SimTime,
    last: SimTime,
    samples: u32,
    least: Option<Dur>,
    /// The least round trip since the connection began, or since the last timeout.
    base: Option<Dur>,
    exits: u64,
}

impl HyStart {
    /// Before the first ACK. Where segments leave at a pace, that alone makes a train of half a round trip.
    #[must_use]
    pub(super) const fn new(config: HyStartConfig, paced: bool) -> Self {
        Self {
            config,
            train: if paced { 2.0 * config.train } else { config.train },
            end: 0,
            began: SimTime::ZERO,
            last: SimTime::ZERO,
            samples: 0,
            least: None,
            base: None,
            exits: 0,
        }
    }

    /// Times that it ended slow start.
    #[must_use]
    pub(super) const fn exits(&self) -> u64 {
        self.exits
    }

    /// The retransmission timer has fired: the path may be another one, and its least round trip is found anew
    /// (Linux `bictcp_reset`, `bictcp_hystart_reset`).
    pub(super) fn on_timeout(&mut self) {
        *self = Self { train: self.train, exits: self.exits, ..Self::new(self.config, false) };
    }

    /// An ACK has come that may tell a round-trip time.
    pub(super) fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        let Some(rtt) = sample.path.rtt.filter(|_| self.config.rtt == HyStartRtt::Sample) else { return };
        self.learn(rtt);
        if congestion.cwnd < congestion.ssthresh && !sample.recovering {
            self.turn(&sample.ack);
            self.judge(congestion, sample.ack.now, rtt, ACK_DELAY);
        }
    }

    /// A new ACK has come outside of recovery, which has not opened the window yet.
    pub(super) fn on_ack(&mut self, congestion: &mut Congestion, ack: &AckSample) {
        let Some(rtt) = ack.srtt.filter(|_| self.config.rtt == HyStartRtt::Smoothed) else { return };
        self.learn(rtt);
        if congestion.cwnd < congestion.ssthresh {
            self.judge(congestion, ack.now, rtt, Dur::ZERO);
            self.turn(ack);
        }
    }

    fn learn(&mut self, rtt: Dur) {
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
    }

    /// A round is over when all is acknowledged that had been sent as it began.
    fn turn(&mut self, ack: &AckSample) {
        if ack.una > self.end {
            *self = Self {
                end: ack.max_sent,
                began: ack.now,
                last: ack.now,
                train: self.train,
                base: self.base,
                exits: self.exits,
                ..Self::new(self.config, false)
            };
        }
    }

    /// Slow start ends if the train of ACKs is long, with so much more for ACKs that gather, or the round trip has
    /// grown.
    fn judge(&mut self, congestion: &mut Congestion, now: SimTime, rtt: Dur, gathered: Dur) {
        let Some(base) = self.base.filter(|_| congestion.cwnd >= LOW_WINDOW) else { return };
        let mut over = false;
        if now - self.last <= GAP {
            self.last = now;
            over = now - self.began > (base + gathered).mul_f64(self.train);
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

    /// The window at which slow start ends on a path of 100 ms whose rounds take 4 ms more each, ACKs 3 ms apart.
    fn exit(config: HyStartConfig) -> f64 {
        let mut hystart = HyStart::new(config, false);
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

    fn congestion(cwnd: f64) -> Congestion {
        let mut congestion = Congestion::new(&TcpConfig { max_window: 40_000, ..TcpConfig::default() });
        congestion.cwnd = cwnd;
        congestion
    }

    /// A round of so many ACKs so many microseconds apart that begins at this second, each of this round trip; after
    /// which of them slow start has ended.
    fn round(
        hystart: &mut HyStart,
        congestion: &mut Congestion,
        (second, acks): (u64, u64),
        gap_us: u64,
        rtt_ms: u64,
    ) -> Option<u64> {
        let exits = hystart.exits();
        (0..acks).find(|ack| {
            let sample = PathSample {
                ack: AckSample {
                    now: SimTime::from_secs(second) + Dur::from_us(ack * gap_us),
                    una: second * 1000 + ack,
                    max_sent: second * 1000 + 900,
                    ..AckSample::default()
                },
                path: Measured { rtt: Some(Dur::from_ms(rtt_ms)), ..Measured::default() },
                ..PathSample::default()
            };
            hystart.on_path(congestion, &sample);
            hystart.exits() > exits
        })
    }

    /// Linux: a train of ACKs at most 2 ms apart ends slow start when it lasts longer than half of 100 ms and of the
    /// millisecond that ACKs may gather for; all of it, if segments leave at a pace. A gap ends the train.
    #[test]
    fn a_train_of_acks_ends_slow_start() {
        for (paced, gap_us, after) in
            [(false, 1000, Some(51)), (false, 2000, Some(26)), (false, 2001, None), (true, 1000, Some(102))]
        {
            let mut hystart = HyStart::new(HyStartConfig::default(), paced);
            let found = round(&mut hystart, &mut congestion(200.0), (1, 200), gap_us, 100);
            assert_eq!(found, after, "{gap_us} us, {paced}");
        }
        let mut hystart = HyStart::new(HyStartConfig::default(), false);
        assert_eq!(
            round(&mut hystart, &mut congestion(15.9), (1, 200), 1000, 100),
            None,
            "below 16 segments"
        );
    }

    /// Linux `bictcp_reset`: round trips of 150 ms are long after some of 100 ms; after a timeout they are the least.
    #[test]
    fn a_timeout_forgets_the_least_round_trip() {
        for (timeout, after) in [(false, Some(8)), (true, None)] {
            let (mut hystart, mut congestion) =
                (HyStart::new(HyStartConfig::default(), false), congestion(200.0));
            assert_eq!(round(&mut hystart, &mut congestion, (1, 20), 3000, 100), None);
            if timeout {
                hystart.on_timeout();
            }
            assert_eq!(round(&mut hystart, &mut congestion, (2, 20), 3000, 150), after, "{timeout}");
        }
    }

    /// ns-3.44, by its runs: with a least smoothed round trip of 100 ms, the ninth ACK of a round that takes more than
    /// 200 ms, or a train that is longer than 100 ms.
    #[test]
    fn the_smoothed_round_trip_may_count() {
        let (growth, most, train) = (1.0, Dur::from_secs(1), 1.0);
        let config = HyStartConfig { growth, most, train, rtt: HyStartRtt::Smoothed };
        for (gap_us, ms, after) in [(2400, 200, None), (2400, 201, Some(9)), (1000, 100, Some(101))] {
            let (mut hystart, mut congestion) = (HyStart::new(config, false), congestion(200.0));
            let mut give = |at: SimTime, una, max_sent, ms| {
                let srtt = Some(Dur::from_ms(ms));
                let ack = AckSample { now: at, una, max_sent, srtt, ..AckSample::default() };
                hystart.on_ack(&mut congestion, &ack);
                hystart.exits() > 0
            };
            give(SimTime::from_secs(1), 1, 1000, 100);
            give(SimTime::from_secs(2), 1001, 2000, 100);
            let next = |number| SimTime::from_secs(2) + Dur::from_us(gap_us * number);
            let found = (1..200).find(|&number| give(next(number), 1001 + number, 2000, ms));
            assert_eq!(found, after, "{ms} ms, {gap_us} us");
            let rtt = Some(Dur::from_ms(900));
            let path = PathSample { path: Measured { rtt, ..Measured::default() }, ..PathSample::default() };
            hystart.on_path(&mut congestion, &path);
            assert_eq!(hystart.exits(), u64::from(after.is_some()), "a single one does not count");
        }
    }

    /// Linux: a round of more than 112.5 ms is the fifth. ns-3.44: one of more than 200 ms, the 27th. A bound of 50 ms:
    /// more than 150 ms, the 14th.
    #[test]
    fn slow_start_ends_where_the_round_trip_has_grown_by_the_share_within_the_bound() {
        assert_eq!(exit(HyStartConfig::default()), 20.0);
        assert_eq!(
            exit(HyStartConfig { growth: 1.0, most: Dur::from_secs(1), ..HyStartConfig::default() }),
            42.0
        );
        assert_eq!(
            exit(HyStartConfig { growth: 1.0, most: Dur::from_ms(50), ..HyStartConfig::default() }),
            29.0
        );
    }
}
