//! What an end of a connection does with timestamps (RFC 7323): it stamps what it sends, keeps what it is to echo
//! (§4.3), and tells segments from an earlier time (PAWS, §5).

use crate::units::SimTime;
use crate::wire::{Segment, Timestamps, is_before};

/// The timestamps of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    on: bool,
    /// What is echoed (`TS.Recent`); 0 for nothing yet.
    recent: u32,
    /// What this end acknowledged last (`Last.ACK.sent`).
    acked: u64,
}

impl Stamps {
    /// Nothing was heard; `on`: whether the option is used.
    #[must_use]
    pub const fn new(on: bool) -> Self {
        Self { on, recent: 0, acked: 0 }
    }

    /// Whether the option is used.
    #[inline]
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.on
    }

    /// The option of a segment that leaves now.
    #[inline]
    #[must_use]
    pub const fn stamp(&self, now: SimTime) -> Timestamps {
        if self.on { Timestamps::new(now, self.recent) } else { Timestamps::NONE }
    }

    /// Whether a segment is from an earlier time than what was heard last (§5.3 R1).
    #[must_use]
    pub const fn is_old(&self, segment: &Segment) -> bool {
        let value = segment.times.value();
        segment.times.is_present() && self.recent != 0 && is_before(value, self.recent)
    }

    /// A segment has come. It is echoed if it has the byte that the last ACK asked for (§4.3 step 2): so an ACK for
    /// several echoes the earliest.
    pub fn hear(&mut self, segment: &Segment) {
        let end = segment.seq.saturating_add(u64::from(segment.len));
        if segment.seq <= self.acked
            && end >= self.acked
            && segment.times.is_present()
            && !self.is_old(segment)
        {
            self.recent = segment.times.value();
        }
    }

    /// An ACK leaves.
    #[inline]
    pub const fn acknowledge(&mut self, ack: u64) {
        self.acked = ack;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(seq: u64, ms: u64) -> Segment {
        Segment { seq, len: 1000, times: Timestamps::new(SimTime::from_ms(ms), 0), ..Segment::default() }
    }

    fn heard(segments: &[(u64, u64)]) -> Stamps {
        let mut stamps = Stamps::new(true);
        segments.iter().for_each(|&(seq, ms)| stamps.hear(&segment(seq, ms)));
        stamps
    }

    /// RFC 7323 §4.3 (A): an ACK for two segments echoes the first. (B): what comes out of order changes nothing. (C):
    /// what fills the gap is echoed.
    #[test]
    fn the_earliest_segment_not_acknowledged_is_echoed() {
        assert_eq!(heard(&[(0, 10), (1000, 20)]).recent, 11);
        assert_eq!(heard(&[(0, 10), (2000, 30)]).recent, 11);
        let mut stamps = heard(&[(0, 10)]);
        stamps.acknowledge(1000);
        stamps.hear(&segment(2000, 30));
        stamps.acknowledge(1000);
        assert_eq!(stamps.recent, 11);
        stamps.hear(&segment(1000, 40));
        assert_eq!(stamps.recent, 41);
        assert_eq!(stamps.stamp(SimTime::from_ms(50)), Timestamps::new(SimTime::from_ms(50), 41));
    }

    /// §5.3 R1, R3.
    #[test]
    fn a_segment_of_an_earlier_time_is_old() {
        let mut stamps = heard(&[(0, 100)]);
        assert!(stamps.is_old(&segment(0, 99)) && !stamps.is_old(&segment(0, 100)));
        assert!(!stamps.is_old(&Segment::default()), "without the option nothing is");
        stamps.hear(&segment(0, 99));
        assert_eq!(stamps.recent, 101);
        assert!(!heard(&[]).is_old(&segment(0, 1)), "nothing was heard yet");
    }

    #[test]
    fn switched_off_it_stamps_nothing() {
        assert_eq!(Stamps::new(false).stamp(SimTime::from_ms(5)), Timestamps::NONE);
    }
}
