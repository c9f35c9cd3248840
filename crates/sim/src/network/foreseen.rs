//! An oracle for receivers that want to know beforehand when they are cut off (Freeze-TCP): it reads the scenario's events, and
//! asks whether a flow would still have a way.

use multihop_proto::node::Input;
use multihop_proto::routing::RoutingKind;
use multihop_proto::shim::ShimKind;
use multihop_proto::units::{Dur, NodeId, SimTime};

use super::Network;
use super::routes::{ranks, shortest_path};
use crate::air::Links;
use crate::scenario::{Happening, Resolved};
use crate::traffic::Transport;

/// How often, while nodes move, it is looked whether a flow that was cut off has a way again.
const LOOK: Dur = Dur::from_secs(1);

/// A flow whose receiver is told.
#[derive(Clone, Debug)]
struct Watched {
    from: NodeId,
    to: NodeId,
    /// Its only path, where routes are fixed.
    path: Option<Vec<NodeId>>,
    /// When it is cut off, of which it has been told; none once it has been told that this is over.
    cut_off: Option<SimTime>,
}

/// What the oracle has to say, in the order of time.
#[derive(Clone, Debug)]
pub(super) struct Foreseen {
    flows: Vec<Watched>,
    warnings: Vec<Warning>,
    next: usize,
    /// When to look whether somebody has walked back.
    look_at: SimTime,
}

/// What would cut off a flow.
#[derive(Clone, Copy, Debug)]
struct Warning {
    /// When its receiver is told.
    at: SimTime,
    flow: usize,
    happens: (SimTime, Happening),
}

impl Foreseen {
    /// What the flows with Freeze-TCP want to know of the events of this scenario.
    pub(super) fn new(scenario: &Resolved, links: &Links) -> Self {
        let config = &scenario.config;
        let mut foreseen = Self { flows: Vec::new(), warnings: Vec::new(), next: 0, look_at: SimTime::MAX };
        let names: Vec<&str> = scenario.nodes.iter().map(|place| place.name.as_str()).collect();
        for flow in scenario.flows.iter().filter(|flow| flow.transport == Transport::Tcp) {
            let shim = flow.config.shim(&config.shim);
            let early = shim.freeze_tcp.warning;
            if shim.kind != ShimKind::FreezeTcp || early.as_ns() == 0 {
                continue;
            }
            let path = (config.routing.kind == RoutingKind::Static)
                .then(|| shortest_path(links, &ranks(&names), flow.from, flow.to));
            let index = foreseen.flows.len();
            foreseen.flows.push(Watched { from: flow.from, to: flow.to, path, cut_off: None });
            for &(at, what) in &scenario.events {
                if matches!(what, Happening::Power(_, false) | Happening::Cut(_, _, true)) {
                    let begin = SimTime::ZERO + at.saturating_since(SimTime::ZERO + early);
                    foreseen.warnings.push(Warning { at: begin, flow: index, happens: (at, what) });
                }
            }
        }
        foreseen.warnings.sort_by_key(|warning| warning.at);
        foreseen
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
}

impl Network {
    /// Receivers hear of what will cut them off.
    pub(super) fn warn(&mut self) {
        while let Some(Warning { flow, happens: (at, what), .. }) = self.foreseen.take_due(self.world.now) {
            if self.has_way(flow, None) && !self.has_way(flow, Some(what)) {
                self.foreseen.flows[flow].cut_off.get_or_insert(at);
                self.tell(self.foreseen.flows[flow].to, Input::Outage(true));
            }
        }
    }

    /// Receivers that were cut off and have a way again hear of it: something has come back, or somebody has moved.
    pub(super) fn give_all_clear(&mut self) {
        let now = self.world.now;
        self.foreseen.look_at = SimTime::MAX;
        for flow in 0..self.foreseen.flows.len() {
            if self.foreseen.flows[flow].cut_off.is_none_or(|at| at > now) {
                continue;
            }
            if self.has_way(flow, None) {
                self.foreseen.flows[flow].cut_off = None;
                self.tell(self.foreseen.flows[flow].to, Input::Outage(false));
            } else if self.links.moves() {
                self.foreseen.look_at = now + LOOK;
            }
        }
    }

    /// Whether there is a way from the source of a flow to its destination now, or would be if this happened.
    fn has_way(&self, flow: usize, but: Option<Happening>) -> bool {
        let Watched { from, to, path, .. } = &self.foreseen.flows[flow];
        let now = self.world.now;
        let mut links = self.links.clone(); // what is on the air keeps its listeners
        let is_up = |node: NodeId| {
            let falls = matches!(but, Some(Happening::Power(other, false)) if other == node);
            self.nodes[node.index()].is_up() && !falls
        };
        let mut next_to = |here: NodeId| -> Vec<NodeId> {
            let falls = |there| but == Some(Happening::Cut(here, there, true));
            links
                .begin(here, now)
                .iter()
                .filter(|link| link.decodable)
                .map(|link| link.to)
                .filter(|&there| is_up(there) && !falls(there))
                .collect()
        };
        if !is_up(*from) {
            return false;
        }
        if let Some(path) = path {
            let mut hops = path.windows(2);
            return !path.is_empty()
                && hops.all(|hop| next_to(hop[0]).contains(&hop[1]) && next_to(hop[1]).contains(&hop[0]));
        }
        let mut seen = vec![*from];
        let mut place = 0;
        while let Some(&here) = seen.get(place) {
            place += 1;
            for there in next_to(here) {
                if !seen.contains(&there) {
                    seen.push(there);
                }
            }
        }
        seen.contains(to)
    }
}
