//! The contract of routing machines.
//!
//! A packet is in the custody of one machine of the node at a time. Routing gets it with [`Input::Message`], by
//! answering [`Decision::Waiting`] or [`Disposal::Taken`]; it gives it away with [`Action::Forward`], or ends it: as
//! delivered, or lost for a reason.

use std::sync::Arc;

use crate::contract::{Cx, Dropped, Notice, Overheard, drop_packet};
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Packet, PacketId, Protocol, Signal};

/// Origin of a packet that needs a next hop.
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

impl Provenance {
    /// What a table says of a packet: to this neighbour; or there is none, and only a kept packet stays.
    pub(super) const fn decide(self, next_hop: Option<NodeId>) -> Decision {
        match (next_hop, self) {
            (Some(to), _) => Decision::To(to),
            (None, Self::Kept(_)) => Decision::Stays,
            (None, _) => Decision::Refused(DropReason::NoRoute),
        }
    }
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
    /// Another layer of this node wants a route to a destination, and has no packet to send there now: a machine that
    /// looks for routes asks for one, or says that there is one.
    Wanted(NodeId),
    /// A frame for another node was heard; only for machines that ask for it.
    Overheard(Overheard),
    /// What drives the network has left something for it, in a place that both know; only for machines from outside.
    Wake,
}

impl Input {
    /// For machines without messages of their own: a message is lost, everything else means nothing.
    pub(super) fn refuse_message(self, cx: &mut Cx<'_>, out: &mut Vec<Action>) {
        if let Self::Message { packet, .. } = self {
            out.push(Action::Dropped(drop_packet(cx, packet, DropReason::Unclaimed)));
        }
    }
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
        /// The node that shall have it.
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

/// A packet that waits for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The packet.
    pub packet: PacketId,
    /// Where it shall go.
    pub destination: NodeId,
    /// Since when.
    pub since: SimTime,
    /// Whether a request for its destination is out, or waits until it may be sent.
    pub asked: bool,
}

/// A routing machine.
pub trait Routing: std::fmt::Debug + Send {
    /// The neighbour to which a packet goes, where a look into a table says it: the short way to [`Self::route`]'s
    /// answer.
    fn known(&mut self, _now: SimTime, _packet: &Packet, _provenance: Provenance) -> Option<NodeId> {
        None
    }

    /// The neighbour through which a destination can be reached now, where there is one way for all packets; asking
    /// changes nothing.
    fn next_hop(&self, _now: SimTime, _destination: NodeId) -> Option<NodeId> {
        None
    }

    /// Decides on a packet, before its actions are carried out.
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision;

    /// Hears that the MAC has given a packet up, and says what becomes of it.
    fn given_up(&mut self, _cx: &mut Cx<'_>, _given_up: GivenUp, _out: &mut Vec<Action>) -> Disposal {
        Disposal::Leave
    }

    /// Whether a packet on the air, sent by this neighbour to all, is a message that has come before: to take it in
    /// would change nothing.
    fn is_known_flood(&mut self, _cx: &Cx<'_>, _packet: PacketId, _from: NodeId) -> bool {
        false
    }

    /// Takes one input.
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>);

    /// Whether it wants to hear frames that are meant for others; asked once.
    fn overhears(&self) -> bool {
        false
    }

    /// Whether it takes ARP packets as messages of its own; asked where the node has no address resolution.
    fn resolves(&self) -> bool {
        false
    }

    /// The packets in its custody.
    fn packets(&self) -> Vec<PacketId> {
        Vec::new()
    }

    /// The packets that wait for a route in a protocol that asks for routes, oldest first.
    fn awaited(&self) -> Vec<Awaited> {
        Vec::new()
    }

    /// Whether a request for a destination is out, or waits until it may be sent.
    fn asks_for(&self, _destination: NodeId) -> bool {
        false
    }

    /// How often a destination to which there was a route became unreachable, whatever told of it: one for every
    /// [`Notice::RouteLost`]. An unused route that expires is not counted.
    fn routes_lost(&self) -> u64 {
        0
    }

    /// Tells its other counters by their public names.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
