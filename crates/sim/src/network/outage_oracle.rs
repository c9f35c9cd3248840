//! An oracle for receivers that want to know beforehand when they are cut off (Freeze-TCP): it reads the scenario's
//! events, and asks whether a flow would still have a way.

use multihop_proto::node::Node;
use multihop_proto::routing::RoutingKind;
use multihop_proto::shim::ShimKind;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};

use crate::air::Links;
use crate::check::paths::Costs;
use crate::scenario::{Happening, Resolved};
use crate::traffic::Transport;

/// How often, while nodes move, it is looked whether a flow that was cut off has a way again.
const LOOK: Dur = Dur::from_secs(1);

/// A flow whose receiver is told.
#[derive(Clone, Debug)]
struct Watched {
    id: FlowId,
    from: NodeId,
    to: NodeId,
    /// How long before it is cut off it is told.
    early: Dur,
    /// When it ends: of what happens from then on it is not told.
    stop: SimTime,
    /// Its only path, where routes are fixed.
    path: Option<Vec<NodeId>>,
    /// When it is cut off, once it knows; none as soon as it knows that this is over.
    cut_off: Option<SimTime>,
}

impl Watched {
    /// It is about to be cut off at this instant, or has a way again.
    const fn learn(&mut self, cut_off: Option<SimTime>) -> Prophecy {
        self.cut_off = cut_off;
        Prophecy { receiver: self.to, flow: self.id, ahead: cut_off.is_some() }
    }
}

/// A receiver is to hear, at an instant, of what happens at a later one.
#[derive(Clone, Copy, Debug)]
struct Warning {
    at: SimTime,
    flow: usize,
    of: SimTime,
}

/// What the oracle looks at.
pub(super) struct Present<'a> {
    pub(super) now: SimTime,
    pub(super) nodes: &'a [Node],
    pub(super) links: &'a mut Links,
}

/// A receiver is to be told that it is about to be cut off, or that it has a way again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prophecy {
    pub(super) receiver: NodeId,
    pub(super) flow: FlowId,
    /// Whether it is about to be cut off.
    pub(super) ahead: bool,
}

/// What the oracle has to say, in the order of time.
#[derive(Clone, Debug)]
pub(super) struct OutageOracle {
    flows: Vec<Watched>,
    warnings: Vec<Warning>,
    next: usize,
    /// Nodes and links that come and go.
    events: Vec<(SimTime, Happening)>,
    /// When to look whether a node has walked back.
    look_at: SimTime,
}

impl OutageOracle {
    /// What the flows with Freeze-TCP want to know of the events of this scenario.
    pub(super) fn new(scenario: &Resolved, costs: &Costs<'_>) -> Self {
        let config = &scenario.config;
        let comes_or_goes = |what: &Happening| matches!(what, Happening::Power(..) | Happening::Cut(..));
        let events: Vec<_> =
            scenario.events.iter().filter(|(_, what)| comes_or_goes(what)).copied().collect();
        let mut flows = Vec::new();
        let mut warnings = Vec::new();
        for flow in scenario.flows.iter().filter(|flow| flow.transport == Transport::Tcp) {
            let shim = flow.config.shim(&config.shim);
            let early = shim.freeze_tcp.warning;
            if shim.kind != ShimKind::FreezeTcp || early == Dur::ZERO {
                continue;
            }
            let mut of: Vec<_> =
                events.iter().filter(|(_, what)| takes_away(what)).map(|&(at, _)| at).collect();
            of.retain(|&at| at < flow.stop);
            of.dedup();
            let warning = |of: SimTime| Warning {
                at: SimTime::ZERO + of.saturating_since(SimTime::ZERO + early),
                flow: flows.len(),
                of,
            };
            warnings.extend(of.into_iter().map(warning));
            let path = (config.routing.kind == RoutingKind::Static).then(|| costs.path(flow.from, flow.to));
            let (id, from, to, stop) = (flow.id, flow.from, flow.to, flow.stop);
            flows.push(Watched { id, from, to, early, stop, path, cut_off: None });
        }
        warnings.sort_by_key(|warning| warning.at);
        Self { flows, warnings, next: 0, events, look_at: SimTime::MAX }
    }

    /// When it has something to say, or to look at.
    pub(super) fn next_at(&self) -> SimTime {
        self.warnings.get(self.next).map_or(SimTime::MAX, |warning| warning.at).min(self.look_at)
    }

