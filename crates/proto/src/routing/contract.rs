//! What every routing machine speaks.

use std::sync::Arc;

use super::dsdv::Dsdv;
use super::fixed::FixedRoutes;
use crate::port::{Cx, Dropped, Notice, Sink};
use crate::units::{NodeId, SimTime};
use crate::wire::{Packet, PacketId, RouteAdvert};

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
    /// A packet for which [`Routing::next_hop`] knew nothing; it is routing's from now on.
    NoRoute {
        /// The packet.
        packet: PacketId,
    },
    /// A packet that the queue keeps has lost its route. It stays there, and this comes again whenever the queue
    /// would send it; [`Notice::RouteFound`] makes the queue try.
    RouteWanted {
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

/// A routing machine from outside this crate: experiments and tests.
pub trait CustomRouting: std::fmt::Debug + Send {
    /// The neighbour to which this packet goes now.
    fn next_hop(&self, packet: &Packet) -> Option<NodeId>;
    /// Takes one input.
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut dyn Sink<Action>);
    /// The packets that wait here for a route.
    fn packets(&self) -> &[PacketId];
}

/// The routing machines.
#[derive(Debug)]
pub enum Routing {
    /// Routes computed beforehand.
    Fixed(FixedRoutes),
    /// Destination-sequenced distance vector.
    Dsdv(Box<Dsdv>),
    /// One from outside.
    Custom(Box<dyn CustomRouting>),
}

impl Routing {
    /// The neighbour to which this packet goes now.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, packet: &Packet) -> Option<NodeId> {
        match self {
            Self::Fixed(fixed) => fixed.next_hop(packet.destination),
            Self::Dsdv(dsdv) => dsdv.next_hop(packet.destination),
            Self::Custom(custom) => custom.next_hop(packet),
        }
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        match self {
            Self::Fixed(fixed) => fixed.handle(cx, &input, out),
            Self::Dsdv(dsdv) => dsdv.handle(cx, input, out),
            Self::Custom(custom) => custom.handle(cx, input, out),
        }
    }

    /// How often a route was lost because the neighbour that it led through was gone.
    #[must_use]
    pub fn routes_lost(&self) -> u64 {
        match self {
            Self::Fixed(_) | Self::Custom(_) => 0,
            Self::Dsdv(dsdv) => dsdv.routes_lost(),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("routing.routes-lost", self.routes_lost());
    }

    /// The packets that wait here for a route.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        let (buffered, foreign) = match self {
            Self::Fixed(_) => (None, None),
            Self::Dsdv(dsdv) => (Some(dsdv.packets()), None),
            Self::Custom(custom) => (None, Some(custom.packets().iter().copied())),
        };
        buffered.into_iter().flatten().chain(foreign.into_iter().flatten())
    }
}
