//! A radio of a node: its queue and MAC, and what they have answered in the call under way.

use super::sinks::{FromMac, FromQueue, MacAnswers};
use super::stack::Action;
use crate::contract::{Cx, NextHops, Sink};
use crate::link::Link;
use crate::mac;
use crate::queue;
use crate::units::NodeId;
use crate::wire::PacketId;

/// One radio.
#[derive(Debug)]
pub(super) struct Radio {
    pub(super) link: Link,
    pub(super) answers: MacAnswers,
    /// The MAC is being offered frames.
    pub(super) serving: bool,
}

impl Radio {
    /// One that has done nothing yet.
    pub(super) fn new(link: Link) -> Self {
        Self { link, answers: MacAnswers::default(), serving: false }
    }

    /// Lets the MAC take one input, and holds what it begins to send. Returns whether it has answered: then more may stand
    /// in [`Radio::answers`].
    #[inline(always)]
    pub(super) fn handle<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        next_hops: &impl NextHops,
        out: &mut S,
    ) -> bool {
        self.link.handle(cx, input, next_hops, FromMac { out, answers: &mut self.answers });
        self.has_answered(cx)
    }

    /// Hands a packet to a link that keeps its packets itself; returns what [`Radio::handle`] does.
    #[cold]
    pub(super) fn hand_over<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        (packet, to): (PacketId, NodeId),
        next_hops: &impl NextHops,
        out: &mut S,
    ) -> bool {
        let mut answers = FromMac { out, answers: &mut self.answers };
        self.link.hand_over(cx, packet, to, next_hops, &mut answers);
        self.has_answered(cx)
    }

    /// Lets the queue take one input; returns what it has to tell the node, see [`FromQueue::flags`].
    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut S,
    ) -> u8 {
        let mut from_queue = FromQueue { out, flags: 0 };
        self.link.queue.handle(cx, input, &mut from_queue);
        from_queue.flags
    }

    /// A transmission holds its packets while it is on the air.
    #[inline(always)]
    fn has_answered(&mut self, cx: &mut Cx<'_>) -> bool {
        if !self.answers.any {
            return false;
        }
        self.answers.any = false;
        let sent = self.answers.sent;
        if sent != PacketId::NONE {
            self.answers.sent = PacketId::NONE;
            cx.packets.hold(sent);
            if !self.answers.more_sent.is_empty() {
                let more = self.answers.more_sent.drain(..);
                more.filter(|&id| id != PacketId::NONE).for_each(|id| cx.packets.hold(id));
            }
        }
        true
    }
}
