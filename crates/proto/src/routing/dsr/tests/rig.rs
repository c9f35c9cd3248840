//! Node 1 under test, and packets as its neighbours 0, 2 and 3 send them.

use crate::contract::Overheard;
use crate::routing::Routing;
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance};
use crate::routing::dsr::source_route::PacketPath;
use crate::routing::dsr::wire::{Header, Request, RouteError, Trouble};
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::testing::{cx, routing_message, udp};
use crate::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketStore, Protocol};

pub(super) const ME: NodeId = NodeId(1);
/// No next header.
pub(super) const NONE: u8 = 59;

/// Everything as by default, but no jitter.
pub(super) fn config() -> DsrConfig {
    DsrConfig { broadcast_jitter: Dur::ZERO, reply_hold_off: Dur::ZERO, ..DsrConfig::default() }
}

pub(super) fn nodes(numbers: &[u32]) -> Vec<NodeId> {
    numbers.iter().copied().map(NodeId).collect()
}

pub(super) fn ms(ms: u64) -> SimTime {
    SimTime::from_ms(ms)
}

pub(super) struct Rig {
    pub(super) dsr: Dsr,
    pub(super) packets: PacketStore,
}

/// What the machine has said or done, as far as a test looks at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Done {
    /// A request for this target, with this hop limit.
    Request(u32, u8),
    /// A reply with this route, to its first node over this neighbour.
    Reply(Vec<u32>, u32),
    /// Errors about these links, to this node over this neighbour.
    Errors(Vec<(u32, u32)>, u32, u32),
    /// An error about a flow to this destination, to this node.
    NoFlow(u32, u32),
    /// A packet goes to this neighbour (to all: 99) after so many milliseconds.
    Forward(u32, u64),
    /// A packet was lost.
    Dropped(&'static str),
    /// The timer, in milliseconds.
    Timer(u64),
    /// What waits for this neighbour is taken back.
    Withdraw(u32),
    /// There is a route to this destination, or none any more.
    Found(u32),
    Lost(u32),
}

impl Rig {
    pub(super) fn new(config: DsrConfig) -> Self {
        Self::of(config, ME)
    }

