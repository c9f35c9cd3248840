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

/// What a MAC answered in the call under way. It stays with the node, so that the usual call, which answers nothing,
/// touches nothing; the lists are allocated when a call first has more than one answer of a kind.
#[derive(Debug)]
pub(super) struct Answers {
    /// Whether there is any.
    pub(super) any: bool,
    /// What the transmission carries that begins now.
    pub(super) sent: PacketId,
    pub(super) more_sent: Vec<PacketId>,
    pub(super) upward: Option<Upward>,
    pub(super) more_upward: Vec<Upward>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            any: false,
            sent: PacketId::NONE,
            more_sent: Vec::new(),
            upward: None,
            more_upward: Vec::new(),
        }
    }
}

impl Answers {
    #[inline(always)]
    fn upward(&mut self, upward: Upward) {
        self.any = true;
        if self.upward.is_none() {
            self.upward = Some(upward);
        } else {
            self.more_upward.push(upward);
        }
    }

    #[inline(always)]
    fn sent(&mut self, packet: PacketId, second: Option<Part>) {
        self.any = true;
        if self.sent != PacketId::NONE || second.is_some() {
            self.sent_too(second);
        }
        self.sent = packet;
    }

    #[cold]
    fn sent_too(&mut self, second: Option<Part>) {
        self.more_sent.push(self.sent);
        self.more_sent.extend(second.map(|part| part.packet));
    }
}

/// Takes the MAC's answers.
pub(super) struct FromMac<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) answers: &'a mut Answers,
}

impl<S: Sink<Action>> Sink<mac::Action> for FromMac<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: mac::Action) {
        match action {
            mac::Action::Transmit(frame) => {
                if frame.packet != PacketId::NONE {
                    self.answers.sent(frame.packet, frame.second);
                }
                self.out.put(Action::Transmit(frame));
            }
            mac::Action::Arm(mac::Timer::Access, at) => self.out.put(Action::Arm(Timer::Access, at)),
            mac::Action::Arm(mac::Timer::Sequence, at) => self.out.put(Action::Arm(Timer::Sequence, at)),
            mac::Action::Deliver { packet, from } => self.answers.upward(Upward::Deliver(packet, from)),
            mac::Action::Outcome(packet, outcome) => self.answers.upward(Upward::Outcome(packet, outcome)),
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
