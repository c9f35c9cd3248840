//! Proxies of a relay: what they see of the packets that pass, and what they send in the name of an end.

use super::contract::Action;
use super::stack::Node;
use crate::contract::{Cx, Notice, Sink};
use crate::proxy::{self, Proxy};
use crate::routing::Provenance;
use crate::units::NodeId;
use crate::wire::{Absorbed, Fate, PacketId, Towards};

impl Node {
    /// Shows a packet to those who want to see what passes; returns whether it goes on.
    #[cold]
    pub(super) fn pass_inspectors<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        from: NodeId,
        out: &mut S,
    ) -> bool {
        let hop = cx.now.saturating_since(cx.packets[id].enqueued);
        self.relays.stamp(cx, id, Some(hop), |now| self.net.links().radios().sojourn(now));
        self.pass_proxies(cx, id, out) && self.net.pass_notifier(cx, id, from, out)
    }

    /// Shows a packet to the proxies of its flow; returns whether it goes on.
    fn pass_proxies<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) -> bool {
        let flow = cx.packets[id].flow;
        for index in 0..self.relays.len() {
            if !self.relays.serves(index, flow) {
                continue;
            }
            match self.proxy_input(cx, index, proxy::Input::Passing(id), out) {
                proxy::Verdict::Pass => {}
                proxy::Verdict::Keep => return false,
                proxy::Verdict::Absorb => {
                    cx.packets.end(id, Fate::Absorbed(Absorbed::Proxy));
                    return false;
                }
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
        let node_state = self.net.links().state();
        let (verdict, actions) = self.relays.handle(cx, index, &node_state, input);
        let Proxy { flow, ends: (source, destination), .. } = self.relays.agents()[index];
        for action in actions {
            match action {
                proxy::Action::Arm(at) => self.relays.arm(index, at),
                proxy::Action::Forward(id) => self.net.route(cx, id, Provenance::Here, out),
                proxy::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
                proxy::Action::Signal { to, signal } => self.net.send_signal(cx, flow, to, signal, out),
                proxy::Action::Send(towards, segment) => {
                    let (from, to) = match towards {
                        Towards::Source => (destination, source),
                        Towards::Destination => (source, destination),
                    };
                    self.net.send_as(cx, flow, (from, to), towards, (segment, cx.now), out);
                }
                proxy::Action::Resend(id, segment) => {
                    let old = &cx.packets[id];
                    let (ends, towards, created) = ((old.source, old.destination), old.towards, old.created);
                    self.net.send_as(cx, flow, ends, towards, (segment, created), out);
                }
            }
        }
        self.net.arm_at(self.relays.deadline(), out);
        verdict
    }

    /// Agents hear what the node tells its transport layer.
    pub(super) fn tell_agents<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, notice: Notice, out: &mut S) {
        for index in 0..self.relays.len() {
            self.proxy_input(cx, index, proxy::Input::Notice(notice), out);
        }
    }
}
