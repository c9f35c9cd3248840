//! How long packets are here, on average: from their arrival to the end of their service, delivered or not. A packet
//! that routing takes back is not served, and does not count.

use crate::units::{Dur, SimTime};

/// The average of one queue, exponentially weighted.
#[derive(Clone, Debug)]
pub struct Sojourn {
    /// Weight of what is known already.
    memory: f64,
    /// Time without a packet after which it is idle, and forgets.
    idle_after: Dur,
    /// \[µs\]
    average: f64,
    /// When a packet was served last.
    last: Option<SimTime>,
}

impl Sojourn {
    /// One that has measured nothing.
    #[must_use]
    pub const fn new(memory: f64, idle_after: Dur) -> Self {
        Self { memory, idle_after, average: 0.0, last: None }
    }

    /// What has been measured is forgotten.
    pub(super) const fn restart(&mut self) {
        self.last = None;
    }

    /// The MAC is done with a packet that arrived then.
    pub fn served(&mut self, now: SimTime, enqueued: SimTime) {
        let took = now.saturating_since(enqueued).as_ns() as f64 / 1e3;
        let memory = if self.is_idle(now) { 0.0 } else { self.memory };
        self.average = memory * self.average + (1.0 - memory) * took;
        self.last = Some(now);
    }

    /// The average \[µs\]; none while it is idle.
    #[must_use]
    pub fn average(&self, now: SimTime) -> Option<f64> {
        (!self.is_idle(now)).then_some(self.average)
    }

    fn is_idle(&self, now: SimTime) -> bool {
        self.last.is_none_or(|last| now >= last + self.idle_after)
    }
}
