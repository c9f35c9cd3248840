//! TCP-BuS's nodes on the path (Kim, Toh, Choi, ICC 2000): the pivoting node at a break, which keeps what it cannot
//! send, tells the source and looks for a route; and the nodes before it, which keep what is on its way meanwhile.
//!
//! ```text
//!            an ERDN passes: it goes on
//!   VALID ───────────────────────────────► WAITING   segments are kept
//!    │ ▲ ◄──────────────────────────────────┘ │
//!    │ │      an ERSN passes, or the lifetime  │
//!    │ │                                       │ a segment fails here too
//!    │ │  an ACK passes: ERSN to the source,   ▼
//!    │ │  or there is a route and no ACK       │
//!    │ │  has passed for a lifetime            │
//!    │ └───────────────────────────────────  PIVOT   segments are kept; timer, route found: query;
//!    └──────────────────────────────────────► ▲      data long after the ERDN: ERDN again
//!         a segment fails here: ERDN, query
//! ```
//!
//! The query is a header-only segment in the source's name, just below the first byte that waits: routing looks for a
//! way for it, and the receiver answers with what it expects. That answer, or any ACK that passes, is the reply. Where
//! the new route leads past this node the answer reaches the source without it: what waits here then goes on without an
//! answer.

use super::config::TcpBusRelayConfig;
use super::contract::{Action, FlowEnds, Verdict};
use crate::contract::Cx;
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, Fate, PacketId, Segment, Signal, SignalKind, flags};

/// What is known of one flow that passes here.
#[derive(Clone, Debug)]
struct Path {
    flow: FlowId,
    source: NodeId,
    destination: NodeId,
    state: State,
    /// Segments that wait, with their first bytes, lowest first.
    waiting: Vec<(u64, PacketId)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Valid,
    /// The break is further on; until then, unless something is heard.
    Waiting {
        until: SimTime,
    },
    /// The break is here: this was the first segment that failed.
    Pivot {
        first: u64,
        told: SimTime,
        query_at: SimTime,
        /// There is a route: until then an ACK has to pass, or it leads elsewhere.
        answer_by: SimTime,
    },
}

/// One node's memory of broken paths.
#[derive(Clone, Debug)]
pub(super) struct TcpBusRelay {
    config: TcpBusRelayConfig,
    paths: Vec<Path>,
    /// Length of the route that was found last, 0 if none was.
    hops: u32,
}

impl TcpBusRelay {
    pub(super) fn new(config: &TcpBusRelayConfig) -> Self {
        Self { config: config.clone(), paths: Vec::new(), hops: 0 }
    }

    /// A segment of the flow could not be sent on.
    pub(super) fn failed(&mut self, now: SimTime, of: FlowEnds, sequence: u64, out: &mut Vec<Action>) {
        let query = self.config.query;
        let path = self.path(of);
        match &mut path.state {
            State::Pivot { first, .. } => *first = sequence.min(*first),
            State::Valid | State::Waiting { .. } => {
                let query_at = now + query;
                path.state = State::Pivot { first: sequence, told: now, query_at, answer_by: SimTime::MAX };
                out.push(path.disconnected(sequence));
                out.push(path.query());
            }
        }
    }

    /// Whether it keeps a segment that could not be sent on.
    pub(super) fn keeps(&mut self, of: FlowEnds, packet: PacketId, segment: &Segment) -> bool {
        let room = self.packets().count() < self.config.buffer as usize;
        if segment.len == 0 || !room {
            return false;
        }
        self.path(of).keep(packet, segment.seq);
        true
    }

    /// A segment towards the destination is about to be forwarded.
    pub(super) fn segment(
        &mut self,
        now: SimTime,
        of: FlowEnds,
        packet: PacketId,
        segment: &Segment,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let query = self.config.query;
        match &mut self.path(of).state {
            State::Valid => return Verdict::Pass,
            State::Pivot { told, first, .. } if *told + query <= now && segment.len > 0 => {
                *told = now; // the source goes on: it has not been told
                let first = *first;
                let again = self.path(of).disconnected(first);
                out.push(again);
            }
            State::Pivot { .. } | State::Waiting { .. } => {}
        }
        match segment.len {
            0 => Verdict::Pass, // asks for an ACK, and for a route
            _ if self.keeps(of, packet, segment) => Verdict::Keep,
            _ => Verdict::Block,
        }
    }

    /// An ACK is about to be forwarded: there is a way, and this is what the receiver expects.
    pub(super) fn ack(&mut self, cx: &mut Cx<'_>, of: FlowEnds, segment: &Segment, out: &mut Vec<Action>) {
        let hops = self.hops;
        let path = self.path(of);
        if segment.flags & (flags::ACK | flags::SYN) == flags::ACK
            && matches!(path.state, State::Pivot { .. })
        {
            out.push(path.say(SignalKind::Reconnected { hops }, segment.ack));
            path.open(cx, segment.ack, out);
        }
    }

