//! HyStart++ (RFC 9406): when the round-trip time has grown, slow start goes on at a quarter of its pace for five
//! rounds (conservative slow start), and ends after them unless the round-trip time has fallen again.

use super::contract::PathSample;
use super::state::Congestion;
use crate::units::Dur;

/// Constants of §4.3.
const MIN_RTT_THRESH: Dur = Dur::from_ms(4);
const MAX_RTT_THRESH: Dur = Dur::from_ms(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// Segments of one ACK that open the window, unless segments leave at a pace (§4.3: `L`).
const MOST_OF_AN_ACK: f64 = 8.0;

/// Where the first slow start stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Slow,
    Conservative { baseline: Dur, rounds: u32 },
    Over,
}

/// State of HyStart++.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStartPlus {
    stage: Stage,
    /// The round ends with the acknowledgement of this byte.
    window_end: u64,
    last: Option<Dur>,
    current: Option<Dur>,
    samples: u32,
    exits: u64,
    returns: u64,
    /// Segments of one ACK that open the window.
    most: f64,
    /// The same once the first slow start is over.
    standard: f64,
    /// What the window is to grow by, in part of a segment, if it is a whole number of segments.
    owed: f64,
}

impl HyStartPlus {
    /// At the start of a connection. `paced`: segments leave at a pace; `standard`: segments of one ACK that open the
    /// window in standard slow start.
    #[must_use]
    pub(super) const fn new(paced: bool, standard: f64) -> Self {
        Self {
            stage: Stage::Slow,
            window_end: 0,
            last: None,
            current: None,
            samples: 0,
            exits: 0,
            returns: 0,
            most: if paced { f64::INFINITY } else { MOST_OF_AN_ACK },
            standard,
            owed: 0.0,
        }
    }

    /// Times that it ended slow start, and times that it went back from conservative slow start.
    #[must_use]
    pub(super) const fn counts(&self) -> (u64, u64) {
        (self.exits, self.returns)
    }

    /// What is acknowledged in slow start counts for so much less.
    #[must_use]
    const fn divisor(&self) -> f64 {
        if matches!(self.stage, Stage::Conservative { .. }) { CSS_GROWTH_DIVISOR } else { 1.0 }
    }

    /// A new ACK of so many segments, which has not opened the window yet; returns by how many it opens slow start
    /// (§4.2). Where the window is a whole number of segments, what is left over counts with the next ACK.
    #[must_use]
    pub(super) fn on_ack(&mut self, congestion: &mut Congestion, segments: f64) -> f64 {
        if self.stage == Stage::Over || congestion.cwnd >= congestion.ssthresh {
            congestion.counted = self.standard;
            return segments;
        }
        congestion.counted = self.most;
        let opened = segments.min(self.most) / self.divisor();
        if !congestion.is_whole() {
            return opened;
        }
        let sum = self.owed + opened;
        self.owed = sum - libm::floor(sum);
        libm::floor(sum)
    }

    /// A loss or a mark: the first slow start is over.
    pub(super) const fn end(&mut self) {
        self.stage = Stage::Over;
    }

