//! TCP-F's nodes on the path (Chandran, Raghunathan, Venkatesan, Prakash, ICDCS 1998): the routes that have
//! failed, each with its flow, the nodes that know it, and what waits.
//!
//! ```text
//!            own failure: RFN to the source, and routing is asked for another route, again and again
//!            RFN passes, no other route: it goes on
//!   VALID ─────────────────────────────────────────► FAILED   segments are blocked, or wait
//!     ▲                                                │
//!     └────────────────────────────────────────────────┘
//!            a route is found: RRN to the source
//!            RRN passes: it goes on
//!            nothing heard for the lifetime
//! ```

use super::config::TcpFRelayConfig;
use super::contract::{Action, FlowEnds, Verdict};
use crate::contract::Notice;
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{PacketId, Signal, SignalKind};

/// A flow is forgotten if no packet of it has come for so long, and its route stands: the lifetime of a segment
/// (RFC 9293 §3.4.2), twice the longest timeout of a TCP that still sends (RFC 6298 §2.5). What is sent later is a flow
/// seen for the first time, which is told as any.
const IDLE: Dur = Dur::from_secs(120);

/// What is known of one flow that passes here.
#[derive(Clone, Debug)]
struct Route {
    flow: FlowId,
    source: NodeId,
    destination: NodeId,
    /// Last segment seen, which signals are about.
    sequence: u64,
    state: State,
    /// When something of it was heard last.
    heard: SimTime,
    /// After an own failure: when routing is asked for a route next.
    seek_at: SimTime,
    /// This node has said that there is a route again: others need not.
    told: bool,
    /// Segments that wait.
    waiting: Vec<PacketId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Valid,
    /// Until then, unless something is heard; `own`: the route failed at this very node.
    Failed {
        until: SimTime,
        own: bool,
    },
}

/// One node's memory of routes that have failed.
#[derive(Clone, Debug)]
pub(super) struct TcpFRelay {
    config: TcpFRelayConfig,
    routes: Vec<Route>,
}

impl TcpFRelay {
    pub(super) fn new(config: &TcpFRelayConfig) -> Self {
        Self { config: config.clone(), routes: Vec::new() }
    }

    /// A segment of the flow was lost here with its link or route.
    pub(super) fn failed(
        &mut self,
        now: SimTime,
        flow: FlowId,
        ends: (NodeId, NodeId),
        sequence: u64,
        out: &mut Vec<Action>,
    ) {
        let index = self.route(now, (flow, ends));
        self.routes[index].sequence = sequence;
        self.fail(now, index, out);
    }

    /// The route of a flow fails at this node.
    fn fail(&mut self, now: SimTime, index: usize, out: &mut Vec<Action>) {
        let TcpFRelayConfig { lifetime, per_packet, source_probes, query, .. } = self.config;
        let until = now + lifetime;
        let route = &mut self.routes[index];
        match route.state {
            _ if source_probes => {}
            State::Valid => {
                route.state = State::Failed { until, own: true };
                route.told = false;
                route.seek_at = now + query;
                out.push(Action::Seek(route.destination));
            }
            State::Failed { own: true, .. } if per_packet => {}
            State::Failed { .. } => return,
        }
        out.push(route.say(SignalKind::RouteFailure { failed: route.destination }));
    }

    /// A segment is about to be forwarded.
    pub(super) fn segment(
        &mut self,
        now: SimTime,
        of: FlowEnds,
        packet: PacketId,
        sequence: u64,
        out: &mut Vec<Action>,
    ) -> Verdict {
        self.expire(now, out);
        let index = self.route(now, of);
        let waiting: usize = self.routes.iter().map(|route| route.waiting.len()).sum();
        let route = &mut self.routes[index];
        route.sequence = sequence;
        let State::Failed { own, .. } = route.state else { return Verdict::Pass };
        if !self.config.buffering || waiting >= self.config.buffer as usize {
            return Verdict::Block;
        }
        if own && self.config.per_packet {
            out.push(route.say(SignalKind::RouteFailure { failed: route.destination }));
        }
        route.waiting.push(packet);
        Verdict::Keep
    }