    /// A signal about the flow is about to be forwarded.
    pub(super) fn signal(&mut self, cx: &mut Cx<'_>, of: FlowEnds, signal: &Signal, out: &mut Vec<Action>) {
        let until = cx.now + self.config.lifetime;
        let path = self.path(of);
        match (signal.kind, path.state) {
            (SignalKind::Disconnected, State::Valid | State::Waiting { .. }) => {
                path.state = State::Waiting { until };
            }
            (SignalKind::Reconnected { .. }, State::Waiting { .. } | State::Pivot { .. }) => {
                path.open(cx, signal.sequence, out);
            }
            _ => {}
        }
    }

    /// Routing has found a route: the receiver is asked at once.
    pub(super) fn found(&mut self, now: SimTime, destination: NodeId, hops: u32, out: &mut Vec<Action>) {
        self.hops = hops;
        for path in self.paths.iter_mut().filter(|path| path.destination == destination) {
            if let State::Pivot { query_at, answer_by, .. } = &mut path.state {
                *query_at = now + self.config.query;
                *answer_by = (now + self.config.lifetime).min(*answer_by);
                out.push(path.query());
            }
        }
    }

    /// The route is gone: no node can answer.
    pub(super) fn lost(&mut self, destination: NodeId) {
        for path in self.paths.iter_mut().filter(|path| path.destination == destination) {
            if let State::Pivot { answer_by, .. } = &mut path.state {
                *answer_by = SimTime::MAX;
            }
        }
    }

    /// What is due: queries, and the end of waiting for an answer or for word of the break.
    pub(super) fn expire(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Action>) {
        for path in &mut self.paths {
            match &mut path.state {
                State::Pivot { answer_by, .. } if *answer_by <= cx.now => path.open(cx, 0, out),
                State::Pivot { query_at, .. } if *query_at <= cx.now => {
                    *query_at = cx.now + self.config.query;
                    out.push(path.query());
                }
                State::Waiting { until } if *until <= cx.now => path.open(cx, 0, out),
                _ => {}
            }
        }
    }

    /// When something is due next; `SimTime::MAX`: nothing.
    pub(super) fn deadline(&self) -> SimTime {
        let of = |path: &Path| match path.state {
            State::Valid => SimTime::MAX,
            State::Waiting { until } => until,
            State::Pivot { query_at, answer_by, .. } => query_at.min(answer_by),
        };
        self.paths.iter().map(of).min().unwrap_or(SimTime::MAX)
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.paths.iter().flat_map(|path| path.waiting.iter().map(|&(_, packet)| packet))
    }

    pub(super) fn flush(&mut self) -> Vec<PacketId> {
        self.paths.drain(..).flat_map(|path| path.waiting).map(|(_, packet)| packet).collect()
    }

    fn path(&mut self, (flow, (source, destination)): FlowEnds) -> &mut Path {
        let found = self.paths.iter().position(|path| path.flow == flow).unwrap_or_else(|| {
            let state = State::Valid;
            self.paths.push(Path { flow, source, destination, state, waiting: Vec::new() });
            self.paths.len() - 1
        });
        &mut self.paths[found]
    }
}

impl Path {
    /// A signal to the source.
    fn say(&self, kind: SignalKind, sequence: u64) -> Action {
        let Self { flow, source, destination, .. } = *self;
        Action::Signal { flow, to: source, signal: Signal { kind, source, destination, sequence } }
    }

    fn disconnected(&self, sequence: u64) -> Action {
        self.say(SignalKind::Disconnected, sequence)
    }

    /// Asks the receiver what it expects.
    fn query(&self) -> Action {
        let first = match self.state {
            State::Pivot { first, .. } => first,
            State::Valid | State::Waiting { .. } => 0,
        };
        let segment = Segment { seq: first.wrapping_sub(1), flags: flags::ACK, ..Segment::default() };
        Action::Send { flow: self.flow, from: self.source, to: self.destination, segment }
    }

    fn keep(&mut self, packet: PacketId, seq: u64) {
        let place = self.waiting.partition_point(|&(other, _)| other <= seq);
        self.waiting.insert(place, (seq, packet));
    }

    /// What waits goes on, but for what the receiver has.
    fn open(&mut self, cx: &mut Cx<'_>, expected: u64, out: &mut Vec<Action>) {
        self.state = State::Valid;
        for (seq, packet) in self.waiting.drain(..) {
            if seq < expected {
                cx.packets.end(packet, Fate::Absorbed(Absorbed::Proxy));
            } else {
                out.push(Action::Forward(packet));
            }
        }
    }
}
