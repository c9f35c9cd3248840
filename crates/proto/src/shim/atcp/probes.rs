//! The probes of one disconnection: when they go.

use super::config::BackOff;
use crate::units::{Dur, SimTime};

/// Longest time between probes and between retransmissions (RFC 6298 §2.5).
pub(super) const LONGEST: Dur = Dur::from_secs(60);

/// The probes of one disconnection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probes {
    sent: u32,
    /// TCP's timeout as it began, in which their times are counted.
    rto: Dur,
    /// When the last one went, or when it began.
    last: SimTime,
    /// When the next one is due.
    at: SimTime,
}

impl Probes {
    /// A disconnection begins: the first probe is due in one timeout.
    pub(super) fn begin(now: SimTime, rto: Dur) -> Self {
        Self { sent: 0, rto, last: now, at: now + rto.min(LONGEST) }
    }

    /// When the next one is due.
    pub(super) const fn next_at(&self) -> SimTime {
        self.at
    }

    /// Whether none has gone yet.
    pub(super) const fn have_not_begun(&self) -> bool {
        self.sent == 0
    }

    /// One goes; returns how long ago the last one went, or the disconnection began.
    pub(super) fn send(&mut self, now: SimTime, back_off: BackOff) -> Dur {
        let gap = now.saturating_since(self.last);
        self.sent += 1;
        let interval = match back_off {
            BackOff::Exponential => doubled(self.rto, self.sent),
            BackOff::Linear => times(self.rto, u64::from(self.sent) + 1),
        };
        (self.last, self.at) = (now, now + interval.min(LONGEST));
        gap
    }
}

/// A time doubled so often.
pub(super) fn doubled(time: Dur, doublings: u32) -> Dur {
    times(time, 1 << doublings.min(30))
}

const fn times(time: Dur, factor: u64) -> Dur {
    Dur::from_ns(time.as_ns().saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds between the probes of a disconnection with a timeout of 2 s.
    fn gaps(back_off: BackOff) -> Vec<u64> {
        let mut probes = Probes::begin(SimTime::ZERO, Dur::from_secs(2));
        assert!(probes.have_not_begun());
        let gap = |_| probes.send(probes.next_at(), back_off).as_ns() / 1_000_000_000;
        (0..7).map(gap).collect()
    }

    /// RFC 6298 §2.5: whatever the back-off, the time between two probes is at most 60 s.
    #[test]
    fn probes_back_off_as_configured_and_at_most_a_minute() {
        assert_eq!(gaps(BackOff::Exponential), [2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(gaps(BackOff::Linear), [2, 4, 6, 8, 10, 12, 14]);
    }
}
