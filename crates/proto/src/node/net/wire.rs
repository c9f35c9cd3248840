//! What a node does with the answers of its wires.

use super::interfaces::IfIndex;
use super::layer::NetLayer;
use super::outbox::Later;
use super::wires::Input;
use crate::contract::{Cx, Notice, Sink};
use crate::link::wire;
use crate::node::contract::Action;
use crate::units::NodeId;
use crate::wire::PacketId;

impl NetLayer {
    /// The last bit of a packet has left the other end of the wire from that node, whose copy it is.
    #[cold]
    pub(in crate::node) fn receive_over_wire<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        packet: PacketId,
        out: &mut S,
    ) {
        self.tell_wires(cx, Input::Coming(from, packet), out);
    }

    /// The wire from that node is cut, or whole again.
    #[cold]
    pub(in crate::node) fn cut_wire<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        cut: bool,
        out: &mut S,
    ) {
        self.tell_wires(cx, Input::Cut(from, cut), out);
    }

    /// Tells the wires something; returns whether they have taken a packet.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_wires<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) -> bool {
        let mut actions = Vec::new();
        let taken = self.links.wires_mut().handle(cx, input, &mut actions);
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
        let packets = self.links.wires_mut().withdraw(cx, to, &mut actions);
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
        self.outbox.arm(self.links.wires().wake_at(), Later::Wires);
        self.arm(out);
    }
}
