//! The one timer of a sender: the retransmission timer (RFC 6298 §5), or in its place the persist timer or a tail loss
//! probe.

use super::config::TailProbeConfig;
use super::persist::Persist;
use super::tail_probe::TailProbe;
use crate::units::{Dur, SimTime};

/// When it fires, and as which of the three.
#[derive(Clone, Debug)]
pub struct RetransmissionTimer {
    persist: Persist,
    deadline: SimTime,
    tail: Option<Box<TailProbe>>,
}

impl RetransmissionTimer {
    /// It does not run.
    #[must_use]
    pub fn off(config: &TailProbeConfig) -> Self {
        let tail = config.on.then(|| Box::new(TailProbe::new(config)));
        Self { persist: Persist::default(), deadline: SimTime::MAX, tail }
    }

    /// The tail loss probe, if there is one.
    #[inline]
    pub fn tail_mut(&mut self) -> Option<&mut TailProbe> {
        self.tail.as_deref_mut()
    }

    /// Whether tail loss probes are sent, and none is out.
    #[inline]
    #[must_use]
    pub fn may_probe(&self) -> bool {
        self.tail.as_ref().is_some_and(|tail| !tail.is_out())
    }

    /// Whether the tail loss probe that is out has repeated the segment that ends here.
    #[must_use]
    pub fn has_repeated(&self, end: u64) -> bool {
        self.tail.as_ref().is_some_and(|tail| tail.repeats(end))
    }

    /// Whether a tail loss probe is out.
    #[inline]
    #[must_use]
    pub fn awaits_probe(&self) -> bool {
        self.tail.as_ref().is_some_and(|tail| tail.is_out())
    }

    /// Whether it fires now for a tail loss probe.
    #[inline]
    #[must_use]
    pub fn is_for_probe(&self, now: SimTime) -> bool {
        self.tail.as_ref().is_some_and(|tail| tail.due() <= now)
    }

    /// When it fires; `SimTime::MAX` if it does not run.
    #[inline]
    #[must_use]
    pub const fn deadline(&self) -> SimTime {
        self.deadline
    }

    /// Whether it does not run.
    #[inline]
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.deadline == SimTime::MAX
    }

    /// Whether it runs as the persist timer.
    #[inline]
    #[must_use]
    pub const fn is_probing(&self) -> bool {
        self.persist.is_running()
    }

    /// Sets it; no tail loss probe is due any more.
    #[inline]
    pub fn set(&mut self, deadline: SimTime) {
        self.deadline = deadline;
        if let Some(tail) = &mut self.tail {
            tail.cancel();
        }
    }

    /// It is the retransmission timer again.
    #[inline]
    pub const fn stop_probing(&mut self) {
        self.persist.stop();
    }

    /// It becomes the persist timer; returns when the first probe is due.
    pub fn start_probing(&mut self, now: SimTime, rto: Dur) -> SimTime {
        self.persist.start(now, rto)
    }

    /// A probe goes out; returns when the next is due, at most `most` later.
    pub fn probed(&mut self, now: SimTime, rto: Dur, most: Dur) -> SimTime {
        self.persist.probed(now, rto, most)
    }
}
