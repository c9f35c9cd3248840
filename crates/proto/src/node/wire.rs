//! The wired links of a node. A packet goes over a wire if one leads to its next hop; a broadcast goes over every wire, and
//! by radio besides.

use super::outbox::Later;
use super::stack::{Action, Node};
use crate::contract::{Cx, Notice, Sink};
use crate::link::Link;
use crate::link::wire::{self, Wire};
use crate::queue;
use crate::units::{Bitrate, NodeId, SimTime};
use crate::wire::PacketId;

/// Packets that wait in all queues of a node.
#[inline]
pub(super) fn length(link: &Link, wires: &[Wire]) -> u32 {
    link.length() + wires.iter().map(|wire| wire.queue().length()).sum::<u32>()
}

/// Packets that each queue of a node could still take.
#[inline]
pub(super) fn free(link: &Link, wires: &[Wire]) -> u32 {
    wires.iter().map(|wire| wire.queue().free()).fold(link.free(), u32::min)
}

impl Node {
    /// Adds an end of a wired link. The other node needs the other end.
    pub fn add_wire(&mut self, wire: Wire) {
        self.wires.push(wire);
        self.update_roles();
    }

    /// The end here of the wired link to a node.
    pub fn wire_mut(&mut self, to: NodeId) -> Option<&mut Wire> {
        self.wires.iter_mut().find(|wire| wire.to() == to)
    }

    /// What all queues of the node have counted until `now`.
    #[must_use]
    pub fn queue_counters(&self, now: SimTime) -> queue::Counters {
        let radio = self.link.queue_counters(now);
        self.wires.iter().fold(radio, |sum, wire| sum + wire.queue().counters(now))
    }

    /// Packets in all queues of the node, those that are being sent included.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.link.held() + self.wires.iter().map(|wire| wire.queue().held()).sum::<usize>()
    }

    /// Whether a packet goes to its next hop over a wire; then it is on its way. Of a broadcast, copies go over all wires.
    pub(super) fn takes_wire<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) -> bool {
        if to.is_broadcast() {
            for place in 0..self.wires.len() {
                let copy = cx.packets.copy(packet);
                self.tell_wire(cx, place, wire::Input::Packet(copy), out);
            }
            return false;
        }
        let Some(place) = self.place_of(to) else { return false };
        self.tell_wire(cx, place, wire::Input::Packet(packet), out);
        true
    }

    /// The last bit of a packet has left the other end of a wire.
    #[cold]
    pub(super) fn hear_wire<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        packet: PacketId,
        out: &mut S,
    ) {
        let Some(place) = self.place_of(from) else { return };
        let copy = cx.packets.receive(packet);
        self.tell_wire(cx, place, wire::Input::Coming(copy), out);
        self.empty_inbox(cx, out);
    }

    /// A wire is cut, or whole again.
    #[cold]
    pub(super) fn cut_wire<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        cut: bool,
        out: &mut S,
    ) {
        if let Some(place) = self.place_of(from) {
            self.tell_wire(cx, place, wire::Input::Cut(cut), out);
        }
    }

    /// The node goes down or comes back, and with it its ends of wires.
    pub(super) fn power_wires<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        for place in 0..self.wires.len() {
            self.tell_wire(cx, place, wire::Input::Power(up), out);
        }
    }

    /// The timer of a wire fires.
    #[cold]
    pub(super) fn wake_wires<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for place in 0..self.wires.len() {
            if self.wires[place].wake_at() <= cx.now {
                self.tell_wire(cx, place, wire::Input::Timer, out);
            }
        }
        self.await_wires(out);
    }

    /// Takes out what waits for the other end of a wire.
    #[cold]
    pub(super) fn withdraw_wired<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: NodeId,
        out: &mut S,
    ) -> Vec<PacketId> {
        let Some(place) = self.place_of(to) else { return Vec::new() };
        let mut actions = Vec::new();
        let packets = self.wires[place].withdraw(cx, &mut actions);
        self.carry_out_wired(cx, place, actions, out);
        packets
    }

    /// Data leave for a neighbour, or for all, at this rate from the next packet on.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        match to.and_then(|to| self.wire_mut(to)) {
            Some(wire) => wire.set_rate(rate),
            None => self.link.set_rate(to, rate),
        }
    }

    fn place_of(&self, to: NodeId) -> Option<usize> {
        self.wires.iter().position(|wire| wire.to() == to)
    }

    fn tell_wire<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, place: usize, input: wire::Input, out: &mut S) {
        let mut actions = Vec::new();
        self.wires[place].handle(cx, input, &mut actions);
        self.carry_out_wired(cx, place, actions, out);
        self.await_wires(out);
    }

    fn carry_out_wired<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        place: usize,
        actions: Vec<wire::Action>,
        out: &mut S,
    ) {
        let other = self.wires[place].to();
        for action in actions {
            match action {
                wire::Action::Sent(packet) => out.put(Action::WireSent(other, packet)),
                wire::Action::Deliver(packet) => {
                    cx.packets.hold(packet);
                    out.put(Action::WireReceived(other, packet));
                    self.inbox.deliver(packet, other);
                }
                wire::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
                wire::Action::Space => self.inbox.post(Notice::QueueSpace),
            }
        }
    }

    /// Asks to be woken when a wire next wants to be.
    fn await_wires<S: Sink<Action>>(&mut self, out: &mut S) {
        let next = self.wires.iter().map(Wire::wake_at).min().unwrap_or(SimTime::MAX);
        self.outbox.arm(next, Later::Wires);
        self.arm_upper(out);
    }
}
