//! Transport endpoints of a node: what reaches them, and what becomes of what they send.

use super::stack::{Action, Node};
use crate::contract::{Arrival, Cx, Notice, Sink};
use crate::endpoint::{self, AnyTransport, App, Transport};
use crate::routing::{self, Provenance};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, Fate, PacketId, Payload, Segment, Towards};

/// IPv4 header.
const IPV4: u32 = 20;

/// One end of a flow.
#[derive(Debug)]
pub struct Endpoint {
    /// Its flow.
    pub flow: FlowId,
    /// The node at the other end.
    pub peer: NodeId,
    /// Which way its packets run.
    pub(super) towards: Towards,
    /// When its timer fires; `SimTime::MAX` when it is off.
    pub deadline: SimTime,
    /// In which order packets of the flow reach it.
    pub order: Order,
    /// What it is.
    pub kind: AnyTransport,
}

/// Counts packets that arrive after a later one: RFC 4737 §3.3, with the packet's number in the run for its place in
/// the order of sending. Second arrivals count too. Agents on the way make packets as well: each maker's are in an
/// order of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The latest that has arrived, of each that made some.
    latest: Vec<(NodeId, u64)>,
    /// How many came after one that had been sent later.
    pub reordered: u64,
}

impl Order {
    /// Packet `uid` of this maker has arrived.
    pub(super) fn arrived(&mut self, maker: NodeId, uid: u64) {
        match self.latest.iter_mut().find(|(node, _)| *node == maker) {
            Some((_, latest)) => {
                self.reordered += u64::from(uid < *latest);
                *latest = uid.max(*latest);
            }
            None => self.latest.push((maker, uid)),
        }
    }
}

impl Endpoint {
    /// One end of a flow, with nothing between it and the network layer.
    #[must_use]
    pub fn new(flow: FlowId, peer: NodeId, kind: AnyTransport) -> Self {
        let towards = kind.towards();
        Self { flow, peer, towards, deadline: SimTime::MAX, order: Order::default(), kind }
    }
}

impl Node {
    /// The application of a flow does something.
    pub(super) fn on_app<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, flow: FlowId, app: App, out: &mut S) {
        if let Some(index) = self.hosts.sending(flow) {
            self.feed_endpoint(cx, index, endpoint::Input::App(app), out);
        }
    }

    /// Something is left for an endpoint, or for routing if the other end would be this node itself.
    #[cold]
    pub(super) fn wake_endpoint<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        peer: NodeId,
        out: &mut S,
    ) {
        if peer == self.id {
            self.feed_routing(cx, routing::Input::Wake, out);
        } else if let Some(index) = self.hosts.between(flow, peer) {
            self.feed_endpoint(cx, index, endpoint::Input::Wake, out);
        }
    }

    /// A packet for this node: hand it to its endpoint and end its custody.
    pub(super) fn deliver_local<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        let packet = &cx.packets[id];
        if let Payload::Signal(signal) = packet.payload {
            return self.receive_signal(cx, id, &signal, out);
        }
        let (flow, source, created) = (packet.flow, packet.source, packet.created);
        let hops = packet.hops(self.hosts.hop_limit());
        let Some(index) = self.hosts.between(flow, source) else { return self.unclaimed(cx, id, out) };
        let links = &self.links;
        let (arrival, actions) = self.hosts.receive(cx, index, &|| links.state_for(flow), id);
        match arrival {
            Arrival::New { readable } => {
                cx.packets.end(id, Fate::Delivered);
                out.put(Action::Arrived { flow, readable, delay: cx.now - created, hops });
            }
            Arrival::Control => cx.packets.end(id, Fate::Delivered),
            Arrival::Duplicate => cx.packets.end(id, Fate::Absorbed(Absorbed::SecondArrival)),
            Arrival::Suppressed => cx.packets.end(id, Fate::Absorbed(Absorbed::Suppressed)),
            Arrival::Unacceptable => self.unclaimed(cx, id, out),
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
        let node_state = self.links.state_for(flow);
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
                        let size = self.hosts.segment_size(segment);
                        self.originate(cx, index, size, Payload::Tcp(*segment), out);
                    }
                    endpoint::Action::Send(payload) => self.send_payload(cx, index, payload, out),
                    endpoint::Action::Arm(at) => self.hosts.all_mut()[index].deadline = at,
                    endpoint::Action::Event(event) => out.put(Action::Transport { flow, event }),
                    endpoint::Action::Readable(readable, created) => {
                        let delay = cx.now.saturating_since(created);
                        out.put(Action::Arrived { flow, readable, delay, hops: 0 });
                    }
                }
            }
            self.arm_upper_at(self.hosts.all()[index].deadline, out);
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
        let id = self.hosts.make(cx, flow, peer, towards, size, payload);
        self.route(cx, id, Provenance::Here, out);
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
        let size = match &payload {
            Payload::Tcp(segment) => self.hosts.segment_size(segment),
            other => IPV4 + cx.packets.length(other),
        };
        let Endpoint { flow, peer, towards, .. } = self.hosts.all()[index];
        let id = self.hosts.make(cx, flow, peer, towards, size, payload);
        self.relays.stamp(cx, id, None, |now| self.links.radios().sojourn(now));
        self.route(cx, id, Provenance::Here, out);
    }

    /// Sends a segment, as old as is said, between two other nodes, in the name of one of them.
    pub(super) fn send_as<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        (from, to): (NodeId, NodeId),
        towards: Towards,
        (segment, created): (Segment, SimTime),
        out: &mut S,
    ) {
        let id =
            self.hosts.make(cx, flow, to, towards, self.hosts.segment_size(&segment), Payload::Tcp(segment));
        let packet = &mut cx.packets[id];
        (packet.source, packet.created) = (from, created);
        self.route(cx, id, Provenance::Here, out);
    }
}
