//! Node 1 under test, its neighbours 0, 2 and 3, and what lies behind them.

use crate::contract::Notice;
use crate::routing::Routing;
use crate::routing::aodv::{Aodv, AodvConfig, LocalRepair, Message, Reply, Request, Unreachable, emit, size};
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance};
use crate::testing::{cx, instant, routing_message, udp};
use crate::units::{Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketStore, Protocol};

pub(super) const ME: NodeId = NodeId(1);

/// Everything as by default, but no jitter, and none of the routes that a message makes by itself.
pub(super) fn config() -> AodvConfig {
    AodvConfig { broadcast_jitter: Dur::ZERO, neighbour_routes: false, ..AodvConfig::default() }
}

/// What the machine is told.
#[derive(Clone, Debug)]
pub(super) enum Tell {
    Plain(Input),
    /// A message from a neighbour, with this hop limit.
    Hear(u32, u8, Message),
    /// A hello from a neighbour.
    Hello(u32, u32),
    /// A packet of this node for which the way is asked.
    Route(u32),
    /// A packet from a neighbour.
    Pass(u32, u32),
    /// The MAC has given up, on its way to a neighbour, a packet from this source to this destination that had come so
    /// many hops.
    Lost {
        to: u32,
        from: u32,
        destination: u32,
        travelled: u8,
    },
}

pub(super) const START: Tell = Tell::Plain(Input::Start);
pub(super) const STOP: Tell = Tell::Plain(Input::Stop);
pub(super) const TIMER: Tell = Tell::Plain(Input::Timer);

pub(super) struct Rig {
    pub(super) aodv: Aodv,
    pub(super) packets: PacketStore,
    /// What routing said of the last packet.
    pub(super) decision: Option<Decision>,
    pub(super) disposal: Option<Disposal>,
}

impl Rig {
    pub(super) fn new(config: AodvConfig) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
        let mut rig = Self {
            aodv: Aodv::new(config, ME, rng),
            packets: PacketStore::new(1),
            decision: None,
            disposal: None,
        };
        rig.feed(SimTime::ZERO, START);
        rig
    }

    /// A packet from `source` to `destination`.
    pub(super) fn packet(&mut self, source: u32, destination: u32) -> PacketId {
        let packet = udp(&mut self.packets, FlowId(0), NodeId(destination), 0, 100);
        self.packets[packet].source = NodeId(source);
        packet
    }

    /// What it answers, but for when it wants to be woken.
    pub(super) fn feed(&mut self, now: SimTime, what: Tell) -> Vec<Action> {
        let mut out = Vec::new();
        match what {
            Tell::Plain(input) => self.aodv.handle(&mut cx(now, &mut self.packets), input, &mut out),
            Tell::Hear(from, ttl, message) => {
                let packet = routing_message(&mut self.packets, Protocol::Aodv, &emit(&message));
                self.packets[packet].ttl = ttl;
                if !matches!(message, Message::Request(_)) {
                    self.packets[packet].destination = ME;
                }
                let input = Input::Message { packet, from: NodeId(from) };
                self.aodv.handle(&mut cx(now, &mut self.packets), input, &mut out);
            }
            Tell::Hello(from, sequence) => {
                let hello = reply(from, 0, sequence, from, 2_000);
                let packet = routing_message(&mut self.packets, Protocol::Aodv, &emit(&hello));
                let input = Input::Message { packet, from: NodeId(from) };
                self.aodv.handle(&mut cx(now, &mut self.packets), input, &mut out);
            }
            Tell::Route(destination) => {
                let packet = self.packet(ME.0, destination);
                self.decision = Some(self.ask(now, packet, Provenance::Here, &mut out));
            }
            Tell::Pass(from, destination) => {
                let packet = self.packet(from, destination);
                self.decision = Some(self.ask(now, packet, Provenance::Neighbour(NodeId(from)), &mut out));
            }
            Tell::Lost { to, from, destination, travelled } => {
                let packet = self.packet(from, destination);
                self.packets[packet].ttl -= travelled;
                let given_up = GivenUp { packet, to: NodeId(to), reason: DropReason::RetryLimitRts };
                self.disposal = Some(self.aodv.given_up(&mut cx(now, &mut self.packets), given_up, &mut out));
            }
        }
        out.retain(|action| !matches!(action, Action::Arm(_)));
        out
    }

    /// When it wants to be woken, asked by a timer that fires early.
    pub(super) fn wakes(&mut self, now: &str) -> SimTime {
        let mut out = Vec::new();
        self.aodv.handle(&mut cx(instant(now), &mut self.packets), Input::Timer, &mut out);
        let armed = out.iter().rev().find_map(|action| match action {
            Action::Arm(at) => Some(*at),
            _ => None,
        });
        armed.expect("it says so in each call")
    }

    /// As the node asks: the short way first.
    pub(super) fn ask(
        &mut self,
        now: SimTime,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        match self.aodv.known(now, &self.packets[packet], provenance) {
            Some(to) => Decision::To(to),
            None => self.aodv.route(&mut cx(now, &mut self.packets), packet, provenance, out),
        }
    }

    /// Packets that wait.
    pub(super) fn waiting(&self) -> usize {
        self.aodv.packets().len()
    }

    /// Next hop, hops and number of a valid route.
    pub(super) fn route(&mut self, at: &str, destination: u32) -> Option<(u32, u8, Option<u32>)> {
        let route = self.aodv.table_mut().valid(instant(at), NodeId(destination))?;
        Some((route.next_hop.0, route.hops, route.sequence))
    }
}

