//! How packets pass between the network layer and the link.

use super::outbox::Later;
use super::sinks::{FromMac, FromQueue, SPACE, Upward, WAKE};
use super::stack::{Action, Node};
use crate::mac;
use crate::port::{Cx, Notice, Outcome, Sink};
use crate::queue;
use crate::units::{NodeId, SimTime};
use crate::wire::{Frame, PacketId};

impl Node {
    /// Whether the MAC sends as its access timer fires now.
    #[must_use]
    pub fn sends_at(&self, now: SimTime) -> bool {
        self.link.sends_at(now)
    }

    /// The MAC's back-off takes a slot more; returns when it ends now.
    pub fn lose_slot(&mut self) -> Option<SimTime> {
        self.link.lose_slot()
    }

    /// Whether the MAC counts its slots in seconds: then it wants to know who interrupts it.
    #[must_use]
    pub fn counts_in_seconds(&self) -> bool {
        self.link.counts_in_seconds()
    }

    /// The station that this one heard last is about to begin to send.
    #[inline(never)]
    pub fn cut_slot(&mut self, now: SimTime) {
        self.link.cut_slot(now);
    }

    /// A frame that is not for this node alone was received whole. Returns whether it is dealt with: it says no more than
    /// for how long the medium is reserved, or brings what has come before. Otherwise nothing has happened yet, and
    /// [`super::Input::Receive`] is due.
    #[inline]
    #[must_use]
    pub fn passes_by(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        if frame.to == NodeId::BROADCAST {
            return self.knows(cx, frame);
        }
        !self.listens && self.link.passes_by(cx.now, frame)
    }

    /// Most of what a flood brings ends here: its reception is counted, and over.
    #[inline(never)]
    fn knows(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        let knows = !self.listens
            && self.link.only_delivers(cx.now)
            && !self.stands_still()
            && self.routing.knows(cx, frame.packet, frame.from);
        if knows {
            cx.packets.receive_in_vain(frame.packet);
        }
        knows
    }

    /// Lets the MAC act, then carries its answers through the stack.
    #[inline(always)]
    pub(super) fn feed_mac<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        out: &mut S,
    ) {
        self.link.handle(cx, input, &self.routing, FromMac { out, answers: &mut self.answers });
        if !self.answers.any {
            return;
        }
        self.answers.any = false;
        self.hold(cx);
        if self.answers.upward.is_some() {
            self.hear_from_below(cx, out);
        }
    }

    /// The layers above the MAC hear what it had to tell them: mostly one thing, which is read part by part as it was
    /// written. To take it whole would wait until all its parts have reached the cache.
    #[inline(always)]
    fn hear_from_below<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        match self.answers.upward {
            _ if !self.answers.more_upward.is_empty() => self.pass_all_up(cx, out),
            Some(Upward::Deliver(packet, from)) => {
                self.answers.upward = None;
                self.climb(cx, packet, from, out);
            }
            Some(Upward::Outcome(packet, outcome)) => {
                self.answers.upward = None;
                self.conclude(cx, packet, outcome, out);
            }
            _ => self.pass_seldom_up(cx, out),
        }
        self.empty_inbox(cx, out);
    }

    #[cold]
    fn pass_all_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        // In the middle of this the MAC may have more to tell.
        let first = self.answers.upward.take();
        for upward in first.into_iter().chain(std::mem::take(&mut self.answers.more_upward)) {
            self.pass_up(cx, upward, out);
        }
    }

    /// What the DCF never says.
    #[cold]
    #[inline(never)]
    fn pass_seldom_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if let Some(Upward::HandedOver(packet, attempts)) = self.answers.upward {
            self.answers.upward = None;
            self.hand_on(cx, packet, attempts, out);
        } else if let Some(upward) = self.answers.upward.take() {
            self.pass_up(cx, upward, out);
        }
    }

    fn pass_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, upward: Upward, out: &mut S) {
        match upward {
            Upward::Outcome(packet, outcome) => self.conclude(cx, packet, outcome, out),
            Upward::Deliver(packet, from) => self.climb(cx, packet, from, out),
            Upward::Hold => self.hold_back(cx, out),
            Upward::Ready => self.serve(cx, out),
            Upward::HandedOver(packet, attempts) => self.hand_on(cx, packet, attempts, out),
            Upward::Ended => self.end_first(cx, out),
            Upward::Room => self.inbox.post(Notice::QueueSpace),
        }
    }

    /// A frame in service has come to an end, and the MAC may have the next one.
    #[inline(always)]
    fn conclude<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        self.after_attempt(cx, packet, outcome, out);
        self.serve(cx, out);
    }

    /// The MAC does not want to be offered something for a while.
    #[cold]
    pub(super) fn hold_back<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let Some(hold) = self.answers.holds.pop_front() else { return };
        if !self.up {
            return;
        }
        self.link.queue.hold(hold);
        self.await_hold(cx, out);
    }

    /// A hold has ended: the MAC is offered what was held.
    #[cold]
    pub(super) fn end_holds<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.await_hold(cx, out);
        self.serve(cx, out);
    }

    /// Asks to be woken when the next hold ends.
    fn await_hold<S: Sink<Action>>(&mut self, cx: &Cx<'_>, out: &mut S) {
        self.outbox.arm(self.link.queue.hold_ends(cx.now), Later::HoldEnds);
        self.arm_upper(out);
    }

    /// A transmission holds its packets while it is on the air.
    #[inline(always)]
    pub(super) fn hold(&mut self, cx: &mut Cx<'_>) {
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
        if self.detour {
            return self.take_detour(cx, packet, to, out);
        }
        self.put_in_queue(cx, packet, to, out);
    }

    /// Queues a packet whose way to the link is clear.
    #[inline(always)]
    pub(super) fn put_in_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        self.feed_queue(cx, queue::Input::Enqueue { packet, to }, out);
        if self.link.wants_frame() {
            self.serve(cx, out);
        }
    }

    /// Takes out of the queue what waits for a neighbour.
    pub(super) fn withdraw<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        out: &mut S,
    ) -> Vec<PacketId> {
        let mut answers = FromQueue { out, news: 0 };
        let mut packets = self.link.withdraw(cx, neighbour, &mut answers);
        if let Some(rates) = &mut self.hop_rate {
            packets.extend(rates.withdraw(neighbour));
        }
        if answers.news != 0 {
            self.hear_queue(answers.news, out);
        }
        packets
    }

    /// [`Self::feed_queue`], away from the usual path.
    #[cold]
    #[inline(never)]
    pub(super) fn feed_queue_seldom<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut S,
    ) {
        self.feed_queue(cx, input, out);
    }

    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: queue::Input, out: &mut S) {
        let mut answers = FromQueue { out, news: 0 };
        self.link.queue.handle(cx, input, &mut answers);
        if answers.news != 0 {
            self.hear_queue(answers.news, out);
        }
    }

    /// The queue has something to tell the node.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_queue<S: Sink<Action>>(&mut self, news: u8, out: &mut S) {
        if news & SPACE != 0 {
            self.inbox.post(Notice::QueueSpace);
        }
        if news & WAKE != 0 {
            self.outbox.arm(self.link.queue.wake_at(), Later::QueueTimer);
            self.arm_upper(out);
        }
    }
}
