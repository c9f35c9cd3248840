//! The frame that a station serves.

use crate::mac::aggregate::Peer;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{PacketId, UserPriority};

/// The frame being served.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac) struct Job {
    pub(super) packet: PacketId,
    pub(super) to: NodeId,
    pub(super) priority: UserPriority,
    pub(super) mpdu: Bytes,
    pub(super) tx: TxVector,
    pub(super) airtime: Dur,
    pub(super) number: u16,
    /// Above the RTS threshold: RTS first, long retry counter.
    pub(super) long: bool,
    pub(super) retry: bool,
    /// How often its RTS and itself have been sent.
    pub(super) rts: u32,
    pub(super) attempts: u32,
}

impl Job {
    /// To contend for a neighbour; what is sent to it is settled when that may be.
    pub(super) const fn to(Peer { node, priority }: Peer, tx: TxVector) -> Self {
        Self {
            packet: PacketId::NONE,
            to: node,
            priority,
            mpdu: Bytes::ZERO,
            tx,
            airtime: Dur::ZERO,
            number: 0,
            long: false,
            retry: false,
            rts: 0,
            attempts: 0,
        }
    }

    /// From now on it is sent with this.
    #[cold]
    pub(super) fn send_with(&mut self, tx: TxVector) {
        (self.tx, self.airtime) = (tx, tx.airtime(self.mpdu));
    }

    /// Where it goes, and with which priority.
    pub(in crate::mac) const fn peer(&self) -> Peer {
        Peer { node: self.to, priority: self.priority }
    }

    /// How often it was tried after the first time: each attempt begins with an RTS, or none does.
    pub(super) const fn retries(&self) -> u32 {
        let most = if self.rts > self.attempts { self.rts } else { self.attempts };
        most.saturating_sub(1)
    }
}
