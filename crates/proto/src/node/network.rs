//! The network layer of a node: how a packet climbs to its endpoint or goes on, and what routing asks for.

use super::interfaces::IfIndex;
use super::net::Requests;
use super::outbox::Later;
use super::stack::{Action, Node};
use crate::contract::{Cx, Notice, Overheard, Sink, drop_packet};
use crate::hop_rate;
use crate::routing::{self, Decision, Outgoing, Provenance, Routing};
use crate::signals::Loss;
use crate::units::{Dur, FlowId, NodeId};
use crate::wire::{BatchId, DropReason, Frame, FrameKind, Mpdu, PacketId, PacketKind, Payload, Towards};

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
            if protocol.is_below_routing() && !self.net.machine().resolves() {
                return self.hear_resolution(cx, via, id, out);
            }
            self.feed_routing(cx, routing::Input::Message { packet: id, from }, out);
            self.serve_blocked(cx, out); // kept frames may have a route again
        } else if packet.destination == self.id {
            self.deliver_local(cx, id, out);
        } else if packet.ttl <= 1 {
            out.put(Action::Dropped(drop_packet(cx, id, DropReason::Expired)));
        } else {
            packet.ttl -= 1;
            if !self.inspects() || self.pass_inspectors(cx, id, from, out) {
                self.route(cx, id, Provenance::Neighbour(from), out);
            }
        }
    }

    /// Whether agents, the meter or the notifier want to see what is forwarded.
    #[inline(always)]
    fn inspects(&self) -> bool {
        self.relays.watch() || self.notifier.as_ref().is_some_and(|notifier| notifier.watches())
    }

    /// Asks routing for the way, and queues the packet.
    pub(super) fn route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        provenance: Provenance,
        out: &mut S,
    ) {
        if !self.up {
            return out.put(Action::Dropped(drop_packet(cx, id, DropReason::NodeDown)));
        }
        match self.net.machine_mut().known(cx.now, &cx.packets[id], provenance) {
            Some(to) => self.enqueue(cx, id, to, out),
            None => self.ask(cx, id, provenance, out),
        }
    }

    /// Asks routing for the way of a packet that takes more than a look into a table.
    #[cold]
    fn ask<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, provenance: Provenance, out: &mut S) {
        let (decision, requests) = self.net.route(cx, id, provenance);
        self.apply_routing_actions(cx, requests, out);
        match decision {
            Decision::To(to) => self.enqueue(cx, id, to, out),
            Decision::Waiting => {}
            Decision::Refused(reason) => self.drop_unless_taken(cx, id, reason, out),
            Decision::Stays => self.drop_unless_taken(cx, id, DropReason::NoRoute, out), // an answer for kept packets only
        }
    }

    /// Lets the MAC know at what power a frame came, and routing and rate control hear the packets in it that are meant for
    /// others.
    #[cold]
    #[inline(never)]
    pub(super) fn overhear<S: Sink<Action>>(
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
        let wanted = self.links.turns().is_some() || self.net.overhears();
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
                if self.net.overhears() {
                    self.feed_routing(cx, routing::Input::Overheard(overheard), out);
                }
            }
        }
    }

    /// Lets routing act, and does what it asks for.
    pub(super) fn feed_routing<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: routing::Input,
        out: &mut S,
    ) {
        let requests = self.net.handle(cx, input);
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
            return self.net.take_back(requests);
        }
        self.net.note_timer(&requests);
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
                    self.note_loss(Loss::said(&dropped));
                    out.put(Action::Dropped(dropped));
                }
                routing::Action::Notice(notice) => {
                    found |= matches!(notice, Notice::RouteFound { .. });
                    self.tell_of_route(notice, out);
                    self.inbox.post(notice);
                }
            }
        }
        self.net.take_back(requests);
        if found {
            self.serve_blocked(cx, out); // kept frames may have waited for it
        }
        self.arm_upper(out);
    }

    /// The record hears of routes between the ends of a flow.
    fn tell_of_route<S: Sink<Action>>(&self, notice: Notice, out: &mut S) {
        let (destination, found) = match notice {
            Notice::RouteFound { destination, .. } => (destination, true),
            Notice::RouteLost { destination } => (destination, false),
            _ => return,
        };
        if self.hosts.all().iter().any(|end| end.peer == destination) {
            out.put(Action::Route { destination, found });
        }
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
        let id = self.hosts.make(cx, FlowId::NONE, destination, Towards::Destination, size.get(), payload);
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

    pub(super) fn unclaimed<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        out.put(Action::Dropped(drop_packet(cx, id, DropReason::Unclaimed)));
    }
}
