//! An oracle for receivers that want to know beforehand when they are cut off (Freeze-TCP): it reads the scenario's
//! events, and asks whether a flow would still have a way.

use multihop_proto::node::Input;
use multihop_proto::routing::RoutingKind;
use multihop_proto::shim::ShimKind;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};

use super::Network;
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

/// A receiver is to hear, at an instant, of what happens at a later one.
#[derive(Clone, Copy, Debug)]
struct Warning {
    at: SimTime,
    flow: usize,
    of: SimTime,
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
}

/// Whether something that happens may cut off a flow.
const fn takes_away(what: &Happening) -> bool {
    matches!(what, Happening::Power(_, false) | Happening::Cut(_, _, true))
}

impl Network {
    /// Receivers hear of what will cut them off.
    pub(super) fn warn(&mut self) {
        let now = self.world.now;
        while let Some(Warning { flow, of, .. }) = self.outage_oracle.take_due(now) {
            let told = self.outage_oracle.flows[flow].cut_off.is_some();
            if !told && self.has_way(flow, now) && !self.has_way(flow, of) {
                self.tell_outage(flow, Some(of));
            }
        }
    }

    /// Receivers that were cut off and have a way again hear of it: something has come back, or a node has moved.
    pub(super) fn give_all_clear(&mut self) {
        let now = self.world.now;
        self.outage_oracle.look_at = SimTime::MAX;
        for flow in 0..self.outage_oracle.flows.len() {
            if self.outage_oracle.flows[flow].cut_off.is_none_or(|at| at > now) {
                continue;
            }
            if !self.has_way(flow, now) {
                if self.links.moves() {
                    self.outage_oracle.look_at = now + LOOK;
                }
                continue;
            }
            match self.next_cut(flow) {
                Some(at) => self.outage_oracle.flows[flow].cut_off = Some(at), // sooner than it could be told again
                None => self.tell_outage(flow, None),
            }
        }
    }

    /// When a flow is cut off again, if that is within the time of a warning.
    fn next_cut(&mut self, flow: usize) -> Option<SimTime> {
        let now = self.world.now;
        let Watched { early, stop, .. } = self.outage_oracle.flows[flow];
        let soon = self.outage_oracle.between(now, now + early).iter();
        let at: Vec<_> =
            soon.filter(|(at, what)| takes_away(what) && *at < stop).map(|&(at, _)| at).collect();
        at.into_iter().find(|&at| !self.has_way(flow, at))
    }

    fn tell_outage(&mut self, flow: usize, cut_off: Option<SimTime>) {
        let watched = &mut self.outage_oracle.flows[flow];
        watched.cut_off = cut_off;
        let (to, id) = (watched.to, watched.id);
        self.tell(to, Input::Outage(id, cut_off.is_some()));
    }

    /// Whether there is a way from the source of a flow to its destination after all that happens until an instant, if
    /// no node moved meanwhile.
    fn has_way(&mut self, flow: usize, at: SimTime) -> bool {
        let Self { outage_oracle, links, nodes, world, .. } = self;
        let now = world.now;
        let ahead = outage_oracle.between(now, at);
        let Watched { from, to, path, .. } = &outage_oracle.flows[flow];
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
            !last.unwrap_or_else(|| links.is_cut(one, other)) && links.joins(one, other, now)
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
