//! The persist timer (RFC 9293 §3.8.6.1): when probes are due while the receiver's window is closed. It knows times
//! only; what a probe is, the sender knows.

use crate::units::{Dur, SimTime};

/// The persist timer of one sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Persist {
    /// Interval until the next probe, while it runs.
    interval: Option<Dur>,
}

impl Persist {
    /// Whether probes are being sent.
    #[inline]
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.interval.is_some()
    }

    /// Starts it, and returns when the first probe is due: after one retransmission timeout.
    pub fn start(&mut self, now: SimTime, rto: Dur) -> SimTime {
        self.interval = Some(rto);
        now + rto
    }

    /// A probe goes out; returns when the next is due. The interval doubles up to `most`.
    pub fn probed(&mut self, now: SimTime, rto: Dur, most: Dur) -> SimTime {
        let last = self.interval.unwrap_or(rto);
        let next = last.min(most.saturating_sub(last)) + last;
        self.interval = Some(next);
        now + next
    }

    /// Stops it.
    #[inline]
    pub const fn stop(&mut self) {
        self.interval = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9293 §3.8.6.1: first after the retransmission timeout, then at growing intervals, for ever.
    #[test]
    fn the_interval_doubles_up_to_the_ceiling() {
        let (rto, most) = (Dur::from_secs(3), Dur::from_secs(20));
        let mut persist = Persist::default();
        assert!(!persist.is_running());
        let mut due = vec![persist.start(SimTime::ZERO, rto)];
        for _ in 0..4 {
            due.push(persist.probed(due[due.len() - 1], rto, most));
        }
        assert_eq!(due, [3, 9, 21, 41, 61].map(SimTime::from_secs));
        persist.stop();
        assert!(!persist.is_running());
        assert_eq!(persist.start(SimTime::ZERO, rto), SimTime::from_secs(3), "it starts afresh");
    }
}
