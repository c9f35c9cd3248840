//! The set of routing machines.

use std::sync::Arc;

use super::aodv::{Aodv, AodvConfig};
use super::config::{RoutingConfig, RoutingKind};
use super::contract::{Action, Awaited, Decision, Disposal, GivenUp, Input, Provenance, Routing};
use super::dsdv::Dsdv;
use super::dsr::Dsr;
use super::fixed::{FixedRoutes, RouteTable};
use super::frn::FrnRouting;
use super::multipath::{Multipath, PathTable};
use crate::contract::{Cx, NextHopChoice, NextHops};
use crate::units::{NodeId, Rng, SimTime};
use crate::wire::{Packet, PacketId};

dispatch! {
    /// One routing machine of the set.
    #[derive(Debug)]
    pub enum AnyRouting: Routing {
        /// Routes computed beforehand.
        Fixed(FixedRoutes),
        /// Destination-sequenced distance vector.
        Dsdv(Box<Dsdv>),
        /// Dynamic Source Routing.
        Dsr(Box<Dsr>),
        /// Ad hoc on-demand distance vector.
        Aodv(Box<Aodv>),
        /// The Flexible Radio Network's.
        Frn(Box<FrnRouting>),
        /// Several routes computed beforehand, in turn.
        Multipath(Box<Multipath>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Routing>),
    }

    fn known(&mut self, now: SimTime, packet: &Packet, provenance: Provenance) -> Option<NodeId>;
    fn next_hop(&self, now: SimTime, destination: NodeId) -> Option<NodeId>;
    fn route(&mut self, cx: &mut Cx<'_>, packet: PacketId, from: Provenance, out: &mut Vec<Action>) -> Decision;
    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal;
    fn is_known_flood(&mut self, cx: &Cx<'_>, packet: PacketId, from: NodeId) -> bool;
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>);
    fn overhears(&self) -> bool;
    fn resolves(&self) -> bool;
    fn packets(&self) -> Vec<PacketId>;
    fn awaited(&self) -> Vec<Awaited>;
    fn asks_for(&self, destination: NodeId) -> bool;
    fn routes_lost(&self) -> u64;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

/// What the routing of all nodes shares: configuration, and routes computed before the run.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// How nodes use AODV: in one place, because every reception reads it.
    pub aodv: Arc<AodvConfig>,
    /// One next hop to each destination.
    pub fixed: Arc<RouteTable>,
    /// All next hops, where they are used in turn.
    pub several: Arc<PathTable>,
}

impl AnyRouting {
    /// The routing of a node; `jitter` gives its random numbers.
    #[must_use]
    pub fn new(config: &RoutingConfig, id: NodeId, shared: &Shared, jitter: impl FnOnce() -> Rng) -> Self {
        match config.kind {
            RoutingKind::Static => Self::Fixed(FixedRoutes::new(id, Arc::clone(&shared.fixed))),
            RoutingKind::Multipath => {
                let paths = config.multipath.paths;
                Self::Multipath(Box::new(Multipath::new(id, Arc::clone(&shared.several), paths)))
            }
            RoutingKind::Dsdv => Self::Dsdv(Box::new(Dsdv::new(config.dsdv.clone(), id, jitter()))),
            RoutingKind::Dsr => {
                Self::Dsr(Box::new(Dsr::new(config.dsr.clone(), id, config.header, jitter())))
            }
            RoutingKind::Aodv => {
                let aodv = Aodv::new(Arc::clone(&shared.aodv), id, jitter());
                Self::Aodv(Box::new(aodv.with_hop_limit(config.hop_limit)))
            }
            RoutingKind::Frn => Self::Frn(Box::new(FrnRouting::new(config.frn.clone(), id, jitter()))),
        }
    }
}

impl NextHops for AnyRouting {
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        if let Self::Frn(frn) = self { frn.next_hops(destination) } else { &[] }
    }
}
