//! The lower half of a node: its queue and its MAC, and how frames and their outcomes pass between them.

use super::sinks::{FromMac, FromQueue, Upward};
use super::stack::{Action, Node};
use crate::mac;
use crate::port::{Cx, Held, Notice, Offer, Outcome, Sink};
use crate::queue;
use crate::routing;
use crate::units::NodeId;
use crate::wire::PacketId;

/// Rounds over the classes in which frames that are held give way: with a small quantum a class may send only after
/// several.
const ROUNDS: u32 = 8;

impl Node {
    /// Lets the MAC act, then carries its answers through the stack.
    #[inline(always)]
    pub(super) fn feed_mac<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: mac::Input<'_>, out: &mut S) {
        self.mac.handle(cx, input, &mut FromMac { out, answers: &mut self.answers });
        self.hold(cx);
        if let Some(first) = self.answers.upward.take() {
            self.hear_from_below(cx, first, out);
        }
    }

    /// The layers above the MAC hear what it had to tell them.
    #[inline(always)]
    fn hear_from_below<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, first: Upward, out: &mut S) {
        if self.answers.more_upward.is_empty() {
            self.pass_up(cx, first, out);
        } else {
            self.pass_all_up(cx, first, out);
        }
        self.empty_inbox(cx, out);
    }

    #[cold]
    fn pass_all_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, first: Upward, out: &mut S) {
        // In the middle of this the MAC may have more to tell.
        for upward in std::iter::once(first).chain(std::mem::take(&mut self.answers.more_upward)) {
            self.pass_up(cx, upward, out);
        }
    }

    #[inline(always)]
    fn pass_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, upward: Upward, out: &mut S) {
        match upward {
            Upward::Outcome(packet, outcome) => {
                self.settle(cx, packet, outcome, out);
                self.serve(cx, out);
            }
            Upward::Deliver(packet, from) => self.climb(cx, packet, from, out),
        }
    }

    /// A transmission holds its packets while it is on the air.
    #[inline(always)]
    fn hold(&mut self, cx: &mut Cx<'_>) {
        let sent = self.answers.sent;
        if sent != PacketId::NONE {
            self.answers.sent = PacketId::NONE;
            cx.packets.hold(sent);
            if !self.answers.more_sent.is_empty() {
                let more = self.answers.more_sent.drain(..);
                more.filter(|&id| id != PacketId::NONE).for_each(|id| cx.packets.hold(id));
            }
        }
    }

    /// Queues a packet; an idle MAC takes it at once.
    pub(super) fn enqueue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        self.feed_queue(cx, queue::Input::Enqueue { packet, to }, out);
        if self.mac.wants_frame() {
            self.serve(cx, out);
        }
    }

    /// Gives the MAC its next frame, if it wants one and there is one.
    pub(super) fn serve<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if std::mem::replace(&mut self.serving, true) {
            return; // the loop below goes on
        }
        let (mut refused, mut rounds) = (None, 0);
        while rounds < ROUNDS && self.up && self.mac.wants_frame() {
            let Some(mut offer) = self.queue.offer(cx, self.header) else { break };
            let lost = offer.kept && !self.find_way(cx, &mut offer, out);
            if lost || self.send(cx, mac::Input::Send(offer), out) {
                rounds += u32::from(refused == Some(offer.packet));
                refused.get_or_insert(offer.packet);
            }
        }
        self.serving = false;
    }

    /// The route may have changed since a kept frame was queued; returns whether there is one.
    #[cold]
    fn find_way<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, offer: &mut Offer, out: &mut S) -> bool {
        let Some(to) = self.routing.next_hop(&cx.packets[offer.packet]) else {
            self.settle(cx, offer.packet, Outcome::Held(Held::NoRoute), out);
            self.feed_routing(cx, routing::Input::RouteWanted { packet: offer.packet }, out);
            return false;
        };
        offer.to = to;
        self.queue.readdress(offer.packet, to);
        true
    }

    /// Offers the MAC a frame; returns whether it has sent one back untried.
    #[inline(always)]
    fn send<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: mac::Input<'_>, out: &mut S) -> bool {
        self.mac.handle(cx, input, &mut FromMac { out, answers: &mut self.answers });
        self.hold(cx);
        self.answers.upward.take().is_some_and(|upward| self.answered(cx, upward, out))
    }

    /// The MAC has answered an offer at once.
    #[cold]
    fn answered<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, first: Upward, out: &mut S) -> bool {
        let more = std::mem::take(&mut self.answers.more_upward);
        let mut held = false;
        for upward in std::iter::once(first).chain(more) {
            match upward {
                Upward::Outcome(packet, outcome) => {
                    held |= matches!(outcome, Outcome::Held(_));
                    self.settle(cx, packet, outcome, out);
                }
                // A frame is offered in the middle of other work.
                Upward::Deliver(packet, from) => self.inbox.deliver(packet, from),
            }
        }
        held
    }

    /// A frame in service has come to an end: the queue settles it, routing hears of failures.
    fn settle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, outcome: Outcome, out: &mut S) {
        if let Outcome::Delivered { rts, attempts } | Outcome::GaveUp { rts, attempts, .. } = outcome {
            let attempts = rts.max(attempts); // each begins with an RTS, or none does
            self.facts.attempts_average += (f64::from(attempts) - self.facts.attempts_average) / 8.0;
        }
        let neighbour = match outcome {
            Outcome::GaveUp { cause, .. } => {
                out.put(Action::GaveUp(cause));
                self.queue.next_hop(packet)
            }
            Outcome::Delivered { .. } | Outcome::Held(_) => None,
        };
        self.feed_queue(cx, queue::Input::Outcome(packet, outcome), out);
        if let Some(neighbour) = neighbour {
            self.feed_routing(cx, routing::Input::LinkFailed { neighbour }, out);
            self.inbox.post(Notice::LinkFailed { neighbour });
        }
    }

    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: queue::Input, out: &mut S) {
        let mut answers = FromQueue { out, space: false };
        self.queue.handle(cx, input, &mut answers);
        if answers.space {
            self.inbox.post(Notice::QueueSpace);
        }
    }
}
