//! Transport endpoints of a node: what reaches them, and what becomes of what they send.

use super::contract::Action;
use super::endpoint::Endpoint;
use super::stack::Node;
use crate::contract::{Arrival, Cx, Notice, Sink};
use crate::endpoint;
use crate::routing::Provenance;
use crate::wire::{Absorbed, DropReason, Fate, PacketId, Payload};

impl Node {
    /// A packet for this node: hand it to its endpoint and end its custody.
    pub(super) fn deliver_local<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        let packet = &cx.packets[id];
        if let Payload::Signal(signal) = packet.payload {
            return self.receive_signal(cx, id, &signal, out);
        }
        let (flow, source, created) = (packet.flow, packet.source, packet.created);
        let hops = packet.hops(self.net.origin().hop_limit());
        let Some(index) = self.hosts.between(flow, source) else {
            return out.put(Action::lost(cx, id, DropReason::Unclaimed));
        };
        let links = self.net.links();
        let (arrival, actions) = self.hosts.receive(cx, index, &|| links.state_for(flow), id);
        match arrival {
            Arrival::New { readable } => {
                cx.packets.end(id, Fate::Delivered);
                out.put(Action::Arrived { flow, readable, delay: cx.now - created, hops });
            }
            Arrival::Control => cx.packets.end(id, Fate::Delivered),
            Arrival::Duplicate => cx.packets.end(id, Fate::Absorbed(Absorbed::SecondArrival)),
            Arrival::Suppressed => cx.packets.end(id, Fate::Absorbed(Absorbed::Suppressed)),
            Arrival::Unacceptable => out.put(Action::lost(cx, id, DropReason::Unclaimed)),
        }
        self.carry_out(cx, index, actions, out);
    }

    /// Timers of endpoints that are due.
    pub(super) fn on_endpoint_timers<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for index in 0..self.hosts.all().len() {
            if self.hosts.fires(index, cx.now) {
                self.feed_endpoint(cx, index, endpoint::Input::Timer, out);
            }
        }
    }

    /// A notice for the transport layer: shims hear it; gates may have opened.
    pub(super) fn tell_transport<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, notice: Notice, out: &mut S) {
        for index in self.hosts.in_turn() {
            if matches!(notice, Notice::Outage { flow, .. } if flow != self.hosts.all()[index].flow) {
                continue;
            }
            let acted = self.feed_endpoint(cx, index, endpoint::Input::Notice(notice), out);
            if acted && notice == Notice::QueueSpace {
                self.hosts.took_room(index);
            }
        }
    }

    /// Lets an endpoint act. Whether it did.
    pub(super) fn feed_endpoint<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        input: endpoint::Input<'_>,
        out: &mut S,
    ) -> bool {
        let flow = self.hosts.all()[index].flow;
        let node_state = self.net.links().state_for(flow);
        let actions = self.hosts.handle(cx, index, &node_state, input);
        let acts = !actions.is_empty();
        self.carry_out(cx, index, actions, out);
        acts
    }

    /// Carries out what an endpoint asked for and gives the buffer back.
    fn carry_out<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        actions: Vec<endpoint::Action>,
        out: &mut S,
    ) {
        if !actions.is_empty() {
            let flow = self.hosts.all()[index].flow;
            for action in &actions {
                match *action {
                    endpoint::Action::Segment(ref segment) => {
                        let size = self.net.origin().segment_size(segment);
                        self.originate(cx, index, size, Payload::Tcp(*segment), out);
                    }
                    endpoint::Action::Send(payload) => self.send_payload(cx, index, payload, out),
                    endpoint::Action::Arm(at) => self.hosts.all_mut()[index].wake.set(at),
                    endpoint::Action::Event(event) => out.put(Action::Transport { flow, event }),
                    endpoint::Action::Readable(readable, created) => {
                        let delay = cx.now.saturating_since(created);
                        out.put(Action::Arrived { flow, readable, delay, hops: 0 });
                    }
                }
            }
            self.net.arm_at(self.hosts.all()[index].wake.at(), out);
        }
        self.hosts.take_back(actions);
    }

    /// Makes a packet of an endpoint for its peer and sends it on its way.
    #[inline(always)]
    fn originate<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        size: u32,
        payload: Payload,
        out: &mut S,
    ) {
        let Endpoint { flow, peer, towards, .. } = self.hosts.all()[index];
        let id = self.net.origin().make(cx, flow, peer, towards, size, payload);
        self.net.route(cx, id, Provenance::Here, out);
    }

    /// Sends what is no segment, or one that an endpoint from outside has made.
    #[inline(never)]
    fn send_payload<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        payload: Payload,
        out: &mut S,
    ) {
        let size = self.net.origin().size_of(cx, &payload);
        let Endpoint { flow, peer, towards, .. } = self.hosts.all()[index];
        let id = self.net.origin().make(cx, flow, peer, towards, size, payload);
        self.relays.stamp(cx, id, None, |now| self.net.links().radios().sojourn(now));
        self.net.route(cx, id, Provenance::Here, out);
    }
}
