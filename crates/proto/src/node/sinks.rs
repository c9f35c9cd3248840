//! Sinks inside a node: what a layer answers goes straight to the driver where it can, and is kept for the
//! node where another layer has to act.

use super::stack::{Action, Timer};
use crate::mac;
use crate::port::{Outcome, Sink};
use crate::queue;
use crate::units::NodeId;
use crate::wire::PacketId;

/// Takes the MAC's answers.
pub(super) struct FromMac<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) delivered: Option<(PacketId, NodeId)>,
    pub(super) outcome: Option<Outcome>,
}

impl<'a, S> FromMac<'a, S> {
    pub(super) const fn new(out: &'a mut S) -> Self {
        Self { out, delivered: None, outcome: None }
    }
}

impl<S: Sink<Action>> Sink<mac::Action> for FromMac<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: mac::Action) {
        match action {
            mac::Action::Transmit(frame) => self.out.put(Action::Transmit(frame)),
            mac::Action::Arm(mac::Timer::Access, at) => self.out.put(Action::Arm(Timer::Access, at)),
            mac::Action::Arm(mac::Timer::Sequence, at) => self.out.put(Action::Arm(Timer::Sequence, at)),
            mac::Action::Deliver { packet, from } => self.delivered = Some((packet, from)),
            mac::Action::Outcome(outcome) => self.outcome = Some(outcome),
        }
    }
}

/// Takes the queue's answers.
pub(super) struct FromQueue<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) space: bool,
}

impl<S: Sink<Action>> Sink<queue::Action> for FromQueue<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: queue::Action) {
        match action {
            queue::Action::Dropped(dropped) => self.out.put(Action::Dropped(dropped)),
            queue::Action::Space => self.space = true,
        }
    }
}
