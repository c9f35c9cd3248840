//! Hand-over between queue and MAC: pull and copy. The queue offers, keeps the packet, and hears the outcome.

use super::Cx;
use crate::units::{Bytes, FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, FramePart, PacketId, PacketKind, UserPriority};

/// A frame that the queue offers to the MAC. The packets stay in the queue until the outcome is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Packet of the first part.
    pub packet: PacketId,
    /// Next hop of the first part, or `NodeId::BROADCAST`.
    pub to: NodeId,
    /// Network-layer bytes of all parts, with what the routing layer adds.
    pub size: Bytes,
    /// Second part with a next hop of its own (combined frames).
    pub second: Option<FramePart>,
    /// Whether the packet was kept after an earlier give-up: its next hop must be looked up again.
    pub kept: bool,
}

/// How a MAC is given packets. A MAC is lent heads, or takes packets out: one or the other, all its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// It is lent the head of a class, which stays there until its outcome: one of each class at a time.
    Head,
    /// It takes the next packet out of its class: several may be in service.
    Next,
    /// It takes the next packet of this priority for this neighbour, wherever it waits.
    NextFor(NodeId, UserPriority),
    /// Each of its access categories takes packets out of a queue of its own ([`crate::mac::Mac::supply_for`]).
    ByCategory,
}

/// Why the MAC gave a frame up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// RTS attempts reached the short retry limit.
    RtsLimit,
    /// Data attempts reached their retry limit.
    DataLimit,
}

impl Cause {
    /// The drop reason that follows if the queue does not keep the packet.
    #[must_use]
    pub const fn reason(self) -> DropReason {
        match self {
            Self::RtsLimit => DropReason::RetryLimitRts,
            Self::DataLimit => DropReason::RetryLimitData,
        }
    }
}

/// Why a frame went back to the queue untried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// There is no route for it now.
    NoRoute,
    /// The next hop asked to wait.
    Peer,
    /// The MAC wants to wait: for a slot, or for the end of a back-off of this packet's own.
    Turn,
}

/// Until when something is not to be offered. A new hold takes the place of an older one for the same; one that is over
/// at once ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// This packet: others of other classes go before it.
    Packet(PacketId, SimTime),
    /// All packets for this neighbour, those that are queued later included.
    Neighbour(NodeId, SimTime),
}

impl Hold {
    /// When it ends; the MAC is offered what was held then, if it wants a frame.
    #[must_use]
    pub const fn until(self) -> SimTime {
        match self {
            Self::Packet(_, until) | Self::Neighbour(_, until) => until,
        }
    }
}

/// What became of one offered part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The next hop has it, or the broadcast has been sent.
    Delivered {
        /// RTS sent for it.
        rts: u32,
        /// Transmissions of the frame itself.
        attempts: u32,
    },
    /// The retry limit was reached.
    GaveUp {
        /// Which limit.
        cause: Cause,
        /// RTS sent for it.
        rts: u32,
        /// Transmissions of the frame itself.
        attempts: u32,
    },
    /// Not tried, or withdrawn: the queue offers it again on its next turn, or when a [`Hold`] on it ends.
    Held(Held),
}

/// A lost packet as probes see it: enough to say what died, where and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Number of the loss in the run, from 1.
    pub loss: u64,
    /// The copy that was lost; the id may name another packet from now on.
    pub copy: PacketId,
    /// Number of the packet.
    pub uid: u64,
    /// When it was made.
    pub created: SimTime,
    /// Its flow.
    pub flow: FlowId,
    /// Its class.
    pub kind: PacketKind,
    /// Its position in the flow, see [`crate::wire::Packet::position`].
    pub position: Option<u64>,
    /// Its payload in bytes.
    pub payload: u32,
    /// Why.
    pub reason: DropReason,
    /// Whether another copy has arrived or is on its way, so that the packet is not lost.
    pub spare: bool,
}

/// Ends the custody of a copy as lost and returns what probes want to know of it.
pub fn drop_packet(cx: &mut Cx<'_>, id: PacketId, reason: DropReason) -> Dropped {
    let loss = cx.packets.note_loss(id);
    let spare = cx.packets.is_spare(id);
    let packet = &cx.packets[id];
    let dropped = Dropped {
        loss,
        copy: id,
        uid: packet.uid,
        created: packet.created,
        flow: packet.flow,
        kind: packet.kind(),
        position: packet.position(),
        payload: packet.payload.length(),
        reason,
        spare,
    };
    cx.packets.end(id, if spare { Fate::Absorbed(Absorbed::Spare) } else { Fate::Dropped(reason) });
    dropped
}
