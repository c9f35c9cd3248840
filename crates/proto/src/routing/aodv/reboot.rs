//! A node that comes back: for a while it sends no requests and replies (RFC 3561 §6.13).

use crate::units::{Dur, SimTime};

/// Whether a node was down, and how long it is quiet.
#[derive(Clone, Debug)]
pub(super) struct Reboot {
    /// How long it is quiet; none if it is not.
    wait: Option<Dur>,
    down: bool,
    until: SimTime,
}

impl Reboot {
    pub(super) const fn new(wait: Option<Dur>) -> Self {
        Self { wait, down: false, until: SimTime::ZERO }
    }

    /// The node goes down.
    pub(super) const fn stop(&mut self) {
        self.down = true;
    }

    /// The node starts.
    pub(super) fn start(&mut self, now: SimTime) {
        if let (true, Some(wait)) = (self.down, self.wait) {
            self.until = now + wait;
        }
        self.down = false;
    }

    /// Whether it is quiet.
    pub(super) fn is_quiet(&self, now: SimTime) -> bool {
        now < self.until
    }

    /// Until when it is quiet, or was.
    pub(super) const fn until(&self) -> SimTime {
        self.until
    }

    /// A packet has come for a destination to which there is no route: if the node is quiet, its wait begins anew.
    pub(super) fn prolong(&mut self, now: SimTime) {
        if let (true, Some(wait)) = (self.is_quiet(now), self.wait) {
            self.until = now + wait;
        }
    }
}
