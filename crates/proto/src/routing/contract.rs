//! What every routing machine speaks.
//!
//! A packet is in the custody of one machine of the node at a time. Routing gets it with [`Input::Message`], by
//! answering [`Decision::Waiting`] or [`Disposal::Taken`]; it gives it away with [`Action::Forward`], or ends it: as
//! delivered, or lost for a reason.

use std::sync::Arc;

use super::aodv::Aodv;
use super::dsdv::Dsdv;
use super::dsr::Dsr;
use super::fixed::FixedRoutes;
use super::frn::FrnRouting;
use super::multipath::Multipath;
use crate::contract::{Cx, Dropped, NextHopChoice, NextHops, Notice, Overheard, Sink};
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Packet, PacketId, Protocol, Signal};

/// Whence a packet comes for which the node asks the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// This node has made it, or an agent in it lets it go on.
    Here,
    /// A neighbour has sent it, to be passed on; its hop limit has been lowered.
    Neighbour(NodeId),
    /// The MAC gave it up on its way to this neighbour, the queue kept it, and its turn has come again.
    Kept(NodeId),
    /// It waited in the queue for this neighbour until [`Action::Withdraw`].
    Withdrawn(NodeId),
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// To this neighbour.
    To(NodeId),
    /// It waits for a route, in the custody of the machine.
    Waiting,
    /// Nowhere: it is lost.
    Refused(DropReason),
    /// It stays in the queue that has kept it, and gives way to others until routing has heard something new. An
    /// answer for [`Provenance::Kept`] only.
    Stays,
}

/// A packet that the MAC or address resolution has given up, before the queue disposes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The packet; a queue still has it.
    pub packet: PacketId,
    /// The neighbour that it did not reach.
    pub to: NodeId,
    /// For what it would be lost.
    pub reason: DropReason,
}

/// What happens to a packet that the MAC has given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposal {
    /// What the queue's own rule says.
    Leave,
    /// The queue keeps it, whatever its rule says.
    Keep,
    /// The machine takes it into custody: to send it another way, or to let it wait.
    Taken,
}

/// What a routing machine is told. It may end, keep or forward the packets in its custody meanwhile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// The node starts.
    Start,
    /// The node goes down: the table is lost, and every packet in custody.
    Stop,
    /// The timer fires (it may fire early).
    Timer,
    /// A routing message has come, into the custody of the machine.
    Message {
        /// The packet.
        packet: PacketId,
        /// The neighbour that sent it.
        from: NodeId,
    },
    /// Somebody in this node wants a route to a destination, and has no packet to send there now: a machine that looks for
    /// routes asks for one, or says that there is one.
    Wanted(NodeId),
    /// A frame for somebody else was heard; only for machines that ask for it.
    Overheard(Overheard),
}

/// A routing message to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Whose.
    pub protocol: Protocol,
    /// What follows the headers of IP and, for some protocols, UDP.
    pub body: Arc<[u8]>,
    /// Length with these headers, as far as the model counts them.
    pub size: Bytes,
    /// The address in its IP header.
    pub destination: NodeId,
    /// The next hop, or `NodeId::BROADCAST`.
    pub to: NodeId,
    /// Hop limit.
    pub ttl: u8,
    /// It is made, and goes to the queue, after this time.
    pub delay: Dur,
}

/// What a routing machine asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Send a message.
    Send(Outgoing),
    /// A packet in the machine's custody goes to this neighbour, or to all.
    Forward {
        /// The packet.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
        /// It goes to the queue after this time.
        delay: Dur,
    },
    /// Take out of the interface queue all that waits for this neighbour, the frame in service excepted. The node then
    /// asks the way of each packet anew, in the order of the queue.
    Withdraw {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// Send a signal to an end or a relay of a flow.
    Signal {
        /// The flow.
        flow: FlowId,
        /// Who shall have it.
        to: NodeId,
        /// What it says.
        signal: Signal,
    },
    /// Wake me at this instant; replaces an earlier request.
    Arm(SimTime),
    /// A packet was lost here.
    Dropped(Dropped),
    /// Other layers of this node should know.
    Notice(Notice),
}

/// A routing machine from outside this crate: experiments and tests.
pub trait CustomRouting: std::fmt::Debug + Send {
    /// Decides on a packet, before its actions are carried out.
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut dyn Sink<Action>,
    ) -> Decision;

    /// Hears that the MAC has given a packet up, and says what becomes of it.
    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut dyn Sink<Action>) -> Disposal;

    /// Takes one input.
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut dyn Sink<Action>);

    /// Whether it wants to hear frames that are meant for others; asked once.
    fn overhears(&self) -> bool {
        false
    }

    /// The packets in its custody.
    fn packets(&self) -> Vec<PacketId>;
}

/// The routing machines.
#[derive(Debug)]
pub enum Routing {
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
    /// One from outside.
    Custom(Box<dyn CustomRouting>),
}

impl Routing {
    /// The neighbour to which a packet goes, where a look into a table says it: the short way to [`Self::route`]'s
    /// answer.
    #[inline]
    #[must_use]
    pub fn known(&mut self, now: SimTime, packet: &Packet, provenance: Provenance) -> Option<NodeId> {
        match self {
            Self::Fixed(fixed) => fixed.next_hop(packet.destination),
            Self::Dsdv(dsdv) => dsdv.next_hop(packet.destination),
            Self::Aodv(aodv) => aodv.known(now, packet, provenance),
            Self::Frn(frn) => frn.next_hop(packet.destination),
            Self::Multipath(multipath) => multipath.take_turn(packet.destination),
            Self::Dsr(_) | Self::Custom(_) => None,
        }
    }

