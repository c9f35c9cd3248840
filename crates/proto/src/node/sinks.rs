//! Sinks inside a node: what a layer answers goes straight to the driver where it can, and is kept for the
//! node where another layer has to act.

use super::stack::{Action, Timer};
use crate::mac;
use crate::port::{Outcome, Sink};
use crate::queue;
use crate::units::NodeId;
use crate::wire::{PacketId, Part};

/// What the MAC tells the layers above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Upward {
    /// A packet for the network layer, from this neighbour.
    Deliver(PacketId, NodeId),
    /// What became of an offered packet.
    Outcome(PacketId, Outcome),
}

/// Answers beyond the usual one of a kind. A node has one: its memory is allocated when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Spill {
    pub(super) sent: Vec<PacketId>,
    pub(super) upward: Vec<Upward>,
}

/// Takes the MAC's answers.
pub(super) struct FromMac<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) spill: &'a mut Spill,
    /// What the transmission carries that begins now.
    pub(super) sent: PacketId,
    pub(super) upward: Option<Upward>,
}

impl<'a, S> FromMac<'a, S> {
    #[inline(always)]
    pub(super) const fn new(out: &'a mut S, spill: &'a mut Spill) -> Self {
        Self { out, spill, sent: PacketId::NONE, upward: None }
    }

    #[inline(always)]
    fn upward(&mut self, upward: Upward) {
        match self.upward {
            None => self.upward = Some(upward),
            Some(_) => self.spill.upward.push(upward),
        }
    }

    #[cold]
    fn sent_too(&mut self, second: Option<Part>) {
        self.spill.sent.push(self.sent);
        self.spill.sent.extend(second.map(|part| part.packet));
    }
}

impl<S: Sink<Action>> Sink<mac::Action> for FromMac<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: mac::Action) {
        match action {
            mac::Action::Transmit(frame) => {
                if frame.packet != PacketId::NONE {
                    if self.sent != PacketId::NONE || frame.second.is_some() {
                        self.sent_too(frame.second);
                    }
                    self.sent = frame.packet;
                }
                self.out.put(Action::Transmit(frame));
            }
            mac::Action::Arm(mac::Timer::Access, at) => self.out.put(Action::Arm(Timer::Access, at)),
            mac::Action::Arm(mac::Timer::Sequence, at) => self.out.put(Action::Arm(Timer::Sequence, at)),
            mac::Action::Deliver { packet, from } => self.upward(Upward::Deliver(packet, from)),
            mac::Action::Outcome(packet, outcome) => self.upward(Upward::Outcome(packet, outcome)),
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
