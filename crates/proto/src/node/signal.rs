//! Signals of a node: those that it sends, and those that are meant for it.

use super::host::EndpointKind;
use super::stack::{Action, Node};
use crate::port::{Cx, Sink};
use crate::proxy;
use crate::routing::Provenance;
use crate::shim::End;
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
        let id = self.make(cx, flow, to, Towards::Destination, Signal::size().get(), Payload::Signal(signal));
        if self.up && to == self.id {
            self.inbox.deliver(id, self.id); // in the middle of other work
        } else {
            self.route(cx, id, Provenance::Here, out);
        }
    }

    /// A signal for this node: for the shim of its end of the flow, or for the agents of the flow.
    pub(super) fn receive_signal<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        signal: &Signal,
        out: &mut S,
    ) {
        let flow = cx.packets[id].flow;
        if let Some(index) = self.endpoints.iter().position(|end| end.flow == flow) {
            let from = cx.packets[id].source;
            cx.packets.end(id, Fate::Delivered);
            return self.signal_shim(cx, index, signal, from, out);
        }
        let agents: Vec<usize> =
            (0..self.proxies.len()).filter(|&index| self.proxies[index].flow == flow).collect();
        if agents.is_empty() {
            return self.unclaimed(cx, id, out);
        }
        for index in agents {
            self.proxy_input(cx, index, proxy::Input::Signal(id), out);
        }
        cx.packets.end(id, Fate::Delivered);
    }

    fn signal_shim<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        signal: &Signal,
        from: NodeId,
        out: &mut S,
    ) {
        let mut controls = Vec::new();
        let endpoint = &mut self.endpoints[index];
        match &mut endpoint.kind {
            EndpointKind::TcpSender(end) => {
                endpoint.shim.signal(cx, signal, from, || End::Sender(end.sender.view()), &mut controls);
            }
            EndpointKind::TcpReceiver(receiver) => {
                let expected = receiver.expected();
                endpoint.shim.signal(cx, signal, from, || End::Receiver { expected }, &mut controls);
            }
            EndpointKind::UdpSource(_) | EndpointKind::UdpSink(_) => {}
        }
        self.tcp_controls(cx, index, &controls, out);
    }
}