    /// The neighbour through which a destination can be reached now, where there is one way for all packets; asking
    /// changes nothing.
    #[must_use]
    pub fn next_hop(&mut self, now: SimTime, destination: NodeId) -> Option<NodeId> {
        match self {
            Self::Fixed(fixed) => fixed.next_hop(destination),
            Self::Dsdv(dsdv) => dsdv.next_hop(destination),
            Self::Aodv(aodv) => aodv.table_mut().valid(now, destination).map(|route| route.next_hop),
            Self::Multipath(multipath) => multipath.next_hop(destination),
            Self::Dsr(dsr) => dsr.way_to(now, destination)?.get(1).copied(),
            Self::Frn(frn) => frn.next_hop(destination),
            Self::Custom(_) => None,
        }
    }

    /// Decides where a packet goes.
    pub fn route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut S,
    ) -> Decision {
        match self {
            Self::Fixed(fixed) => fixed.route(cx.packets[packet].destination, provenance),
            Self::Dsdv(dsdv) => match dsdv.next_hop(cx.packets[packet].destination) {
                Some(to) => Decision::To(to),
                None => dsdv.without_route(cx, packet, provenance, out),
            },
            Self::Dsr(dsr) => dsr.route(cx, packet, provenance, out),
            Self::Aodv(aodv) => aodv.route(cx, packet, provenance, out),
            Self::Frn(frn) => frn.route(cx.packets[packet].destination, provenance),
            Self::Multipath(multipath) => multipath.route(cx.packets[packet].destination, provenance),
            Self::Custom(custom) => custom.route(cx, packet, provenance, out),
        }
    }

    /// Hears that the MAC has given a packet up, and says what becomes of it.
    pub fn given_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut S) -> Disposal {
        match self {
            Self::Fixed(_) | Self::Frn(_) | Self::Multipath(_) => Disposal::Leave,
            Self::Dsdv(dsdv) => dsdv.given_up(cx.now, given_up.to, out),
            Self::Dsr(dsr) => dsr.given_up(cx, given_up, out),
            Self::Aodv(aodv) => aodv.given_up(cx, given_up, out),
            Self::Custom(custom) => custom.given_up(cx, given_up, out),
        }
    }

    /// Whether a packet on the air, sent by this neighbour to all, is a message that has come before: to take it in would
    /// change nothing.
    #[inline]
    #[must_use]
    pub fn is_known_flood(&mut self, cx: &Cx<'_>, packet: PacketId, from: NodeId) -> bool {
        match self {
            Self::Aodv(aodv) => aodv.is_known_flood(cx, packet, from),
            _ => false,
        }
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        match self {
            Self::Fixed(_) | Self::Multipath(_) => FixedRoutes::handle(cx, input, out),
            Self::Dsdv(dsdv) => dsdv.handle(cx, input, out),
            Self::Dsr(dsr) => dsr.handle(cx, input, out),
            Self::Aodv(aodv) => aodv.handle(cx, input, out),
            Self::Frn(frn) => frn.handle(cx, input, out),
            Self::Custom(custom) => custom.handle(cx, input, out),
        }
    }

    /// How often a destination to which there was a route became unreachable, whatever told of it: one for every
    /// [`Notice::RouteLost`]. A route that nobody uses and whose time ends is not lost.
    #[must_use]
    pub fn routes_lost(&self) -> u64 {
        match self {
            Self::Fixed(_) | Self::Multipath(_) | Self::Custom(_) => 0,
            Self::Dsdv(dsdv) => dsdv.routes_lost(),
            Self::Dsr(dsr) => dsr.counters().routes_lost,
            Self::Aodv(aodv) => aodv.counters().routes_lost,
            Self::Frn(frn) => frn.routes_lost(),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("routing.routes-lost", self.routes_lost());
        if let Self::Dsdv(dsdv) = self {
            dsdv.counters().each(tell);
        }
        if let Self::Dsr(dsr) = self {
            dsr.counters().each(tell);
        }
        if let Self::Aodv(aodv) = self {
            aodv.counters().each(tell);
        }
        if let Self::Multipath(multipath) = self {
            tell("multipath.spread", multipath.spread());
        }
    }

    /// Whether it wants to hear frames that are meant for others.
    #[must_use]
    pub fn overhears(&self) -> bool {
        match self {
            Self::Fixed(_) | Self::Dsdv(_) | Self::Aodv(_) | Self::Frn(_) | Self::Multipath(_) => false,
            Self::Dsr(dsr) => dsr.overhears(),
            Self::Custom(custom) => custom.overhears(),
        }
    }

    /// The packets in its custody.
    #[must_use]
    pub fn packets(&self) -> Vec<PacketId> {
        match self {
            Self::Fixed(_) | Self::Frn(_) | Self::Multipath(_) => Vec::new(),
            Self::Dsdv(dsdv) => dsdv.packets().collect(),
            Self::Dsr(dsr) => dsr.packets().collect(),
            Self::Aodv(aodv) => aodv.packets().collect(),
            Self::Custom(custom) => custom.packets(),
        }
    }
}

impl NextHops for Routing {
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        if let Self::Frn(frn) = self { frn.next_hops(destination) } else { &[] }
    }
}
