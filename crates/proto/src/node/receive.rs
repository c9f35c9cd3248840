//! Packets from below: where each goes.

use super::contract::Action;
use super::net::IfIndex;
use super::stack::Node;
use crate::contract::{Cx, Sink};
use crate::endpoint;
use crate::proxy;
use crate::routing::Provenance;
use crate::units::NodeId;
use crate::wire::{DropReason, Fate, PacketId, Payload, Signal};

impl Node {
    /// A packet from below.
    pub(super) fn receive_packet<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        id: PacketId,
        from: NodeId,
        out: &mut S,
    ) {
        let packet = &mut cx.packets[id];
        if let Payload::Message { protocol, .. } = packet.payload {
            self.net.receive_message(cx, via, (id, protocol), from, out);
        } else if packet.destination == self.id() {
            self.deliver_local(cx, id, out);
        } else if packet.ttl <= 1 {
            out.put(Action::lost(cx, id, DropReason::Expired));
        } else {
            packet.ttl -= 1;
            let watched = self.relays.watch() || self.net.teller().watches();
            if !watched || self.pass_inspectors(cx, id, from, out) {
                self.net.route(cx, id, Provenance::Neighbour(from), out);
            }
        }
    }

    /// A signal for this node: for its end of the flow, or for the agents of the flow.
    pub(super) fn receive_signal<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        signal: &Signal,
        out: &mut S,
    ) {
        let flow = cx.packets[id].flow;
        if let Some(index) = self.hosts.of_flow(flow) {
            let from = cx.packets[id].source;
            cx.packets.end(id, Fate::Delivered);
            self.feed_endpoint(cx, index, endpoint::Input::Signal { signal, from }, out);
            return;
        }
        if !self.relays.serve(flow) {
            return out.put(Action::lost(cx, id, DropReason::Unclaimed));
        }
        for index in 0..self.relays.len() {
            if self.relays.serves(index, flow) {
                self.proxy_input(cx, index, proxy::Input::Signal(id), out);
            }
        }
        cx.packets.end(id, Fate::Delivered);
    }
}
