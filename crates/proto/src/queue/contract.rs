//! What the queue is told, and what it answers.

use crate::contract::{Dropped, Outcome};
use crate::units::NodeId;
use crate::wire::PacketId;

/// What the queue is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// A packet for a next hop.
    Enqueue {
        /// The packet.
        packet: PacketId,
        /// Its next hop, or `NodeId::BROADCAST`.
        to: NodeId,
    },
    /// What became of a packet that has been offered.
    Outcome(PacketId, Outcome),
    /// A packet in service was given up, and is kept whatever the rule says.
    Keep(PacketId),
    /// A packet in service leaves the queue: it is in routing's custody now.
    Release(PacketId),
    /// The node goes down: everything in memory is lost.
    Flush,
    /// The timer of the active queue management fires; it may fire early.
    Timer,
}

/// What the queue answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A packet was lost here.
    Dropped(Dropped),
    /// There is room again after the queue had been full.
    Space,
    /// Wake the active queue management at [`super::Queue::wake_at`]. An earlier request may fire too.
    Wake,
}