/// The notice that a route is lost.
pub(super) fn gone(destination: u32) -> Action {
    Action::Notice(Notice::RouteLost { destination: NodeId(destination) })
}

/// The notice that there is a route of so many hops.
pub(super) fn found(destination: u32, hops: u32) -> Action {
    Action::Notice(Notice::RouteFound { destination: NodeId(destination), hops })
}

/// A relay between 0 and 9 (by way of 2, `hops` in all): packets of 0 pass.
pub(super) fn relay(config: AodvConfig, hops: u8) -> Rig {
    let mut rig = Rig::new(config);
    rig.feed(SimTime::ZERO, Tell::Hear(0, 9, Message::Request(request(1, 0, (0, 1), 9, None))));
    rig.feed(SimTime::ZERO, Tell::Hear(2, 9, reply(9, hops - 1, 7, 0, 6_000)));
    assert_eq!(rig.route("0 s", 9), Some((2, hops, Some(7))));
    rig
}

/// As [`config`], and nothing is mended.
pub(super) fn no_repair() -> AodvConfig {
    AodvConfig { local_repair: LocalRepair::Off, ..config() }
}

/// Why the packets among these were lost.
pub(super) fn lost_packets(actions: &[Action]) -> Vec<DropReason> {
    let reason = |action: &Action| match action {
        Action::Dropped(dropped) => Some(dropped.reason),
        _ => None,
    };
    actions.iter().filter_map(reason).collect()
}

/// A request with number `id` of `originator`, whose own number is `own`, for `destination`.
pub(super) fn request(
    id: u32,
    hops: u8,
    (originator, own): (u32, u32),
    destination: u32,
    asked: Option<u32>,
) -> Request {
    Request {
        gratuitous: false,
        destination_only: false,
        hops,
        id,
        destination: NodeId(destination),
        destination_sequence: asked,
        originator: NodeId(originator),
        originator_sequence: own,
    }
}

/// A reply about `destination`, `hops` away from the node that sends it.
pub(super) fn reply(destination: u32, hops: u8, sequence: u32, originator: u32, lifetime_ms: u32) -> Message {
    Message::Reply(Reply {
        acknowledge: false,
        hops,
        destination: NodeId(destination),
        destination_sequence: sequence,
        originator: NodeId(originator),
        lifetime_ms,
    })
}

/// An error about (destination, number).
pub(super) fn error(unreachable: &[(u32, u32)]) -> Message {
    let line =
        |&(destination, sequence): &(u32, u32)| Unreachable { destination: NodeId(destination), sequence };
    Message::Error { keep: false, unreachable: unreachable.iter().map(line).collect() }
}

/// An error about (destination, number) whose routes shall be kept (N flag).
pub(super) fn keep(unreachable: &[(u32, u32)]) -> Message {
    match error(unreachable) {
        Message::Error { unreachable, .. } => Message::Error { keep: true, unreachable },
        other => other,
    }
}

/// A message to a neighbour, or to all (`u32::MAX`).
pub(super) fn send(config: &AodvConfig, to: u32, ttl: u8, message: &Message) -> Action {
    let body = emit(message);
    Action::Send(Outgoing {
        protocol: Protocol::Aodv,
        size: size(message, body.len(), config.wire),
        body,
        destination: NodeId(to),
        to: NodeId(to),
        ttl,
        delay: config.message_delay,
    })
}

/// A message to all.
pub(super) fn flood(config: &AodvConfig, ttl: u8, message: &Message) -> Action {
    send(config, u32::MAX, ttl, message)
}

/// This node's own request number `id`, its own number `own`.
pub(super) fn own(
    config: &AodvConfig,
    ttl: u8,
    id: u32,
    own: u32,
    destination: u32,
    asked: Option<u32>,
) -> Action {
    flood(config, ttl, &Message::Request(request(id, 0, (ME.0, own), destination, asked)))
}
