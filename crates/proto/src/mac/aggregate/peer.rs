//! What became of the MPDUs between a station and a neighbour, by priority.

use crate::units::{Dur, NodeId};
use crate::wire::UserPriority;

/// What a block ack agreement is for: a neighbour and a priority (IEEE 802.11-2020 §10.25.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// The neighbour, or all.
    pub node: NodeId,
    /// The priority of the MPDUs.
    pub priority: UserPriority,
}

/// What became of packets to a neighbour, and of MPDUs from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerCounters {
    /// Packets to it that it acknowledged.
    pub delivered: u64,
    /// Packets to it that were given up.
    pub given_up: u64,
    /// The times from the queue to the acknowledgement, summed over those that it acknowledged.
    pub delay: Dur,
    /// MPDUs from it that waited in the reordering buffer for one before them.
    pub held: u64,
    /// Sum of their waits.
    pub held_for: Dur,
    /// Those of them that the release timer let go.
    pub released: u64,
}

impl PeerCounters {
    /// Those of two together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            delivered: self.delivered + other.delivered,
            given_up: self.given_up + other.given_up,
            delay: self.delay + other.delay,
            held: self.held + other.held,
            held_for: self.held_for + other.held_for,
            released: self.released + other.released,
        }
    }

    /// What has come since an earlier reading.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            delivered: self.delivered - before.delivered,
            given_up: self.given_up - before.given_up,
            delay: self.delay.saturating_sub(before.delay),
            held: self.held - before.held,
            held_for: self.held_for.saturating_sub(before.held_for),
            released: self.released - before.released,
        }
    }
}
