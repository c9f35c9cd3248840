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

/// What is to become of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not been sent from here.
    Ready,
    /// It has just been received and is sent on in its slot, ahead of all others: that is its echo.
    On,
    /// It has been sent; its echo is due in its slot.
    Waiting,
    /// Its echo did not come; it is sent again in its slot or later.
    Backoff,
}

/// Where a packet stands. The slot stands beside the phase, not in it: a search for the earliest needs no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// In which it is sent, or its echo due; of a packet that has not been sent none, which is later than all.
    pub(super) due: u64,
}

impl State {
    pub(super) const READY: Self = Self { phase: Phase::Ready, due: u64::MAX };

    pub(super) const fn on(slot: u64) -> Self {
        Self { phase: Phase::On, due: slot }
    }

    pub(super) const fn waiting(echo: u64) -> Self {
        Self { phase: Phase::Waiting, due: echo }
    }

    pub(super) const fn backoff(slot: u64) -> Self {
        Self { phase: Phase::Backoff, due: slot }
    }

    /// Its slot if it is in this phase; else none, which is later than all.
    #[inline]
    pub(super) fn due_in(self, phase: Phase) -> u64 {
        if self.phase == phase { self.due } else { u64::MAX }
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
    /// The node that sent it; `NodeId::BROADCAST` if it was made here.
    pub(super) from: NodeId,
    /// To which node it goes, or went last.
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
    /// Whether its echo was due before this slot.
    pub(super) fn has_missed(&self, slot: u64) -> bool {
        self.state.due_in(Phase::Waiting) < slot
    }
}
