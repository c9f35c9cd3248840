//! Proxies of a relay: what they see of the packets that pass, and what they send in the name of an end.

use super::stack::{Action, Node};
use crate::port::{Cx, Sink};
use crate::proxy::{self, Towards};
use crate::wire::{Absorbed, Fate, PacketId, PacketKind};

impl Node {
    /// Shows a packet to the proxies of its flow; returns whether it goes on.
    pub(super) fn pass_proxies<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        out: &mut S,
    ) -> bool {
        let flow = cx.packets[id].flow;
        for index in 0..self.proxies.len() {
            if self.proxies[index].flow == flow
                && self.proxy_input(cx, index, proxy::Input::Passing(id), out) == proxy::Verdict::Absorb
            {
                cx.packets.end(id, Fate::Absorbed(Absorbed::Proxy));
                return false;
            }
        }
        true
    }

    pub(super) fn proxy_input<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        input: proxy::Input,
        out: &mut S,
    ) -> proxy::Verdict {
        if let proxy::Input::Passing(id) = input
            && cx.packets.kind(id) != PacketKind::Signal
        {
            let (from, to) = (cx.packets[id].source, cx.packets[id].destination);
            // Data (and SYN) run from the source; ACKs run towards it.
            let back = cx.packets.kind(id) == PacketKind::TcpAck;
            self.proxies[index].ends = if back { (to, from) } else { (from, to) };
        }
        let mut actions = Vec::new();
        let verdict = self.proxies[index].agent.handle(cx, input, &mut actions);
        let (flow, (source, destination)) = (self.proxies[index].flow, self.proxies[index].ends);
        for action in actions {
            match action {
                proxy::Action::Arm(at) => self.proxies[index].deadline = at,
                proxy::Action::Signal { to, signal } => self.send_signal(cx, flow, to, signal, out),
                proxy::Action::Send(Towards::Source, segment) => {
                    self.send_as(cx, flow, destination, source, segment, out);
                }
                proxy::Action::Send(Towards::Destination, segment) => {
                    self.send_as(cx, flow, source, destination, segment, out);
                }
            }
        }
        self.arm_upper(out);
        verdict
    }
}
