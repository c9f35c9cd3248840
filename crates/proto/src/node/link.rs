//! How packets pass between the network layer and the link.

use super::outbox::Later;
use super::sinks::{FromQueue, MacEvent, SPACE, WAKE};
use super::stack::{Action, Node};
use crate::contract::{Cx, Notice, Outcome, Sink};
use crate::mac;
use crate::queue;
use crate::routing::Routing;
use crate::units::{NodeId, SimTime};
use crate::wire::{Frame, PacketId};

impl Node {
    /// Whether the MAC sends as its access timer fires now.
    #[must_use]
    pub fn sends_at(&self, now: SimTime) -> bool {
        self.radio.link.sends_at(now)
    }

    /// The MAC's back-off takes a slot more; returns when it ends now.
    pub fn lose_slot(&mut self) -> Option<SimTime> {
        self.radio.link.lose_slot()
    }

    /// Whether it wants to know of each packet in frames for others.
    #[must_use]
    pub const fn overhears(&self) -> bool {
        self.overhears
    }

    /// Whether the MAC counts its slots in seconds: then it wants to know which node interrupts it.
    #[must_use]
    pub fn counts_in_seconds(&self) -> bool {
        self.radio.link.counts_in_seconds()
    }

    /// The station that this one heard last is about to begin to send.
    #[inline(never)]
    pub fn cut_slot(&mut self, now: SimTime) {
        self.radio.link.cut_slot(now);
    }

    /// A frame that is not for this node alone was received whole. Returns whether it is dealt with: it says no more than
    /// for how long the medium is reserved, or brings what has come before. Otherwise nothing has happened yet, and
    /// [`super::Input::Receive`] is due.
    #[inline]
    #[must_use]
    pub fn try_receive_fast(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        if frame.to == NodeId::BROADCAST {
            return self.is_known_flood(cx, frame);
        }
        !self.overhears && self.radio.link.try_update_nav(cx.now, frame)
    }

    /// Most of what a flood brings ends here: its reception is counted, and over.
    #[inline(never)]
    fn is_known_flood(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        let known = !self.overhears
            && self.radio.link.only_broadcast_payload(cx.now)
            && !self.is_blocked()
            && self.net.machine_mut().is_known_flood(cx, frame.packet, frame.from);
        if known {
            cx.packets.receive_in_vain(frame.packet);
        }
        known
    }

    /// Lets the MAC act, then carries its answers through the stack.
    #[inline(always)]
    pub(super) fn feed_mac<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        out: &mut S,
    ) {
        if self.radio.handle(cx, input, self.net.machine(), out) && self.radio.answers.event.is_some() {
            self.dispatch_mac_events(cx, out);
        }
    }

    /// The layers above the MAC hear what it had to tell them: mostly one thing, which is read part by part as it was
    /// written. To take it whole would wait until all its parts have reached the cache.
    #[inline(always)]
    fn dispatch_mac_events<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        match self.radio.answers.event {
            _ if !self.radio.answers.more_events.is_empty() => self.handle_all_mac_events(cx, out),
            Some(MacEvent::Deliver(packet, from)) => {
                self.radio.answers.event = None;
                self.receive_packet(cx, packet, from, out);
            }
            Some(MacEvent::Outcome(packet, outcome)) => {
                self.radio.answers.event = None;
                self.on_outcome(cx, packet, outcome, out);
            }
            _ => self.handle_rare_mac_event(cx, out),
        }
        self.empty_inbox(cx, out);
    }

    #[cold]
    fn handle_all_mac_events<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        // In the middle of this the MAC may have more to tell.
        let first = self.radio.answers.event.take();
        for event in first.into_iter().chain(std::mem::take(&mut self.radio.answers.more_events)) {
            self.handle_mac_event(cx, event, out);
        }
    }

    /// What the DCF never says.
    #[cold]
    #[inline(never)]
    fn handle_rare_mac_event<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if let Some(MacEvent::HandedOver(packet, attempts)) = self.radio.answers.event {
            self.radio.answers.event = None;
            self.hand_on(cx, packet, attempts, out);
        } else if let Some(event) = self.radio.answers.event.take() {
            self.handle_mac_event(cx, event, out);
        }
    }

    fn handle_mac_event<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, event: MacEvent, out: &mut S) {
        match event {
            MacEvent::Outcome(packet, outcome) => self.on_outcome(cx, packet, outcome, out),
            MacEvent::Deliver(packet, from) => self.receive_packet(cx, packet, from, out),
            MacEvent::Hold => self.hold_back(cx, out),
            MacEvent::Ready => self.serve(cx, out),
            MacEvent::Release => self.await_release(out),
            MacEvent::HandedOver(packet, attempts) => self.hand_on(cx, packet, attempts, out),
            MacEvent::Ended => self.end_first(cx, out),
            MacEvent::Room => self.inbox.post(Notice::QueueSpace),
        }
    }

    /// A frame in service has come to an end, and the MAC may have the next one.
    #[inline(always)]
    fn on_outcome<S: Sink<Action>>(
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
        let Some(hold) = self.radio.answers.holds.pop_front() else { return };
        if !self.up {
            return;
        }
        self.radio.link.queue.hold(hold);
        self.await_hold(cx, out);
    }

    /// The MAC's release timer is to fire.
    #[cold]
    pub(super) fn await_release<S: Sink<Action>>(&mut self, out: &mut S) {
        self.outbox.arm(self.radio.answers.release, Later::MacTimer);
        self.arm_upper(out);
    }

    /// A hold has ended: the MAC is offered what was held.
    #[cold]
    pub(super) fn end_holds<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.await_hold(cx, out);
        self.serve(cx, out);
    }

    /// Asks to be woken when the next hold ends.
    fn await_hold<S: Sink<Action>>(&mut self, cx: &Cx<'_>, out: &mut S) {
        self.outbox.arm(self.radio.link.queue.hold_ends(cx.now), Later::HoldEnds);
        self.arm_upper(out);
    }

    /// Queues a packet; an idle MAC takes it at once.
    pub(super) fn enqueue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        if self.has_stages {
            return self.enter_stages(cx, packet, to, out);
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
        if self.radio.link.wants_frame() {
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
        let mut from_queue = FromQueue { out, flags: 0 };
        let mut packets = self.radio.link.withdraw(cx, neighbour, &mut from_queue);
        if let Some(rates) = &mut self.hop_rate {
            packets.extend(rates.withdraw(neighbour));
        }
        if from_queue.flags != 0 {
            self.on_queue_flags(from_queue.flags, out);
        }
        if !self.wires.is_empty() {
            packets.extend(self.withdraw_wired(cx, neighbour, out));
        }
        packets
    }

    /// [`Self::feed_queue`], away from the usual path.
    #[cold]
    #[inline(never)]
    pub(super) fn feed_queue_cold<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut S,
    ) {
        self.feed_queue(cx, input, out);
    }

    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: queue::Input, out: &mut S) {
        let flags = self.radio.feed_queue(cx, input, out);
        if flags != 0 {
            self.on_queue_flags(flags, out);
        }
    }

    /// The queue has something to tell the node.
    #[cold]
    #[inline(never)]
    pub(super) fn on_queue_flags<S: Sink<Action>>(&mut self, flags: u8, out: &mut S) {
        if flags & SPACE != 0 {
            self.inbox.post(Notice::QueueSpace);
        }
        if flags & WAKE != 0 {
            self.outbox.arm(self.radio.link.queue.wake_at(), Later::QueueTimer);
            self.arm_upper(out);
        }
    }
}
