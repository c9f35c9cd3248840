//! Vegas (Brakmo & Peterson 1995): once a round trip the window is set so that between two and four segments wait in
//! queues. Slow start doubles every second round and ends when one waits.
//!
//! The round-trip time of a round is the least one in it: with delayed ACKs others contain the delay of the ACK.

use super::contract::{AckSample, PathSample, WindowRule};
use super::delay::{Round, RoundDelay};
use super::newreno::NewReno;
use super::state::{Congestion, LossResponse, PartialAck};

/// Segments in queues: fewer add one to the window, more take one off, and so many end slow start.
const ALPHA: f64 = 2.0;
const BETA: f64 = 4.0;
const GAMMA: f64 = 1.0;
/// Fewer samples in a round say nothing.
const SAMPLES: u32 = 3;

/// The rule and what it has measured.
#[derive(Clone, Debug)]
pub struct Vegas {
    newreno: NewReno,
    delay: RoundDelay,
    /// Whether slow start opens the window in the present round.
    opens: bool,
    /// Whether the last round had too few samples, so that NewReno's rule holds.
    blind: bool,
}

impl Vegas {
    /// The rule before any measurement.
    #[must_use]
    pub fn new(deflates_partly: bool) -> Self {
        Self { newreno: NewReno { deflates_partly }, delay: RoundDelay::default(), opens: true, blind: true }
    }

    fn on_round(&mut self, congestion: &mut Congestion, round: &Round) {
        self.opens = !self.opens;
        self.blind = round.samples < SAMPLES;
        if self.blind {
            return;
        }
        let queued = round.queued(congestion.cwnd);
        if congestion.cwnd < congestion.ssthresh {
            if queued > GAMMA {
                let carried = congestion.whole(congestion.cwnd * round.share);
                congestion.cwnd = congestion.cwnd.min(carried + 1.0).max(2.0);
                congestion.ssthresh = congestion.ssthresh.min(congestion.cwnd - 1.0).max(2.0);
            }
        } else if queued > BETA {
            congestion.cwnd = (congestion.cwnd - 1.0).max(2.0);
            congestion.ssthresh = congestion.ssthresh.min(congestion.cwnd - 1.0).max(2.0);
        } else if queued < ALPHA && congestion.cwnd < f64::from(congestion.limit) {
            congestion.cwnd += 1.0;
        }
    }
}

impl WindowRule for Vegas {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        let slow_start = congestion.cwnd < congestion.ssthresh;
        if self.blind || slow_start && self.opens {
            congestion.open(sample.segments);
        }
    }

    fn wants_path(&self) -> bool {
        true
    }

    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        if let Some(round) = self.delay.take(sample).filter(|_| !sample.recovering) {
            self.on_round(congestion, &round);
        }
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        self.newreno.on_loss(congestion, dupacks)
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.newreno.on_partial_ack(congestion, segments)
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        self.delay.forget();
        self.blind = true;
        congestion.on_timeout(hold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::TcpConfig;
    use crate::tcp::window::delay::testing::{round, start};

    /// At 20 segments a round trip of 105, 115 and 130 ms means 0.95, 2.6 and 4.6 in queues.
    #[test]
    fn the_window_keeps_two_to_four_segments_waiting() {
        for (rtt, after) in [(105, 21.0), (115, 20.0), (130, 19.0)] {
            let (mut rule, mut congestion) = (Vegas::new(true), start(20.0, 2));
            round(&mut rule, &mut congestion, 0, 100);
            round(&mut rule, &mut congestion, 1, rtt);
            congestion.cwnd = 20.0;
            round(&mut rule, &mut congestion, 2, rtt);
            assert_eq!(congestion.cwnd, after, "{rtt} ms");
        }
    }

    #[test]
    fn slow_start_ends_when_a_segment_waits() {
        let (mut rule, mut congestion) = (Vegas::new(true), start(20.0, 44));
        round(&mut rule, &mut congestion, 0, 100);
        round(&mut rule, &mut congestion, 1, 125);
        assert_eq!(congestion.ssthresh, 44.0);
        round(&mut rule, &mut congestion, 2, 125);
        assert_eq!((congestion.cwnd, congestion.ssthresh), (17.0, 16.0));
    }

    /// tcp_vegas.c: whole segments, if the window is; 20 · 100/130 are 15.4.
    #[test]
    fn the_end_of_slow_start_may_leave_whole_segments() {
        let config = TcpConfig { whole_window: true, initial_window: 20, ..TcpConfig::default() };
        let (mut rule, mut congestion) = (Vegas::new(true), Congestion::new(&config));
        round(&mut rule, &mut congestion, 0, 100);
        congestion.cwnd = 20.0;
        round(&mut rule, &mut congestion, 1, 130);
        congestion.cwnd = 20.0;
        round(&mut rule, &mut congestion, 2, 130);
        assert_eq!((congestion.cwnd, congestion.ssthresh), (16.0, 15.0));
    }

    /// Slow start opens the window in every second round only.
    #[test]
    fn slow_start_doubles_every_second_round() {
        let (mut rule, mut congestion) = (Vegas::new(true), start(20.0, 44));
        let mut opened = Vec::new();
        for number in 0..6 {
            round(&mut rule, &mut congestion, number, 100);
            let before = congestion.cwnd;
            rule.on_ack(&mut congestion, &AckSample { segments: 1.0, ..AckSample::default() });
            opened.push(congestion.cwnd > before);
        }
        assert_eq!(opened[2..], [false, true, false, true], "{opened:?}");
    }
}
