//! Veno (Fu & Liew 2003): NewReno with Vegas's estimate of what waits in queues. With fewer than three segments there a
//! loss is taken for one of the channel, and the window shrinks by a fifth; with more it grows at half the pace.

use super::contract::{AckSample, PathSample, WindowRule};
use super::delay::RoundDelay;
use super::newreno::NewReno;
use super::state::{Congestion, LossResponse, PartialAck};

/// Segments in queues from which on the path counts as congested.
const BETA: f64 = 3.0;
/// What a loss without congestion leaves of the window.
const RANDOM: f64 = 0.8;

/// The rule and what it has measured.
#[derive(Clone, Debug)]
pub struct Veno {
    newreno: NewReno,
    delay: RoundDelay,
    congested: bool,
    /// While it is congested, every second ACK opens the window.
    skips: bool,
}

impl Veno {
    /// The rule before any measurement.
    #[must_use]
    pub fn new(deflates_partly: bool) -> Self {
        let newreno = NewReno { deflates_partly };
        Self { newreno, delay: RoundDelay::default(), congested: true, skips: false }
    }
}

impl WindowRule for Veno {
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        let slow_start = congestion.cwnd < congestion.ssthresh;
        self.skips = self.congested && !slow_start && !self.skips;
        if !self.skips {
            congestion.open(sample.segments);
        }
    }

    fn wants_path(&self) -> bool {
        true
    }

    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        if let Some(round) = self.delay.take(sample) {
            self.congested = round.queued(congestion.cwnd) >= BETA;
        }
    }

    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        if self.congested {
            return self.newreno.on_loss(congestion, dupacks);
        }
        congestion.ssthresh = congestion.share(RANDOM);
        congestion.cwnd = congestion.ssthresh;
        congestion.forget_credit();
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        self.newreno.on_partial_ack(congestion, segments)
    }

    /// The least round-trip time is measured anew.
    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        self.delay.forget();
        self.congested = true;
        congestion.on_timeout(hold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::window::delay::testing::{round, start};

    #[test]
    fn a_loss_with_an_empty_queue_takes_a_fifth() {
        for (rtt, after) in [(110, 16.0), (130, 10.0)] {
            let (mut rule, mut congestion) = (Veno::new(true), start(20.0, 2));
            (0..3).for_each(|number| {
                round(&mut rule, &mut congestion, number, if number == 0 { 100 } else { rtt })
            });
            rule.on_loss(&mut congestion, 3);
            assert_eq!((congestion.cwnd, congestion.ssthresh), (after, after), "{rtt} ms");
        }
    }

    #[test]
    fn with_a_full_queue_every_second_ack_counts() {
        for (rtt, opened) in [(110, 4), (130, 2)] {
            let (mut rule, mut congestion) = (Veno::new(true), start(20.0, 2));
            (0..3).for_each(|number| {
                round(&mut rule, &mut congestion, number, if number == 0 { 100 } else { rtt })
            });
            let mut grown = 0;
            for _ in 0..4 {
                let before = congestion.cwnd;
                rule.on_ack(&mut congestion, &AckSample { segments: 1.0, ..AckSample::default() });
                grown += u32::from(congestion.cwnd > before);
            }
            assert_eq!(grown, opened, "{rtt} ms");
        }
    }
}
