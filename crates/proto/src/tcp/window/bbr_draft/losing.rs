//! Losses of Startup (§5.3.1.3), and what was in flight as losses became too many (§5.5.10.2).

use super::bounds::LOSS;

/// Ranges of bytes that are lost in a round of a path that is full.
const RANGES: u32 = 6;

/// Losses of a round in Startup.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartupLosses {
    /// Ranges lost in the round, none next to another.
    ranges: u32,
    /// Where the last one ended.
    end: u64,
    /// Bytes delivered as the recovery under way began.
    since: Option<u64>,
}

impl StartupLosses {
    /// `[start, end)` is lost.
    pub(super) const fn add(&mut self, start: u64, end: u64) {
        if self.ranges == 0 || start != self.end {
            self.ranges += 1;
        }
        self.end = end;
    }

    /// Whether the sender repairs, with so many bytes delivered.
    pub(super) const fn repairing(&mut self, is: bool, delivered: u64) {
        match self.since {
            _ if !is => self.since = None,
            None => self.since = Some(delivered),
            Some(_) => {}
        }
    }

    /// Whether they show that the path is full, at the end of a round: the recovery has lasted for a round, and enough
    /// ranges are lost.
    pub(super) fn are_many(&self, prior: Option<u64>) -> bool {
        self.ranges >= RANGES && self.since.zip(prior).is_some_and(|(since, prior)| prior >= since)
    }

    /// A round is over.
    pub(super) const fn end_round(&mut self) {
        self.ranges = 0;
    }
}

/// Segments that were in flight as the losses passed the share that may be lost (`InflightAtLoss`), of a segment of
/// this size with which so many were in flight and so many were lost.
pub(super) fn in_flight_at_loss(size: f64, in_flight: f64, lost: f64) -> f64 {
    let (before, lost_before) = (in_flight - size, lost - size);
    before + (LOSS * before - lost_before) / (1.0 - LOSS)
}
