//! Node 1 under test, its neighbours 2 and 3, and what lies behind them.

use std::sync::Arc;

use crate::routing::DsdvConfig;
use crate::routing::contract::{Action, Input};
use crate::routing::dsdv::{Dsdv, INFINITY};
use crate::testing::cx;
use crate::units::{Dur, Entity, NodeId, Purpose, Rng, SimTime};
use crate::wire::{PacketStore, RouteAdvert};

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
        rig.feed(SimTime::ZERO, Input::Start);
        rig.feed(SimTime::ZERO, Input::Timer);
        rig
    }

    pub(super) fn feed(&mut self, now: SimTime, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        self.dsdv.handle(&mut cx(now, &mut self.packets), input, &mut out);
        out
    }

    /// The next hop, metric and number of a route.
    pub(super) fn route(&self, destination: u32) -> Option<(u32, u32, u32)> {
        let route = self.dsdv.table().route(NodeId(destination))?;
        Some((route.next_hop.0, route.metric, route.sequence))
    }
}

/// Lines as (destination, metric, sequence number).
pub(super) fn lines(lines: &[(u32, u32, u32)]) -> Arc<[RouteAdvert]> {
    lines
        .iter()
        .map(|&(destination, metric, sequence)| RouteAdvert {
            destination: NodeId(destination),
            metric,
            sequence,
        })
        .collect()
}

/// An update from a neighbour.
pub(super) fn hear(from: u32, what: &[(u32, u32, u32)]) -> Input {
    Input::Adverts { from: NodeId(from), adverts: lines(what) }
}

/// An update of this node.
pub(super) fn tell(what: &[(u32, u32, u32)]) -> Action {
    Action::Broadcast(lines(what))
}

/// The timer, in seconds.
pub(super) fn arm(at: &str) -> Action {
    Action::Arm(crate::testing::instant(&format!("{at} s")))
}
