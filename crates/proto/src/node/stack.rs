//! The stack: how a frame climbs from the MAC to its endpoint or the next queue, and how packets descend.

use super::host::{Endpoint, TCP_HEADERS};
use super::sinks::{FromMac, FromQueue};
use crate::mac::{self, Mac};
use crate::port::{Cause, Cx, Dropped, Facts, Held, Notice, Outcome, Sink, drop_packet};
use crate::proxy::{self, Proxy};
use crate::queue::{self, Queue};
use crate::routing::{self, Routing};
use crate::tcp;
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Fate, Frame, PacketId, Payload, RouteAdvert};

/// Bytes of a routing message: IPv4 header, and twelve for each line (as ns-2's DSDV counts them).
const ROUTING_HEADERS: u32 = 20;
const ROUTING_LINE: u32 = 12;
/// Rounds over the classes in which kept frames without a route give way: with a small quantum a class may send
/// only after several.
const ROUNDS: u32 = 8;

/// Timers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The MAC's back-off.
    Access,
    /// The MAC's exchange.
    Sequence,
    /// The earliest of routing, transport and proxies.
    Upper,
}

/// What an application does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum App {
    /// Opens its connection.
    Open,
    /// Gives TCP this many more bytes; `u64::MAX` for a source that never runs dry.
    Write(u64),
    /// Stops giving data.
    Stop,
    /// Sends a datagram of this many bytes.
    Datagram(u32),
}

/// What a node is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// The node starts.
    Start,
    /// A frame was received whole, at this power \[W\].
    Receive(&'a Frame, f64),
    /// A timer fires (it may fire early).
    Timer(Timer),
    /// The application of a flow that starts here does something.
    App(FlowId, App),
    /// The node goes down (`false`) or comes back.
    Power(bool),
}

/// What a node asks for, or tells the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this frame, starting now.
    Transmit(Frame),
    /// Wake me at this instant; replaces an earlier request of the same timer.
    Arm(Timer, SimTime),
    /// The MAC gave the frame in service up; if its packet is lost for it, that follows.
    GaveUp(Cause),
    /// A packet was lost here.
    Dropped(Dropped),
    /// Something happened at a TCP sender of this node.
    Transport {
        /// Its flow.
        flow: FlowId,
        /// What.
        event: tcp::Event,
    },
    /// New payload arrived at a sink of this node.
    Arrived {
        /// Its flow.
        flow: FlowId,
        /// Bytes that can now be read in order.
        readable: u64,
        /// Age of the packet that brought it.
        delay: Dur,
    },
}

/// One node.
#[derive(Debug)]
pub struct Node {
    /// Its medium access.
    pub mac: Mac,
    pub(super) queue: Queue,
    pub(super) routing: Routing,
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) proxies: Vec<Proxy>,
    pub(super) id: NodeId,
    header: Bytes,
    pub(super) data_header: Bytes,
    up: bool,
    pub(super) facts: Facts,
    routing_at: SimTime,
    /// Instant for which the upper timer stands in the driver's queue.
    armed: SimTime,
    pub(super) scratch: Vec<tcp::Action>,
}

impl Node {
    /// A node that is up; `header` is what its routing layer adds to every packet.
    #[must_use]
    pub fn new(id: NodeId, mac: Mac, queue: Queue, routing: Routing, header: Bytes) -> Self {
        Self {
            mac,
            queue,
            routing,
            endpoints: Vec::new(),
            proxies: Vec::new(),
            id,
            header,
            data_header: Bytes(TCP_HEADERS),
            up: true,
            facts: Facts::default(),
            routing_at: SimTime::MAX,
            armed: SimTime::MAX,
            scratch: Vec::new(),
        }
    }

    /// Sets what a TCP segment with payload counts for its headers, 40 bytes otherwise.
    pub const fn set_data_header(&mut self, header: Bytes) {
        self.data_header = header;
    }

    /// Adds one end of a flow.
    pub fn add_endpoint(&mut self, endpoint: Endpoint) {
        self.endpoints.push(endpoint);
    }

    /// Adds a proxy for a flow that passes here.
    pub fn add_proxy(&mut self, flow: FlowId, agent: Box<dyn proxy::CustomProxy>) {
        self.proxies.push(Proxy {
            flow,
            deadline: SimTime::MAX,
            ends: (NodeId::BROADCAST, NodeId::BROADCAST),
            agent,
        });
    }

