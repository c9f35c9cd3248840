//! Node 1 under test, its neighbours 2 and 3, and what lies behind them.

use crate::contract::Notice;
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance};
use crate::routing::dsdv::{Counters, Dsdv, INFINITY, Line, emit, parse, size};
use crate::routing::{DsdvConfig, Routing};
use crate::testing::{cx, routing_message};
use crate::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketStore, Protocol};

pub(super) const ME: NodeId = NodeId(1);
/// Metric of an unreachable destination.
pub(super) const GONE: u32 = INFINITY;

/// Everything as by default, but no jitter.
pub(super) fn config() -> DsdvConfig {
    DsdvConfig {
        jitter_low: 1.0,
        jitter_high: 1.0,
        startup_jitter: Dur::ZERO,
        broadcast_jitter: Dur::ZERO,
        ..DsdvConfig::default()
    }
}

/// What the machine is told; messages by their lines.
#[derive(Clone, Debug)]
pub(super) enum Tell {
    Plain(Input),
    /// An update from a neighbour.
    Hear(u32, Vec<Line>),
    /// A packet of this node for which the way is asked.
    Route(PacketId),
    /// The MAC has given up on a neighbour.
    LinkFailed(u32),
}

pub(super) const START: Tell = Tell::Plain(Input::Start);
pub(super) const STOP: Tell = Tell::Plain(Input::Stop);
pub(super) const TIMER: Tell = Tell::Plain(Input::Timer);

pub(super) struct Rig {
    pub(super) dsdv: Dsdv,
    pub(super) packets: PacketStore,
}

impl Rig {
    pub(super) fn new(config: DsdvConfig) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
        Self { dsdv: Dsdv::new(config, ME, rng), packets: PacketStore::new(1) }
    }

    /// Started at zero, first full update sent (own number 2).
    pub(super) fn started() -> Self {
        let mut rig = Self::new(config());
        rig.feed(SimTime::ZERO, START);
        rig.feed(SimTime::ZERO, TIMER);
        rig
    }

    pub(super) fn feed(&mut self, now: SimTime, what: Tell) -> Vec<Action> {
        let mut out = Vec::new();
        match what {
            Tell::Plain(input) => self.dsdv.handle(&mut cx(now, &mut self.packets), input, &mut out),
            Tell::Hear(from, lines) => {
                let packet = routing_message(&mut self.packets, Protocol::Dsdv, &emit(&lines));
                let input = Input::Message { packet, from: NodeId(from) };
                self.dsdv.handle(&mut cx(now, &mut self.packets), input, &mut out);
            }
            Tell::Route(packet) => {
                let decision = self.ask(now, packet, Provenance::Here, &mut out);
                assert_eq!(decision, Decision::Waiting);
            }
            Tell::LinkFailed(node) => {
                let given_up =
                    GivenUp { packet: PacketId::NONE, to: NodeId(node), reason: DropReason::RetryLimitData };
                let cx = &mut cx(now, &mut self.packets);
                assert_eq!(self.dsdv.given_up(cx, given_up, &mut out), Disposal::Leave);
            }
        }
        out
    }

    /// Asks for the way of a packet.
    pub(super) fn ask(
        &mut self,
        now: SimTime,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        self.dsdv.route(&mut cx(now, &mut self.packets), packet, provenance, out)
    }

    /// Packets that wait.
    pub(super) fn waiting(&self) -> usize {
        self.dsdv.packets().len()
    }

    /// What has been counted.
    pub(super) fn counts(&self) -> Counters {
        *self.dsdv.counters()
    }

    /// The next hop, metric and number of a route.
    pub(super) fn route(&self, destination: u32) -> Option<(u32, u32, u32)> {
        let route = self.dsdv.table().route(NodeId(destination))?;
        Some((route.next_hop.0, route.metric, route.sequence))
    }
}

/// Lines as (destination, metric, sequence number).
pub(super) fn lines(lines: &[(u32, u32, u32)]) -> Vec<Line> {
    let line = |&(destination, metric, sequence): &(u32, u32, u32)| Line {
        destination: NodeId(destination),
        metric,
        sequence,
    };
    lines.iter().map(line).collect()
}

/// An update from a neighbour.
pub(super) fn hear(from: u32, what: &[(u32, u32, u32)]) -> Tell {
    Tell::Hear(from, lines(what))
}

/// An update of this node, to be sent after `delay`.
pub(super) fn tell_after(delay: Dur, what: &[(u32, u32, u32)]) -> Action {
    Action::Send(Outgoing {
        protocol: Protocol::Dsdv,
        body: emit(&lines(what)),
        size: size(what.len()),
        destination: NodeId::BROADCAST,
        to: NodeId::BROADCAST,
        ttl: 64,
        delay,
    })
}

/// An update of this node, to be sent at once.
pub(super) fn tell(what: &[(u32, u32, u32)]) -> Action {
    tell_after(Dur::ZERO, what)
}

/// The lines of an update of this node.
pub(super) fn told(message: &Outgoing) -> Vec<Line> {
    parse(&message.body).expect("its own codec")
}

/// The timer, in seconds.
pub(super) fn arm(at: &str) -> Action {
    Action::Arm(crate::testing::instant(&format!("{at} s")))
}

/// The layers above hear that a route is there again.
pub(super) const fn found(destination: u32, hops: u32) -> Action {
    Action::Notice(Notice::RouteFound { destination: NodeId(destination), hops })
}

/// And that one is gone.
pub(super) const fn gone(destination: u32) -> Action {
    Action::Notice(Notice::RouteLost { destination: NodeId(destination) })
}
