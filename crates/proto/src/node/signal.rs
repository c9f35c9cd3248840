//! Signals of a node: those that it sends, and those that are meant for it.

use super::interfaces::IfIndex;
use super::stack::{Action, Node};
use crate::contract::{Cx, Sink};
use crate::endpoint;
use crate::proxy;
use crate::routing::Provenance;
use crate::units::{FlowId, NodeId};
use crate::wire::{Fate, PacketId, Payload, Signal, Towards};

impl Node {
    /// Sends a signal about a flow to one of its ends or relays; to this node itself without any packet on the air.
    pub(super) fn send_signal<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        to: NodeId,
        signal: Signal,
        out: &mut S,
    ) {
        let id = self.hosts.make(
            cx,
            flow,
            to,
            Towards::Destination,
            Signal::size().get(),
            Payload::Signal(signal),
        );
        if self.up && to == self.id {
            self.inbox.deliver(IfIndex::FIRST, id, self.id); // in the middle of other work
        } else {
            self.route(cx, id, Provenance::Here, out);
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
        let agents: Vec<usize> =
            (0..self.relays.len()).filter(|&index| self.relays.serves(index, flow)).collect();
        if agents.is_empty() {
            return self.unclaimed(cx, id, out);
        }
        for index in agents {
            self.proxy_input(cx, index, proxy::Input::Signal(id), out);
        }
        cx.packets.end(id, Fate::Delivered);
    }
}
