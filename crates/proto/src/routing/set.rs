//! The set of routing machines.

use super::aodv::Aodv;
use super::contract::{Action, Awaited, Decision, Disposal, GivenUp, Input, Provenance, Routing};
use super::dsdv::Dsdv;
use super::dsr::Dsr;
use super::fixed::FixedRoutes;
use super::frn::FrnRouting;
use super::multipath::Multipath;
use crate::contract::{Cx, NextHopChoice, NextHops};
use crate::units::{NodeId, SimTime};
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

impl NextHops for AnyRouting {
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        if let Self::Frn(frn) = self { frn.next_hops(destination) } else { &[] }
    }
}
