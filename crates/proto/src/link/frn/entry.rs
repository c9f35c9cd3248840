//! A packet in the link's custody, and where it stands.
//!
//! ```text
//!                    ┌──────────────── sent ───────────────┐
//!   from above: READY┤                                     ▼        echo of its next hop, or FRN ACK
//!   just received: ON(slot) ──────────── sent ─────► WAITING(echo slot) ─────────────► leaves
//!          ▲         ┌──────────────── sent ───────────────┘ ▲  │
//!          │     BACKOFF(slot) ◄──────── no echo ─────────────┘  │ received again
//!          └─────────┴───────────────────────────────────────────┘
//! ```

use crate::units::{Bytes, NodeId};
use crate::wire::PacketId;

/// Packets of a lane wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    /// Data, and all that is no TCP ACK.
    Data,
    /// TCP acknowledgements.
    Ack,
}

impl Lane {
    /// The other one.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Data => Self::Ack,
            Self::Ack => Self::Data,
        }
    }
}

/// Where a packet stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has not been sent from here.
    Ready,
    /// It has just been received and is sent on in this slot, ahead of all others: that is its echo.
    On(u64),
    /// It has been sent; its echo is due in this slot.
    Waiting {
        /// When the echo is due.
        echo: u64,
    },
    /// Its echo did not come; it is sent again in this slot or later.
    Backoff(u64),
}

impl State {
    /// Its slot: in which it is sent, or its echo due; of a packet that has not been sent none, which is later than all.
    pub(super) const fn due(self) -> u64 {
        match self {
            Self::Ready => u64::MAX,
            Self::On(slot) | Self::Waiting { echo: slot } | Self::Backoff(slot) => slot,
        }
    }
}

/// A packet in the link's custody.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) packet: PacketId,
    pub(super) uid: u64,
    pub(super) lane: Lane,
    pub(super) size: Bytes,
    /// Its final destination.
    pub(super) destination: NodeId,
    /// Who sent it; `NodeId::BROADCAST` if it was made here.
    pub(super) from: NodeId,
    /// To whom it goes, or went last.
    pub(super) to: NodeId,
    /// With which of equally good neighbours it begins.
    pub(super) first: u32,
    /// Transmissions from here.
    pub(super) attempts: u32,
    /// Slot in which it was sent last.
    pub(super) sent: u64,
    /// Number of the packet that went along in the same frame, 0 for none.
    pub(super) beside: u64,
    pub(super) state: State,
    /// Slot in which it is discarded; `u64::MAX`: none yet.
    pub(super) dies: u64,
}

impl Entry {
    /// Whether it has been sent and its echo is not there.
    pub(super) const fn is_under_way(&self) -> bool {
        matches!(self.state, State::Waiting { .. } | State::Backoff(_))
    }

    /// Whether its echo was due before this slot.
    pub(super) const fn has_missed(&self, slot: u64) -> bool {
        matches!(self.state, State::Waiting { echo } if echo < slot)
    }
}