    /// The interface queue.
    #[must_use]
    pub const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The routing machine.
    #[must_use]
    pub const fn routing(&self) -> &Routing {
        &self.routing
    }

    /// The transport endpoints.
    #[must_use]
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The transport endpoints, to give them a shim or a gate.
    pub fn endpoints_mut(&mut self) -> &mut [Endpoint] {
        &mut self.endpoints
    }

    /// Whether the node is up.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// Packets in this node's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.queue.held() + self.routing.waiting()
    }

    /// Hears what the medium does; returns when [`Timer::Access`] shall fire instead.
    #[inline]
    #[must_use]
    pub fn sense(&mut self, now: SimTime, sensed: mac::Sensed) -> Option<SimTime> {
        self.mac.sense(now, sensed)
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
        match input {
            Input::Receive(frame, power) => {
                self.facts.received_power = power;
                self.feed_mac(cx, mac::Input::Receive(frame), out);
            }
            Input::Timer(Timer::Access) => self.feed_mac(cx, mac::Input::Timer(mac::Timer::Access), out),
            Input::Timer(Timer::Sequence) => self.feed_mac(cx, mac::Input::Timer(mac::Timer::Sequence), out),
            Input::Timer(Timer::Upper) => self.on_upper(cx, out),
            Input::App(flow, app) => self.on_app(cx, flow, app, out),
            Input::Start => self.feed_routing(cx, routing::Input::Start, out),
            Input::Power(up) => self.power(cx, up, out),
        }
    }

    /// Lets the MAC act, then carries its answers through the stack.
    #[inline(always)]
    fn feed_mac<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: mac::Input<'_>, out: &mut S) {
        let mut answers = FromMac::new(out);
        self.mac.handle(cx, input, &mut answers);
        let FromMac { delivered, outcome, .. } = answers;
        if let Some(outcome) = outcome {
            self.settle(cx, outcome, out);
        }
        if let Some((packet, from)) = delivered {
            self.climb(cx, packet, from, out);
        }
    }

    /// The frame in service has come to an end: the queue settles it, routing hears of failures.
    fn settle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, outcome: Outcome, out: &mut S) {
        if let Outcome::Delivered { attempts } | Outcome::GaveUp { attempts, .. } = outcome {
            self.facts.attempts_average += (f64::from(attempts) - self.facts.attempts_average) / 8.0;
        }
        if let Outcome::GaveUp { cause, .. } = outcome {
            out.put(Action::GaveUp(cause));
        }
        let neighbour = self.queue.next_hop_in_service();
        self.feed_queue(cx, queue::Input::Outcome(outcome), out);
        if let (Outcome::GaveUp { .. }, Some(neighbour)) = (outcome, neighbour) {
            self.feed_routing(cx, routing::Input::LinkFailed { neighbour }, out);
            self.tell_transport(cx, Notice::LinkFailed { neighbour }, out);
        }
        self.serve(cx, out);
    }

    /// A packet from below.
    fn climb<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, from: NodeId, out: &mut S) {
        let packet = &mut cx.packets[id];
        if let Payload::Routing(_) = packet.payload {
            if let Some(adverts) = cx.packets.adverts(id) {
                cx.packets.end(id, Fate::Delivered);
                self.feed_routing(cx, routing::Input::Adverts { from, adverts }, out);
                self.serve(cx, out); // kept frames may have a route again
            }
        } else if packet.destination == self.id {
            self.arrive(cx, id, out);
        } else if packet.ttl <= 1 {
            out.put(Action::Dropped(drop_packet(cx, id, DropReason::Expired)));
        } else {
            packet.ttl -= 1;
            if self.proxies.is_empty() || self.pass_proxies(cx, id, out) {
                self.route(cx, id, out);
            }
        }
    }

    /// Finds the next hop and queues the packet.
    pub(super) fn route<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        if !self.up {
            return out.put(Action::Dropped(drop_packet(cx, id, DropReason::NodeDown)));
        }
        match self.routing.next_hop(cx.packets[id].destination) {
            Some(to) => self.enqueue(cx, id, to, out),
            None => self.feed_routing(cx, routing::Input::NoRoute { packet: id }, out),
        }
    }

    fn enqueue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        self.feed_queue(cx, queue::Input::Enqueue { packet, to }, out);
        if self.mac.wants_frame() {
            self.serve(cx, out);
        }
    }

    /// Gives the MAC its next frame, if it wants one and there is one.
    fn serve<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let (mut refused, mut rounds) = (None, 0);
        while rounds < ROUNDS && self.mac.wants_frame() {
            let Some(mut offer) = self.queue.offer(cx, self.header) else { return };
            if offer.kept {
                // The route may have changed since the frame was queued.
                let Some(to) = self.routing.next_hop(cx.packets[offer.packet].destination) else {
                    rounds += u32::from(refused == Some(offer.packet));
                    refused.get_or_insert(offer.packet);
                    self.feed_queue(cx, queue::Input::Outcome(Outcome::Held(Held::NoRoute)), out);
                    continue;
                };
                offer.to = to;
                self.queue.readdress(to);
            }
            return self.feed_mac(cx, mac::Input::Send(offer), out);
        }
    }

    fn feed_queue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: queue::Input, out: &mut S) {
        let mut answers = FromQueue { out, space: false };
        self.queue.handle(cx, input, &mut answers);
        if answers.space {
            self.tell_transport(cx, Notice::QueueSpace, out);
        }
    }

    fn feed_routing<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: routing::Input, out: &mut S) {
        let mut actions = Vec::new();
        self.routing.handle(cx, input, &mut actions);
        for action in actions {
            match action {
                routing::Action::Broadcast(lines) => self.broadcast(cx, lines, out),
                routing::Action::Arm(at) => self.routing_at = at,
                routing::Action::Forward { packet, to } => self.enqueue(cx, packet, to, out),
                routing::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
                routing::Action::Notice(notice) => self.tell_transport(cx, notice, out),
            }
        }
        self.arm_upper(out);
    }

    fn broadcast<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        lines: std::sync::Arc<[RouteAdvert]>,
        out: &mut S,
    ) {
        let size = ROUTING_HEADERS + ROUTING_LINE * u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let payload = cx.packets.body(lines);
        let id = self.make(cx, FlowId::NONE, NodeId::BROADCAST, size, payload);
        self.enqueue(cx, id, NodeId::BROADCAST, out);
    }

    /// Everything above the queue that is due.
    fn on_upper<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.armed = SimTime::MAX;
        if self.routing_at <= cx.now {
            self.routing_at = SimTime::MAX;
            self.feed_routing(cx, routing::Input::Timer, out);
        }
        self.on_endpoint_timers(cx, out);
        for index in 0..self.proxies.len() {
            if self.proxies[index].deadline <= cx.now {
                self.proxies[index].deadline = SimTime::MAX;
                self.proxy_input(cx, index, proxy::Input::Timer, out);
            }
        }
        self.arm_upper(out);
    }

    /// Asks for the upper timer, unless it stands earlier already: then the deadlines are checked when it fires.
    pub(super) fn arm_upper<S: Sink<Action>>(&mut self, out: &mut S) {
        let endpoints = self.endpoints.iter().map(|endpoint| endpoint.deadline);
        let proxies = self.proxies.iter().map(|proxy| proxy.deadline);
        let earliest = endpoints.chain(proxies).min().unwrap_or(SimTime::MAX).min(self.routing_at);
        if earliest < self.armed {
            self.armed = earliest;
            out.put(Action::Arm(Timer::Upper, earliest));
        }
    }

    /// Going down loses all that is in memory below the transport layer.
    fn power<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.up = up;
        let mut answers = FromMac::new(out);
        self.mac.handle(cx, mac::Input::Power(up), &mut answers);
        if up {
            self.feed_routing(cx, routing::Input::Start, out);
        } else {
            self.feed_queue(cx, queue::Input::Flush, out);
            self.feed_routing(cx, routing::Input::Stop, out);
        }
        self.tell_transport(cx, Notice::Power { up }, out);
    }

    pub(super) fn unclaimed<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        out.put(Action::Dropped(drop_packet(cx, id, DropReason::Unclaimed)));
    }
}
