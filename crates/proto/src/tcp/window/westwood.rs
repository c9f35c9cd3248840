//! Westwood+ (Grieco & Mascolo 2004): after a loss the window is what the path has carried lately, rate times least
//! round-trip time. What was delivered is counted over each round trip and smoothed twice, as in Linux.

use super::contract::{PathSample, WindowRule};
use super::newreno::NewReno;
use super::state::{Congestion, LossResponse, PartialAck};
use crate::units::{Dur, SimTime};

/// Least length of a measurement.
const LEAST: Dur = Dur::from_ms(50);
/// Weight of the old in the filters.
const KEPT: f64 = 7.0 / 8.0;

/// The rule and what it has measured.
#[derive(Clone, Debug)]
pub struct Westwood {
    newreno: NewReno,
    /// When the present measurement began, and the bytes delivered then.
    since: Option<(SimTime, u64)>,
    /// Rate in bytes a second: smoothed once, and twice.
    rate: Option<(f64, f64)>,
    min_rtt: Option<Dur>,
    segment: u64,
}

impl Westwood {
    /// The rule before any measurement.
    #[must_use]
    pub const fn new(deflates_partly: bool) -> Self {
        Self { newreno: NewReno { deflates_partly }, since: None, rate: None, min_rtt: None, segment: 1 }
    }

    /// Segments that the path has carried in its least round-trip time, at least two; half of the window if that is not
    /// known.
    fn carried(&self, congestion: &Congestion) -> f64 {
        match (self.rate, self.min_rtt) {
            (Some((_, rate)), Some(rtt)) => {
                congestion.whole(rate * rtt.as_secs_f64() / self.segment as f64).max(2.0)
            }
            _ => congestion.halves().1,
        }
    }
}

impl WindowRule for Westwood {
    fn wants_path(&self) -> bool {
        true
    }

    fn on_path(&mut self, _congestion: &mut Congestion, sample: &PathSample) {
        let (now, delivered) = (sample.ack.now, sample.path.delivered);
        (self.min_rtt, self.segment) = (sample.path.min_rtt, sample.segment.max(1));
        let (since, before) = *self.since.get_or_insert((now, delivered));
        let length = now - since;
        let rtt = sample.path.rtt.or(sample.ack.srtt).unwrap_or_default();
        if length > rtt.max(LEAST) {
            let found = (delivered - before) as f64 / length.as_secs_f64();
            self.rate = Some(self.rate.map_or((found, found), |(once, twice)| {
                let once = KEPT * once + (1.0 - KEPT) * found;
                (once, KEPT * twice + (1.0 - KEPT) * once)
            }));
            self.since = Some((now, delivered));
        }
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        congestion.ssthresh = self.carried(congestion);
        congestion.cwnd = congestion.in_use().min(congestion.ssthresh);
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.newreno.on_partial_ack(congestion, segments)
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        if !hold {
            congestion.ssthresh = self.carried(congestion);
        }
        congestion.cwnd = 1.0;
        congestion.leave_recovery();
    }

    fn on_echo(&mut self, congestion: &mut Congestion) {
        congestion.ssthresh = self.carried(congestion);
        congestion.cwnd = congestion.in_use().min(congestion.ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use crate::tcp::sendlog::Measured;
    use crate::tcp::window::AckSample;

    const SEGMENT: u64 = 1000;

    /// Ten segments every 100 ms on a path with a least round trip of 80 ms: 8 segments at a time.
    fn carried(seconds: u64) -> (Westwood, Congestion) {
        let mut congestion = Congestion::new(&TcpConfig { initial_window: 30, ..TcpConfig::default() });
        let mut rule = Westwood::new(true);
        for tenth in 0..seconds * 10 {
            let ack = AckSample { now: SimTime::ZERO + Dur::from_ms(100 * tenth), ..AckSample::default() };
            let path = Measured {
                newly: 10 * SEGMENT,
                delivered: 10 * SEGMENT * (tenth + 1),
                rtt: Some(Dur::from_ms(90)),
                min_rtt: Some(Dur::from_ms(80)),
                ..Measured::default()
            };
            rule.on_path(
                &mut congestion,
                &PathSample { ack, path, segment: SEGMENT, ..PathSample::default() },
            );
        }
        (rule, congestion)
    }

    #[test]
    fn a_loss_leaves_what_the_path_has_carried() {
        let (mut rule, mut congestion) = carried(10);
        rule.on_loss(&mut congestion, 3);
        assert!((congestion.ssthresh - 8.0).abs() < 0.01, "{congestion:?}");
        assert_eq!((congestion.cwnd, congestion.inflation), (congestion.ssthresh, 3));
        congestion.cwnd = 5.0;
        rule.on_loss(&mut congestion, 3);
        assert_eq!(congestion.cwnd, 5.0, "a smaller window stays");
        rule.on_timeout(&mut congestion, false);
        assert!(congestion.cwnd == 1.0 && (congestion.ssthresh - 8.0).abs() < 0.01, "{congestion:?}");
    }

    /// tcp_westwood.c: whole segments, if the window is.
    #[test]
    fn what_is_carried_may_be_cut_to_whole_segments() {
        for (whole_window, left) in [(false, 8.5), (true, 8.0)] {
            let (mut rule, _) = carried(10);
            rule.min_rtt = Some(Dur::from_ms(85));
            let config = TcpConfig { initial_window: 30, whole_window, ..TcpConfig::default() };
            let mut congestion = Congestion::new(&config);
            rule.on_loss(&mut congestion, 3);
            assert!((congestion.ssthresh - left).abs() < 0.01, "{congestion:?}");
        }
    }

    #[test]
    fn without_a_measurement_a_loss_leaves_half() {
        let mut congestion = Congestion::new(&TcpConfig { initial_window: 30, ..TcpConfig::default() });
        Westwood::new(true).on_loss(&mut congestion, 3);
        assert_eq!(congestion.cwnd, 15.0);
    }
}