    fn take_due(&mut self, now: SimTime) -> Option<Warning> {
        let &warning = self.warnings.get(self.next).filter(|warning| warning.at <= now)?;
        self.next += 1;
        Some(warning)
    }

    /// What happens after an instant and not after another, in the order of time.
    fn between(&self, after: SimTime, until: SimTime) -> &[(SimTime, Happening)] {
        let place = |at| self.events.partition_point(|&(of, _)| of <= at);
        &self.events[place(after)..place(until).max(place(after))]
    }
    /// What is to be told now: first to receivers that have a way again, as something has come back or a node has
    /// moved; then to those that will be cut off.
    pub(super) fn consult(&mut self, present: &mut Present<'_>) -> Vec<Prophecy> {
        let mut told = Vec::new();
        self.give_all_clear(present, &mut told);
        self.warn(present, &mut told);
        told
    }

    /// Receivers hear of what will cut them off.
    fn warn(&mut self, present: &mut Present<'_>, told: &mut Vec<Prophecy>) {
        let now = present.now;
        while let Some(Warning { flow, of, .. }) = self.take_due(now) {
            let knows = self.flows[flow].cut_off.is_some();
            if !knows && self.has_way(present, flow, now) && !self.has_way(present, flow, of) {
                told.push(self.flows[flow].learn(Some(of)));
            }
        }
    }

    /// Receivers that were cut off and have a way again hear of it.
    fn give_all_clear(&mut self, present: &mut Present<'_>, told: &mut Vec<Prophecy>) {
        let now = present.now;
        self.look_at = SimTime::MAX;
        for flow in 0..self.flows.len() {
            if self.flows[flow].cut_off.is_none_or(|at| at > now) {
                continue;
            }
            if !self.has_way(present, flow, now) {
                if present.links.moves() {
                    self.look_at = now + LOOK;
                }
                continue;
            }
            match self.next_cut(present, flow) {
                Some(at) => self.flows[flow].cut_off = Some(at), // sooner than it could be told again
                None => told.push(self.flows[flow].learn(None)),
            }
        }
    }

    /// When a flow is cut off again, if that is within the time of a warning.
    fn next_cut(&self, present: &mut Present<'_>, flow: usize) -> Option<SimTime> {
        let Watched { early, stop, .. } = self.flows[flow];
        let soon = self.between(present.now, present.now + early).iter();
        let mut at = soon.filter(|(at, what)| takes_away(what) && *at < stop).map(|&(at, _)| at);
        at.find(|&at| !self.has_way(present, flow, at))
    }

    /// Whether there is a way from the source of a flow to its destination after all that happens until an instant, if
    /// no node moved meanwhile.
    fn has_way(&self, present: &mut Present<'_>, flow: usize, at: SimTime) -> bool {
        let Present { now, nodes, links } = present;
        let ahead = self.between(*now, at);
        let Watched { from, to, path, .. } = &self.flows[flow];
        let is_up = |node: NodeId| {
            let last = ahead.iter().rev().find_map(|&(_, what)| match what {
                Happening::Power(other, up) if other == node => Some(up),
                _ => None,
            });
            last.unwrap_or_else(|| nodes[node.index()].is_up())
        };
        let mut joins = |one: NodeId, other: NodeId| {
            let last = ahead.iter().rev().find_map(|&(_, what)| match what {
                Happening::Cut(from, to, cut) if (from, to) == (one, other) => Some(cut),
                _ => None,
            });
            !last.unwrap_or_else(|| links.is_cut(one, other)) && links.joins(one, other, *now)
        };
        if !is_up(*from) || !is_up(*to) {
            return false;
        }
        if let Some(path) = path {
            let mut hops = path.windows(2);
            return !path.is_empty()
                && path.iter().all(|&node| is_up(node))
                && hops.all(|hop| joins(hop[0], hop[1]) && joins(hop[1], hop[0]));
        }
        let all = (0..nodes.len() as u32).map(NodeId); // node counts are 32-bit
        let mut left: Vec<NodeId> = all.filter(|&node| node != *from && is_up(node)).collect();
        let mut reached = vec![*from];
        while let Some(here) = reached.pop() {
            if here == *to {
                return true;
            }
            reached.extend(left.extract_if(.., |there| joins(here, *there)));
        }
        false
    }
}

/// Whether something that happens may cut off a flow.
const fn takes_away(what: &Happening) -> bool {
    matches!(what, Happening::Power(_, false) | Happening::Cut(_, _, true))
}
