//! How a packet goes on, and what routing asks for.

use super::interfaces::IfIndex;
use super::layer::NetLayer;
use super::outbox::Later;
use super::router::Requests;
use crate::contract::{Cx, Notice, Overheard, Sink};
use crate::hop_rate;
use crate::node::contract::Action;
use crate::routing::{self, Decision, Outgoing, Provenance, Routing};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{
    BatchId, DropReason, Frame, FrameKind, Mpdu, PacketId, PacketKind, Payload, Protocol, Segment, Signal,
    Towards,
};

impl NetLayer {
    /// A message from a neighbour: for address resolution, or for routing.
    pub(in crate::node) fn receive_message<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        (id, protocol): (PacketId, Protocol),
        from: NodeId,
        out: &mut S,
    ) {
        if protocol.is_below_routing() && !self.router.machine().resolves() {
            return self.hear_resolution(cx, via, id, out);
        }
        self.feed_routing(cx, routing::Input::Message { packet: id, from }, out);
        self.serve_blocked(cx, out); // kept frames may have a route again
    }

    /// Asks routing for the way, and queues the packet.
    pub(in crate::node) fn route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        provenance: Provenance,
        out: &mut S,
    ) {
        if !self.up {
            return out.put(Action::lost(cx, id, DropReason::NodeDown));
        }
        match self.router.machine_mut().known(cx.now, &cx.packets[id], provenance) {
            Some(to) => self.enqueue(cx, id, to, out),
            None => self.ask(cx, id, provenance, out),
        }
    }

    /// Asks routing for the way of a packet that takes more than a look into a table.
    #[cold]
    fn ask<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, provenance: Provenance, out: &mut S) {
        let (decision, requests) = self.router.route(cx, id, provenance);
        self.apply_routing_actions(cx, requests, out);
        match decision {
            Decision::To(to) => self.enqueue(cx, id, to, out),
            Decision::Waiting => {}
            Decision::Refused(reason) => self.drop_unless_taken(cx, id, reason, out),
            Decision::Stays => self.drop_unless_taken(cx, id, DropReason::NoRoute, out), // an answer for kept packets only
        }
    }

    /// Lets the MAC know at what power a frame came, and routing and rate control hear the packets in it that are meant
    /// for others.
    #[cold]
    #[inline(never)]
    pub(in crate::node) fn overhear<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        frame: &Frame,
        power: f64,
        out: &mut S,
    ) {
        let interface = self.links.interface_mut(via);
        let station = interface.station();
        interface.link_mut().note_power(frame, station, power);
        let wanted = self.links.turns().is_some() || self.router.machine().overhears();
        if frame.kind != FrameKind::Data || !self.up || !wanted {
            return;
        }
        let second = frame.second.map(|part| (part.to, part.packet));
        let map = cx.packets.map(frame.batch);
        let intact = (0..).zip(cx.packets.mpdus(frame.batch)).filter(|&(place, _)| map.has(place));
        let packed = |(place, mpdu): (u16, &Mpdu)| {
            std::iter::once(mpdu.packet).chain(cx.packets.packed(frame.batch, place))
        };
        let several: Vec<_> = intact.flat_map(packed).map(|packet| (frame.to, packet)).collect();
        let single = (frame.batch == BatchId::NONE).then_some((frame.to, frame.packet));
        for (to, packet) in single.into_iter().chain(second).chain(several) {
            if to != station && !to.is_broadcast() && packet != PacketId::NONE {
                let [from, to] = [frame.from, to].map(|station| self.links.radios().node_of(station));
                let overheard = Overheard { from, to, packet, power };
                if self.links.turns().is_some() {
                    self.tell_hop_rate(cx, hop_rate::Input::Overheard(overheard), out);
                }
                if self.router.machine().overhears() {
                    self.feed_routing(cx, routing::Input::Overheard(overheard), out);
                }
            }
        }
    }

    /// Lets routing act, and does what it asks for.
    pub(in crate::node) fn feed_routing<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: routing::Input,
        out: &mut S,
    ) {
        let requests = self.router.handle(cx, input);
        self.apply_routing_actions(cx, requests, out);
    }

    /// Does what routing asks for.
    pub(super) fn apply_routing_actions<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        mut requests: Requests,
        out: &mut S,
    ) {
        if requests.is_empty() {
            return self.router.take_back(requests);
        }
        self.router.note_timer(&requests);
        let mut found = false;
        for action in requests.drain(..) {
            match action {
                routing::Action::Send(message) if message.delay == Dur::ZERO => {
                    self.send_message(cx, message, out);
                }
                routing::Action::Send(message) => {
                    self.outbox.push(cx.now + message.delay, Later::Message(message));
                }
                routing::Action::Forward { packet, to, delay } if delay == Dur::ZERO => {
                    self.pass_on(cx, packet, to, out);
                }
                routing::Action::Forward { packet, to, delay } => {
                    self.outbox.push(cx.now + delay, Later::Packet { packet, to });
                }
                routing::Action::Withdraw { neighbour } => {
                    for packet in self.withdraw(cx, neighbour, out) {
                        if !self.lose_resolution(cx, packet, out) {
                            self.route(cx, packet, Provenance::Withdrawn(neighbour), out);
                        }
                    }
                }
                routing::Action::Signal { flow, to, signal } => self.send_signal(cx, flow, to, signal, out),
                routing::Action::Arm(_) => {} // has been heard
                routing::Action::Dropped(dropped) => {
                    self.tell_of_drop(dropped, out);
                }
                routing::Action::Notice(notice) => {
                    found |= matches!(notice, Notice::RouteFound { .. });
                    self.inbox.post(notice);
                }
            }
        }
        self.router.take_back(requests);
        if found {
            self.serve_blocked(cx, out); // kept frames may have waited for it
        }
        self.arm(out);
    }

    /// Makes a routing message and queues it.
    pub(super) fn send_message<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, message: Outgoing, out: &mut S) {
        let to = message.to;
        let id = self.make_message(cx, message);
        self.pass_on(cx, id, to, out);
    }

    /// A packet that carries a message.
    pub(super) fn make_message(&self, cx: &mut Cx<'_>, message: Outgoing) -> PacketId {
        let Outgoing { protocol, body, size, destination, ttl, .. } = message;
        let payload = cx.packets.payload(protocol, body);
        let id = self.origin.make(cx, FlowId::NONE, destination, Towards::Destination, size.get(), payload);
        cx.packets[id].ttl = ttl;
        id
    }

    /// Queues what routing sends, or sends on; its messages are counted.
    pub(super) fn pass_on<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        let packet = &cx.packets[id];
        if packet.kind() == PacketKind::Routing {
            self.outbox.sent.messages += 1;
            self.outbox.sent.bytes += u64::from(packet.size.0);
        }
        self.enqueue(cx, id, to, out);
    }

    /// Sends a signal about a flow to one of its ends or relays; to this node itself without any packet on the air.
    pub(in crate::node) fn send_signal<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        to: NodeId,
        signal: Signal,
        out: &mut S,
    ) {
        let id = self.origin.make(
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

    /// Sends a segment, as old as is said, between two other nodes, in the name of one of them.
    pub(in crate::node) fn send_as<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        (from, to): (NodeId, NodeId),
        towards: Towards,
        (segment, created): (Segment, SimTime),
        out: &mut S,
    ) {
        let id = self.origin.make(
            cx,
            flow,
            to,
            towards,
            self.origin.segment_size(&segment),
            Payload::Tcp(segment),
        );
        let packet = &mut cx.packets[id];
        (packet.source, packet.created) = (from, created);
        self.route(cx, id, Provenance::Here, out);
    }
}
