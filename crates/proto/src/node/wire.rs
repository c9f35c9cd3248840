//! What a node does with the answers of its wires.

use super::interfaces::IfIndex;
use super::outbox::Later;
use super::stack::{Action, Node};
use super::wires::Input;
use crate::contract::{Cx, Notice, Sink};
use crate::link::wire::{self, Wire};
use crate::queue;
use crate::units::{Bitrate, NodeId, SimTime};
use crate::wire::PacketId;

impl Node {
    /// Adds an end of a wired link. The other node needs the other end.
    pub fn add_wire(&mut self, wire: Wire) {
        self.wires.add(wire);
        self.update_roles();
    }

    /// The end here of the wired link to a node.
    pub fn wire_mut(&mut self, to: NodeId) -> Option<&mut Wire> {
        self.wires.to(to)
    }

    /// What all queues of the node have counted until `now`.
    #[must_use]
    pub fn queue_counters(&self, now: SimTime) -> queue::Counters {
        self.wires.queue_counters(self.interfaces.queue_counters(now), now)
    }

    /// Packets in all queues of the node, those that are being sent included.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.interfaces.held() + self.wires.iter().map(|wire| wire.queue().packets().count()).sum::<usize>()
    }

    /// Data leave for a neighbour, or for all, at this rate from the next packet on.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        match to.and_then(|to| self.wires.to(to)) {
            Some(wire) => wire.set_rate(rate),
            None => self.interfaces.set_rate(to, rate),
        }
    }

    /// Tells the wires something; returns whether they have taken a packet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_wires<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) -> bool {
        let mut actions = Vec::new();
        let taken = self.wires.handle(cx, input, &mut actions);
        self.carry_out_wired(cx, actions, out);
        taken
    }

    /// Takes out what waits for the other end of a wire.
    #[cold]
    pub(super) fn withdraw_wired<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: NodeId,
        out: &mut S,
    ) -> Vec<PacketId> {
        let mut actions = Vec::new();
        let packets = self.wires.withdraw(cx, to, &mut actions);
        self.carry_out_wired(cx, actions, out);
        packets
    }

    fn carry_out_wired<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        actions: Vec<(NodeId, wire::Action)>,
        out: &mut S,
    ) {
        for (other, action) in actions {
            match action {
                wire::Action::Sent(packet) => out.put(Action::WireSent(other, packet)),
                wire::Action::Deliver(packet) => {
                    cx.packets.hold(packet);
                    out.put(Action::WireReceived(other, packet));
                    self.inbox.deliver(IfIndex::FIRST, packet, other);
                }
                wire::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
                wire::Action::Space => self.inbox.post(Notice::QueueSpace),
            }
        }
        self.outbox.arm(self.wires.wake_at(), Later::Wires);
        self.arm_upper(out);
    }
}