    /// An ACK has come.
    pub(super) fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        if self.stage == Stage::Over {
            return;
        }
        if congestion.cwnd >= congestion.ssthresh || sample.recovering {
            return self.end();
        }
        if sample.ack.una >= self.window_end {
            self.end_round(congestion, sample.ack.max_sent);
        }
        if let Some(rtt) = sample.path.rtt {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
            self.judge();
        }
    }

    fn end_round(&mut self, congestion: &mut Congestion, max_sent: u64) {
        self.window_end = max_sent;
        self.last = self.current.take();
        self.samples = 0;
        if let Stage::Conservative { rounds, .. } = &mut self.stage {
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                congestion.ssthresh = congestion.cwnd.max(2.0);
                self.exits += 1;
                self.end();
            }
        }
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= N_RTT_SAMPLE) else { return };
        match self.stage {
            Stage::Slow => {
                let Some(last) = self.last else { return };
                let thresh =
                    Dur::from_ns(last.as_ns() / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if current >= last + thresh {
                    self.stage = Stage::Conservative { baseline: current, rounds: 0 };
                }
            }
            Stage::Conservative { baseline, .. } if current < baseline => {
                self.stage = Stage::Slow;
                self.returns += 1;
            }
            Stage::Conservative { .. } | Stage::Over => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use crate::tcp::sendlog::Measured;
    use crate::tcp::window::AckSample;

    /// ACKs of so many segments each; how many segments they open the window by.
    fn opened(plus: &mut HyStartPlus, whole_window: bool, acks: u32, segments: f64) -> f64 {
        let config =
            TcpConfig { whole_window, max_window: 1000, initial_window: 100, ..TcpConfig::default() };
        let mut congestion = Congestion::new(&config);
        for _ in 0..acks {
            let counted = plus.on_ack(&mut congestion, segments);
            congestion.open(counted);
        }
        assert!(!whole_window || congestion.cwnd.fract() == 0.0);
        congestion.cwnd - 100.0
    }

    /// §4.2: a window of acknowledged segments doubles the window, and in conservative slow start makes a quarter more
    /// of it, also where it is a whole number of segments. Of one ACK eight count, all where segments are paced.
    #[test]
    fn a_round_of_conservative_slow_start_opens_a_quarter() {
        for whole in [false, true] {
            for (acks, segments, slow, conservative) in
                [(100, 1.0, 100.0, 25.0), (50, 2.0, 100.0, 25.0), (10, 10.0, 80.0, 20.0)]
            {
                let (mut plus, _) = start();
                assert_eq!(opened(&mut plus, whole, acks, segments), slow, "{whole} {segments}");
                plus.stage = Stage::Conservative { baseline: Dur::from_ms(50), rounds: 0 };
                assert_eq!(opened(&mut plus, whole, acks, segments), conservative, "{whole} {segments}");
            }
            let mut paced = HyStartPlus::new(true, 1.0);
            assert_eq!(opened(&mut paced, whole, 10, 10.0), 100.0);
        }
    }

    /// Slow start after that is the standard one, by as many segments of an ACK as `byte-counting` says.
    #[test]
    fn a_later_slow_start_is_the_standard_one() {
        for whole in [false, true] {
            let (mut plus, _) = start();
            plus.end();
            assert_eq!(opened(&mut plus, whole, 10, 2.0), 10.0);
        }
    }

    /// One round of ten ACKs with this round-trip time.
    fn round(plus: &mut HyStartPlus, congestion: &mut Congestion, number: u64, rtt: u64) {
        for ack in 1..=10 {
            let ack = AckSample {
                una: number * 10 + ack,
                max_sent: number * 10 + 10 + ack,
                ..AckSample::default()
            };
            let path = Measured { rtt: Some(Dur::from_ms(rtt)), ..Measured::default() };
            plus.on_path(congestion, &PathSample { ack, path, ..PathSample::default() });
        }
    }

    fn start() -> (HyStartPlus, Congestion) {
        let config = TcpConfig { max_window: 1000, initial_window: 100, ..TcpConfig::default() };
        (HyStartPlus::new(false, 1.0), Congestion::new(&config))
    }

    #[test]
    fn a_steady_round_trip_ends_nothing() {
        let (mut plus, mut congestion) = start();
        (0..20).for_each(|number| round(&mut plus, &mut congestion, number, 50));
        assert_eq!((plus.divisor(), plus.counts(), congestion.ssthresh), (1.0, (0, 0), 1000.0));
    }

    /// §4.2: an eighth of 50 ms is 6.25 ms; 56 ms is below it, 57 ms is not; five rounds later slow start is over.
    #[test]
    fn five_rounds_after_the_growth_slow_start_is_over() {
        let (mut plus, mut congestion) = start();
        round(&mut plus, &mut congestion, 0, 50);
        round(&mut plus, &mut congestion, 1, 56);
        assert_eq!(plus.divisor(), 1.0);
        round(&mut plus, &mut congestion, 2, 50);
        round(&mut plus, &mut congestion, 3, 57);
        assert_eq!(plus.divisor(), 4.0);
        (4..8).for_each(|number| round(&mut plus, &mut congestion, number, 57));
        assert_eq!((plus.divisor(), congestion.ssthresh), (4.0, 1000.0));
        round(&mut plus, &mut congestion, 8, 57);
        assert_eq!((plus.counts(), congestion.ssthresh), ((1, 0), 100.0));
    }

    /// §4.2, §4.3: of seven samples none counts, the eighth does.
    #[test]
    fn a_round_needs_eight_samples() {
        for (samples, divisor) in [(7, 1.0), (8, 4.0)] {
            let (mut plus, mut congestion) = start();
            round(&mut plus, &mut congestion, 0, 50);
            for ack in 1..=samples {
                let ack = AckSample { una: 10 + ack, max_sent: 30, ..AckSample::default() };
                let path = Measured { rtt: Some(Dur::from_ms(58)), ..Measured::default() };
                plus.on_path(&mut congestion, &PathSample { ack, path, ..PathSample::default() });
            }
            assert_eq!(plus.divisor(), divisor, "{samples} samples");
        }
    }

    #[test]
    fn a_round_below_the_baseline_goes_back_to_slow_start() {
        let (mut plus, mut congestion) = start();
        round(&mut plus, &mut congestion, 0, 50);
        round(&mut plus, &mut congestion, 1, 60);
        round(&mut plus, &mut congestion, 2, 59);
        assert_eq!((plus.divisor(), plus.counts()), (1.0, (0, 1)));
        plus.end();
        round(&mut plus, &mut congestion, 3, 90);
        round(&mut plus, &mut congestion, 4, 190);
        assert_eq!(plus.divisor(), 1.0, "only in the first slow start");
    }
}
