//! HyStart (Ha & Rhee 2011) as in Linux: slow start ends before it overflows the queue. It ends when the round-trip
//! time of a round has grown, or when a train of ACKs is half as long as the least round trip.

use super::contract::PathSample;
use super::state::Congestion;
use crate::units::{Dur, SimTime};

/// Least window in segments at which it looks.
const LOW_WINDOW: f64 = 16.0;
/// Samples of a round before its least one counts.
const SAMPLES: u32 = 8;
/// Bounds of the growth of the round-trip time that ends slow start.
const DELAY: (Dur, Dur) = (Dur::from_ms(4), Dur::from_ms(16));
/// Longest gap between two ACKs of a train.
const GAP: Dur = Dur::from_ms(2);
/// What ACKs may be late by gathering, at most (`hystart_ack_delay`; less only above 2 Gb/s).
const ACK_DELAY: Dur = Dur::from_ms(1);

/// State of HyStart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HyStart {
    /// The round ends with the acknowledgement of this byte.
    end: u64,
    began: SimTime,
    last: SimTime,
    samples: u32,
    least: Option<Dur>,
    exits: u64,
}

impl HyStart {
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
                ..Self::default()
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
            over |= least > base + Dur::from_ns(base.as_ns() / 8).clamp(DELAY.0, DELAY.1);
        }
        if over {
            congestion.ssthresh = congestion.cwnd.max(2.0);
            self.exits += 1;
        }
    }
}
