//! What one ACK says, in segments (§2.3).

use super::super::contract::PathSample;
use crate::units::{Dur, SimTime};

/// The rate sample of an ACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub(super) now: SimTime,
    /// Segments that it acknowledges, cumulatively or selectively.
    pub(super) newly: f64,
    /// Bytes delivered so far.
    pub(super) total: u64,
    /// The same as the newest of them was sent.
    pub(super) prior: Option<u64>,
    /// Segments delivered since then.
    pub(super) delivered: f64,
    /// Segments a second; none if the interval was too short to tell.
    pub(super) rate: Option<f64>,
    /// Segments lost since then.
    pub(super) lost: f64,
    /// Segments in the network once it had been sent.
    pub(super) sent_in_flight: f64,
    /// Segments in the network now.
    pub(super) in_flight: f64,
    /// Whether the sender had too little to send.
    pub(super) limited: bool,
    pub(super) rtt: Option<Dur>,
}

impl Sample {
    /// What the sender saw.
    pub(super) fn of(seen: &PathSample) -> Self {
        let segments = |bytes: u64| bytes as f64 / seen.segment.max(1) as f64;
        let path = &seen.path;
        let delivered = path.prior_delivered.map_or(0, |prior| path.delivered - prior.min(path.delivered));
        Self {
            now: seen.ack.now,
            newly: segments(path.newly),
            total: path.delivered,
            prior: path.prior_delivered,
            delivered: segments(delivered),
            rate: path.rate.map(|(bytes, interval)| segments(bytes) / interval.as_secs_f64()),
            lost: segments(seen.lost_since),
            sent_in_flight: segments(path.sent_in_flight),
            in_flight: segments(seen.in_flight),
            limited: path.limited,
            rtt: path.rtt,
        }
    }
}