    /// A signal about a flow is about to be forwarded; it came from a neighbour, and routing knows this next hop.
    pub(super) fn signal(
        &mut self,
        now: SimTime,
        of: FlowEnds,
        signal: &Signal,
        (from, next): (NodeId, Option<NodeId>),
        out: &mut Vec<Action>,
    ) -> Verdict {
        if self.config.source_probes {
            return Verdict::Pass;
        }
        self.expire(now, out);
        let index = self.route(now, of);
        let until = now + self.config.lifetime;
        let route = &mut self.routes[index];
        match (signal.kind, route.state) {
            (SignalKind::RouteFailure { .. }, State::Valid) => {
                if next.is_some_and(|next| next != from) {
                    return Verdict::Absorb; // there is another way
                }
                route.state = State::Failed { until, own: false };
                route.told = false;
                Verdict::Pass
            }
            (SignalKind::RouteRestored, _) if route.told => Verdict::Absorb,
            (SignalKind::RouteRestored, State::Failed { .. }) => {
                route.restore(out);
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    /// The node tells something.
    pub(super) fn notice(&mut self, now: SimTime, notice: Notice, out: &mut Vec<Action>) {
        match notice {
            Notice::RouteLost { destination } => {
                self.forget(now);
                for index in 0..self.routes.len() {
                    if self.routes[index].destination == destination
                        && self.routes[index].state == State::Valid
                    {
                        self.fail(now, index, out);
                    }
                }
            }
            Notice::RouteFound { destination, .. } => {
                for route in &mut self.routes {
                    if route.destination == destination && route.state != State::Valid {
                        route.told = true;
                        out.push(route.say(SignalKind::RouteRestored));
                        route.restore(out);
                    }
                }
            }
            Notice::LinkFailed { .. } | Notice::QueueSpace | Notice::Outage { .. } | Notice::Power { .. } => {
            }
        }
    }

    /// What is due: failures that are too old are forgotten, and what waits is tried again; routing is asked once more.
    pub(super) fn expire(&mut self, now: SimTime, out: &mut Vec<Action>) {
        for route in &mut self.routes {
            match route.state {
                State::Failed { until, .. } if until <= now => route.restore(out),
                State::Failed { own: true, .. } if route.seek_at <= now => {
                    route.seek_at = now + self.config.query;
                    out.push(Action::Seek(route.destination));
                }
                State::Failed { .. } | State::Valid => {}
            }
        }
    }

    /// When something is due next; `SimTime::MAX`: nothing.
    pub(super) fn deadline(&self) -> SimTime {
        let of = |route: &Route| match route.state {
            State::Valid => SimTime::MAX,
            State::Failed { until, own: true } => until.min(route.seek_at),
            State::Failed { until, own: false } => until,
        };
        self.routes.iter().map(of).min().unwrap_or(SimTime::MAX)
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.routes.iter().flat_map(|route| route.waiting.iter().copied())
    }

    pub(super) fn flush(&mut self) -> Vec<PacketId> {
        self.routes.drain(..).flat_map(|route| route.waiting).collect()
    }

    /// The place in the list of a flow. A flow that is not listed is added.
    fn route(&mut self, now: SimTime, (flow, (source, destination)): FlowEnds) -> usize {
        if let Some(index) = self.routes.iter().position(|route| route.flow == flow) {
            self.routes[index].heard = now;
            return index;
        }
        self.forget(now);
        self.routes.push(Route {
            flow,
            source,
            destination,
            sequence: 0,
            state: State::Valid,
            heard: now,
            seek_at: SimTime::MAX,
            told: false,
            waiting: Vec::new(),
        });
        self.routes.len() - 1
    }

    /// Flows that have long been silent are forgotten; a failure has a life of its own.
    fn forget(&mut self, now: SimTime) {
        self.routes.retain(|route| route.state != State::Valid || now < route.heard + IDLE);
    }
}

impl Route {
    /// A signal to the source.
    fn say(&self, kind: SignalKind) -> Action {
        let Self { flow, source, destination, sequence, .. } = *self;
        Action::Signal { flow, to: source, signal: Signal { kind, source, destination, sequence } }
    }

    fn restore(&mut self, out: &mut Vec<Action>) {
        self.state = State::Valid;
        out.extend(self.waiting.drain(..).map(Action::Forward));
    }
}