    /// Another node.
    pub(super) fn of(config: DsrConfig, me: NodeId) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
        Self { dsr: Dsr::new(config, me, Bytes::ZERO, rng), packets: PacketStore::new(1) }
    }

    /// One that knows these paths.
    pub(super) fn knowing(config: DsrConfig, paths: &[&[u32]]) -> Self {
        let mut rig = Self::new(config);
        for path in paths {
            assert!(rig.dsr.known.cache().learn(SimTime::ZERO, &nodes(path), true), "{path:?} is news");
        }
        rig
    }

    /// A packet of a node for another.
    pub(super) fn packet(&mut self, source: u32, destination: u32) -> PacketId {
        let packet = udp(&mut self.packets, FlowId(0), NodeId(destination), 0, 500);
        self.packets[packet].source = NodeId(source);
        packet
    }

    /// One that goes along a path, to the node at place `here`.
    pub(super) fn routed(&mut self, path: &[u32], here: usize) -> PacketId {
        let packet = self.packet(path[0], path[path.len() - 1]);
        let route = PacketPath { nodes: nodes(path), here, salvage: 0 }.route();
        let header = Header { next: 17, route: Some(route), ..Header::default() };
        self.packets.set_header(packet, Some((Protocol::Dsr, header.emit())));
        packet
    }

    /// A message along a path, to the node at place `here`.
    pub(super) fn message(&mut self, mut header: Header, path: &[u32], here: usize) -> PacketId {
        (header.next, header.route) =
            (NONE, Some(PacketPath { nodes: nodes(path), here, salvage: 0 }.route()));
        let packet = routing_message(&mut self.packets, Protocol::Dsr, &header.emit());
        let its = &mut self.packets[packet];
        (its.source, its.destination) = (NodeId(path[0]), NodeId(path[path.len() - 1]));
        packet
    }

    /// A request that has come over these relays.
    pub(super) fn request(
        &mut self,
        initiator: u32,
        id: u16,
        target: u32,
        over: &[u32],
        ttl: u8,
    ) -> PacketId {
        self.request_with(Header::default(), (initiator, id, target), over, ttl)
    }

    /// The same of this initiator, number and target with these errors on board.
    pub(super) fn request_with(
        &mut self,
        errors: Header,
        (initiator, id, target): (u32, u16, u32),
        over: &[u32],
        ttl: u8,
    ) -> PacketId {
        let request = Request { id, target: NodeId(target), addresses: nodes(over) };
        let header = Header { next: NONE, request: Some(request), ..errors };
        let packet = routing_message(&mut self.packets, Protocol::Dsr, &header.emit());
        (self.packets[packet].source, self.packets[packet].ttl) = (NodeId(initiator), ttl);
        packet
    }

    pub(super) fn route(
        &mut self,
        now: SimTime,
        packet: PacketId,
        from: Provenance,
    ) -> (Decision, Vec<Done>) {
        let mut out = Vec::new();
        let decision = self.dsr.route(&mut cx(now, &mut self.packets), packet, from, &mut out);
        (decision, self.read(out))
    }

    pub(super) fn send(&mut self, now: SimTime, packet: PacketId) -> (Decision, Vec<Done>) {
        self.route(now, packet, Provenance::Here)
    }

    pub(super) fn give_up(&mut self, now: SimTime, packet: PacketId, to: u32) -> (Disposal, Vec<Done>) {
        let mut out = Vec::new();
        let given_up = GivenUp { packet, to: NodeId(to), reason: DropReason::RetryLimitRts };
        let disposal = self.dsr.given_up(&mut cx(now, &mut self.packets), given_up, &mut out);
        (disposal, self.read(out))
    }

    pub(super) fn handle(&mut self, now: SimTime, input: Input) -> Vec<Done> {
        let out = self.act(now, input);
        self.read(out)
    }

    /// The same, to the last bit.
    pub(super) fn act(&mut self, now: SimTime, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        self.dsr.handle(&mut cx(now, &mut self.packets), input, &mut out);
        out
    }

    /// The messages that are sent when one has come.
    pub(super) fn sent(&mut self, now: SimTime, packet: PacketId, from: u32) -> Vec<Outgoing> {
        let actions = self.act(now, Input::Message { packet, from: NodeId(from) });
        let message = |action| if let Action::Send(message) = action { Some(message) } else { None };
        actions.into_iter().filter_map(message).collect()
    }

    pub(super) fn hear(&mut self, now: SimTime, packet: PacketId, from: u32) -> Vec<Done> {
        self.handle(now, Input::Message { packet, from: NodeId(from) })
    }

    pub(super) fn overhear(&mut self, now: SimTime, packet: PacketId, from: u32, to: u32) -> Vec<Done> {
        let (from, to) = (NodeId(from), NodeId(to));
        self.handle(now, Input::Overheard(Overheard { from, to, packet, power: 1e-9 }))
    }

    pub(super) fn timer(&mut self, now: SimTime) -> Vec<Done> {
        self.handle(now, Input::Timer)
    }

    /// The header of a packet.
    pub(super) fn header(&self, packet: PacketId) -> Option<Header> {
        let bytes = self.packets.message(packet).or_else(|| self.packets.header(packet))?;
        Some(Header::parse(bytes).expect("its own codec"))
    }

    /// The way that stands in a packet, and the place of the node that it goes to.
    pub(super) fn way(&self, packet: PacketId) -> (Vec<u32>, usize) {
        let route = self.header(packet).and_then(|header| header.route).expect("a route");
        let way = PacketPath::of(&self.packets[packet], &route);
        (way.nodes.iter().map(|node| node.0).collect(), way.here)
    }

    /// The way to a destination that it knows.
    pub(super) fn knows(&self, now: SimTime, destination: u32) -> Option<Vec<u32>> {
        let path = self.dsr.way_to(now, NodeId(destination))?;
        Some(path.iter().map(|node| node.0).collect())
    }

    fn read(&self, actions: Vec<Action>) -> Vec<Done> {
        let number = |node: NodeId| if node.is_broadcast() { 99 } else { node.0 };
        let mut done: Vec<Done> = actions
            .into_iter()
            .filter_map(|action| match action {
                Action::Send(message) => Some(said(&message)),
                Action::Forward { to, delay, .. } => {
                    Some(Done::Forward(number(to), delay.whole(Dur::from_ms(1))))
                }
                Action::Withdraw { neighbour } => Some(Done::Withdraw(neighbour.0)),
                Action::Arm(SimTime::MAX) | Action::Signal { .. } => None,
                Action::Arm(at) => Some(Done::Timer(at.as_ns() / 1_000_000)),
                Action::Dropped(dropped) => Some(Done::Dropped(dropped.reason.label())),
                Action::Notice(crate::contract::Notice::RouteFound { destination, .. }) => {
                    Some(Done::Found(destination.0))
                }
                Action::Notice(crate::contract::Notice::RouteLost { destination }) => {
                    Some(Done::Lost(destination.0))
                }
                Action::Notice(_) => None,
            })
            .collect();
        // Only the last instant holds.
        let last = done.iter().rposition(|one| matches!(one, Done::Timer(_)));
        let mut place = 0..;
        done.retain(|one| place.next() == last || !matches!(one, Done::Timer(_)));
        done
    }
}

fn said(message: &Outgoing) -> Done {
    let header = Header::parse(&message.body).expect("its own codec");
    if let Some(request) = &header.request {
        return Done::Request(request.target.0, message.ttl);
    }
    if let Some(reply) = &header.reply {
        let route = [message.destination].iter().chain(reply).map(|node| node.0).collect();
        return Done::Reply(route, message.to.0);
    }
    match header.errors[0].what {
        Trouble::Unreachable(_) => {
            let link = |error: &RouteError| match error.what {
                Trouble::Unreachable(to) => (error.source.0, to.0),
                _ => (99, 99),
            };
            let links = header.errors.iter().map(link).collect();
            Done::Errors(links, message.destination.0, message.to.0)
        }
        Trouble::FlowUnknown(to, _) | Trouble::DefaultFlowUnknown(to) => {
            Done::NoFlow(to.0, message.destination.0)
        }
    }
}

/// A reply with this route; its first node is the one that it goes to.
pub(super) fn reply(route: &[u32]) -> Header {
    Header { reply: Some(nodes(&route[1..])), ..Header::default() }
}

/// An error about a link.
pub(super) fn error(from: u32, to: u32, for_node: u32) -> Header {
    let what = Trouble::Unreachable(NodeId(to));
    let error = RouteError { salvage: 0, source: NodeId(from), destination: NodeId(for_node), what };
    Header { errors: vec![error], ..Header::default() }
}
