//! What every routing machine speaks.

use std::sync::Arc;

use super::dsdv::Dsdv;
use super::fixed::FixedRoutes;
use crate::port::{Cx, Dropped, Notice, Sink};
use crate::units::{NodeId, SimTime};
use crate::wire::{PacketId, RouteAdvert};

/// What a routing machine is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The node starts.
    Start,
    /// The node goes down: the table is lost.
    Stop,
    /// The timer fires (it may fire early).
    Timer,
    /// A routing message from a neighbour.
    Adverts {
        /// The neighbour.
        from: NodeId,
        /// Its lines.
        adverts: Arc<[RouteAdvert]>,
    },
    /// The MAC gave up on a neighbour.
    LinkFailed {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// A packet for which [`Routing::next_hop`] knew nothing.
    NoRoute {
        /// The packet.
        packet: PacketId,
    },
}

/// What a routing machine asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Broadcast these lines to the neighbours.
    Broadcast(Arc<[RouteAdvert]>),
    /// Wake me at this instant; replaces an earlier request.
    Arm(SimTime),
    /// A packet that waited for a route can go to this neighbour.
    Forward {
        /// The packet.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
    },
    /// A packet was lost here.
    Dropped(Dropped),
    /// Other layers should know.
    Notice(Notice),
}

/// The routing machines.
#[derive(Clone, Debug)]
pub enum Routing {
    /// Routes computed beforehand.
    Fixed(FixedRoutes),
    /// Destination-sequenced distance vector.
    Dsdv(Box<Dsdv>),
}

impl Routing {
    /// The neighbour to which packets for `destination` go now.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        match self {
            Self::Fixed(fixed) => fixed.next_hop(destination),
            Self::Dsdv(dsdv) => dsdv.next_hop(destination),
        }
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        match self {
            Self::Fixed(fixed) => fixed.handle(cx, &input, out),
            Self::Dsdv(dsdv) => dsdv.handle(cx, input, out),
        }
    }

    /// How often a route was lost because the neighbour that it led through was gone.
    #[must_use]
    pub fn routes_lost(&self) -> u64 {
        match self {
            Self::Fixed(_) => 0,
            Self::Dsdv(dsdv) => dsdv.routes_lost(),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("routing.routes-lost", self.routes_lost());
    }

    /// Packets that wait here for a route.
    #[must_use]
    pub fn waiting(&self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Dsdv(dsdv) => dsdv.waiting(),
        }
    }
}
