//! How packets pass between the network layer and the link.

use super::interfaces::{Hop, IfIndex};
use super::layer::NetLayer;
use super::outbox::Later;
use super::sinks::{MacEvent, SPACE, WAKE};
use crate::contract::{Cx, Notice, Outcome, Sink};
use crate::mac;
use crate::node::contract::Action;
use crate::queue;
use crate::routing::Routing;
use crate::units::NodeId;
use crate::wire::{Frame, PacketId};

impl NetLayer {
    /// Whether it wants to know of each packet in frames for others.
    #[inline(always)]
    pub(in crate::node) const fn overhears(&self) -> bool {
        self.links.listen()
    }

    /// A frame that is not for this station alone was received whole by an interface. Returns whether it is dealt with:
    /// it says no more than for how long the medium is reserved, or brings what has come before. Otherwise nothing has
    /// happened yet, and [`crate::node::Input::Receive`] is due.
    #[inline(always)]
    pub(in crate::node) fn try_receive_fast(&mut self, cx: &mut Cx<'_>, via: IfIndex, frame: &Frame) -> bool {
        if frame.to == NodeId::BROADCAST {
            return frame.packet != PacketId::NONE && self.is_known_flood(cx, via, frame);
        }
        !self.overhears() && self.links.interface_mut(via).link_mut().try_update_nav(cx.now, frame)
    }

    /// Most of what a flood brings ends here: its reception is counted, and over.
    #[inline(never)]
    fn is_known_flood(&mut self, cx: &mut Cx<'_>, via: IfIndex, frame: &Frame) -> bool {
        let from = self.links.radios().node_of(frame.from);
        let known = !self.overhears()
            && self.links.interface(via).link().only_broadcast_payload(cx.now)
            && !self.links.is_blocked()
            && self.router.machine_mut().is_known_flood(cx, frame.packet, from);
        if known {
            cx.packets.receive_in_vain(frame.packet);
        }
        known
    }

    /// Lets a MAC act; returns whether it has something to tell.
    #[inline(always)]
    pub(in crate::node) fn feed_mac<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        input: impl Fn() -> mac::Input<'a>,
        out: &mut S,
    ) -> bool {
        let interface = self.links.interface_mut(via);
        interface.handle(cx, input, self.router.machine(), out) && interface.answers().event.is_some()
    }

    /// Does what follows from the one thing that a MAC has to tell, which is no packet for the layers above.
    #[inline(always)]
    pub(in crate::node) fn handle_one_mac_event<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        out: &mut S,
    ) {
        let answers = self.links.interface_mut(via).answers();
        if let Some(MacEvent::Outcome(packet, outcome)) = answers.event {
            answers.event = None;
            self.on_outcome(cx, via, packet, outcome, out);
        } else {
            self.handle_rare_mac_event(cx, via, out);
        }
    }

    /// What the DCF never says.
    #[cold]
    #[inline(never)]
    fn handle_rare_mac_event<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        let answers = self.links.interface_mut(via).answers();
        if let Some(MacEvent::HandedOver(packet, attempts)) = answers.event {
            answers.event = None;
            self.hand_on(cx, packet, attempts, out);
        } else if let Some(event) = answers.event.take() {
            self.handle_mac_event(cx, via, event, out);
        }
    }

    pub(in crate::node) fn handle_mac_event<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        event: MacEvent,
        out: &mut S,
    ) {
        match event {
            MacEvent::Outcome(packet, outcome) => self.on_outcome(cx, via, packet, outcome, out),
            MacEvent::Deliver(packet, from) => {
                self.inbox.deliver(via, packet, self.links.radios().node_of(from));
            }
            MacEvent::Hold => self.hold_back(cx, via, out),
            MacEvent::Ready => self.serve(cx, via, out),
            MacEvent::Release => self.await_release(via, out),
            MacEvent::HandedOver(packet, attempts) => self.hand_on(cx, packet, attempts, out),
            MacEvent::Ended => self.end_first(cx, via, out),
            MacEvent::Room => self.inbox.post(Notice::QueueSpace),
        }
    }

    /// A frame in service has come to an end, and the MAC may have the next one.
    #[inline(always)]
    fn on_outcome<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        self.after_attempt(cx, via, packet, outcome, out);
        self.serve(cx, via, out);
    }

    /// The MAC does not want to be offered something for a while.
    #[cold]
    pub(super) fn hold_back<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        let interface = self.links.interface_mut(via);
        let Some(hold) = interface.answers().holds.pop_front() else { return };
        if !self.up {
            return;
        }
        interface.link_mut().hold(hold);
        self.await_hold(cx, via, out);
    }

    /// The MAC's release timer is to fire.
    #[cold]
    pub(super) fn await_release<S: Sink<Action>>(&mut self, via: IfIndex, out: &mut S) {
        self.outbox.arm(self.links.interface_mut(via).answers().release, Later::MacTimer(via));
        self.arm(out);
    }

    /// A hold has ended: the MAC is offered what was held.
    #[cold]
    pub(super) fn end_holds<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        self.await_hold(cx, via, out);
        self.serve(cx, via, out);
    }

    /// Asks to be woken when the next hold ends.
    fn await_hold<S: Sink<Action>>(&mut self, cx: &Cx<'_>, via: IfIndex, out: &mut S) {
        let ends = self.links.interface_mut(via).link_mut().hold_ends(cx.now);
        self.outbox.arm(ends, Later::HoldEnds(via));
        self.arm(out);
    }

    /// Queues a packet; an idle MAC takes it at once.
    pub(super) fn enqueue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        if self.links.have_stages() {
            return self.enter_stages(cx, packet, to, out);
        }
        self.put_in_queue(cx, packet, Hop { via: IfIndex::FIRST, to }, out);
    }

    /// Queues a packet whose way to the link is clear.
    #[inline(always)]
    pub(super) fn put_in_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        Hop { via, to }: Hop,
        out: &mut S,
    ) {
        self.feed_queue(cx, via, queue::Input::Enqueue { packet, to }, out);
        self.serve(cx, via, out);
    }

    /// Takes out of the queue what waits for a neighbour.
    pub(in crate::node) fn withdraw<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        out: &mut S,
    ) -> Vec<PacketId> {
        let mut packets = Vec::new();
        for Hop { via, to } in self.links.radios().hops(neighbour) {
            let (withdrawn, flags) = self.links.interface_mut(via).withdraw(cx, to, out);
            packets.extend(withdrawn);
            if flags != 0 {
                self.on_queue_flags(via, flags, out);
            }
        }
        if let Some(rates) = self.links.turns_mut() {
            packets.extend(rates.withdraw(neighbour));
        }
        if !self.links.wires().is_empty() {
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
        via: IfIndex,
        input: queue::Input,
        out: &mut S,
    ) {
        self.feed_queue(cx, via, input, out);
    }

    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        input: queue::Input,
        out: &mut S,
    ) {
        let flags = self.links.interface_mut(via).feed_queue(cx, input, out);
        if flags != 0 {
            self.on_queue_flags(via, flags, out);
        }
    }

    /// The queue has something to tell the node.
    #[cold]
    #[inline(never)]
    pub(super) fn on_queue_flags<S: Sink<Action>>(&mut self, via: IfIndex, flags: u8, out: &mut S) {
        if flags & SPACE != 0 {
            self.inbox.post(Notice::QueueSpace);
        }
        if flags & WAKE != 0 {
            let at = self.links.interface(via).link().wake_at();
            self.outbox.arm(at, Later::QueueTimer(via));
            self.arm(out);
        }
    }
}
