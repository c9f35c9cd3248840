//! What those who tell are told, and what they ask for.

use crate::contract::{Dropped, Notice};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Packet, PacketId, PacketKind, Segment, Signal};

/// A packet that the MAC has given up, or that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its flow.
    pub flow: FlowId,
    /// Its class.
    pub kind: PacketKind,
    /// First byte of the segment.
    pub sequence: u64,
    /// Why it is lost, or would be.
    pub reason: DropReason,
}

impl Loss {
    /// A packet that is still here.
    #[must_use]
    pub fn of(packet: &Packet, reason: DropReason) -> Self {
        Self::new(packet.flow, packet.kind(), packet.position(), reason)
    }

    /// One that is gone.
    #[must_use]
    pub fn said(dropped: &Dropped) -> Self {
        Self::new(dropped.flow, dropped.kind, dropped.position, dropped.reason)
    }

    fn new(flow: FlowId, kind: PacketKind, position: Option<u64>, reason: DropReason) -> Self {
        // An acknowledgment stands for the byte that it asks for, and carries none.
        let sequence = if kind == PacketKind::TcpData { position.unwrap_or(0) } else { 0 };
        Self { flow, kind, sequence, reason }
    }

    /// Whether the MAC has given it up.
    #[must_use]
    pub const fn is_give_up(&self) -> bool {
        self.reason.is_give_up()
    }

    /// Whether a link or a route was gone, and not room or time.
    #[must_use]
    pub const fn is_of_route(&self) -> bool {
        self.reason.facts().path
    }
}

/// What the notifier of a node is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A packet was lost here.
    Lost(Loss),
    /// A packet was lost here although routing knows a way to its destination still; after [`Self::Lost`].
    LostOnTheAir(Loss),
    /// A packet would have been lost here, and the notifier has taken it ([`super::Notifier::takes`]).
    Taken(Loss),
    /// The MAC gave a packet up, which may be kept or sent another way.
    GaveUp(Loss),
    /// A packet is about to be forwarded.
    Passing {
        /// It.
        packet: PacketId,
        /// The neighbour that sent it.
        from: NodeId,
        /// Of a signal: the next hop towards the destination of its flow, as far as routing knows one now.
        next: Option<NodeId>,
    },
    /// Its node has something to tell.
    Notice(Notice),
    /// Its timer fires (it may fire early).
    Timer,
}

/// What it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a signal.
    Signal {
        /// The flow.
        flow: FlowId,
        /// The node that shall have it.
        to: NodeId,
        /// What it says.
        signal: Signal,
    },
    /// A packet in its custody goes on.
    Forward(PacketId),
    /// Send this segment of a flow, in the name of its source.
    Send {
        /// The flow.
        flow: FlowId,
        /// In whose name.
        from: NodeId,
        /// To which node.
        to: NodeId,
        /// The segment.
        segment: Segment,
    },
    /// Routing shall look for a route to this destination, if it looks for routes when they are needed and knows none.
    Seek(NodeId),
    /// Wake it at this instant, and no more at the one that it has named before.
    Arm(SimTime),
}

/// Whether a packet goes on; an answer that counts for [`Input::Passing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is forwarded.
    Pass,
    /// Its journey ends here.
    Absorb,
    /// It is in the notifier's custody from now on.
    Keep,
    /// It is lost: its route is known to be broken.
    Block,
}

/// A flow and its ends.
pub(super) type FlowEnds = (FlowId, (NodeId, NodeId));
