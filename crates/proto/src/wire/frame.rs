//! MAC frames: IEEE 802.11-2020 §9.3 (RTS, CTS, Ack, Data), and frames of two parts with a next hop each.

use super::{BatchId, PacketId, UserPriority};
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId};

/// The frame types that the medium access machines exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// Request to send, IEEE 802.11-2020 §9.3.1.2.
    Rts,
    /// Clear to send, §9.3.1.3.
    Cts,
    /// Data, §9.3.2.
    Data,
    /// Acknowledgment, §9.3.1.4.
    Ack,
    /// Block acknowledgment, compressed, §9.3.1.8: `sequence` is its first number, its map is in the batch.
    BlockAck,
    /// Block acknowledgment request, compressed, §9.3.1.7: `sequence` is its starting sequence number.
    BlockAckRequest,
    /// End of a reservation, to all, §9.3.1.5.
    CfEnd,
}

impl FrameKind {
    /// How many there are.
    pub const COUNT: usize = 7;

    /// Whether it asks for the answer of its addressee; if not, it is one, or to all.
    #[inline]
    #[must_use]
    pub const fn asks(self) -> bool {
        matches!(self, Self::Rts | Self::Data | Self::BlockAckRequest)
    }
}

/// One addressed part of a data frame: which packet, and to which node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePart {
    /// The node that shall take this part.
    pub to: NodeId,
    /// The packet it carries.
    pub packet: PacketId,
}

/// A frame as the air carries it. Small and `Copy`; the packet itself stays in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Frame type.
    pub kind: FrameKind,
    /// Retry bit, §9.2.4.1.5.
    pub retry: bool,
    /// More Data bit, §9.2.4.1.8, which RTS and CTS leave free: a CTS that holds the frame back, an RTS that will not
    /// be held back (Seok et al. §III-C).
    pub more: bool,
    /// Traffic identifier of QoS data and block acks, §9.2.4.5.
    pub priority: UserPriority,
    /// Sequence number, §9.2.4.4.2 (0…4095).
    pub sequence: u16,
    /// Transmitter.
    pub from: NodeId,
    /// Receiver of a control frame or of the first part; `NodeId::BROADCAST` for all.
    pub to: NodeId,
    /// Packet of the first part; `PacketId::NONE` in control frames.
    pub packet: PacketId,
    /// Second part of a combined frame, with a next hop of its own.
    pub second: Option<FramePart>,
    /// The MPDUs of an A-MPDU, the packets of an A-MSDU, or the map of a block ack; [`BatchId::NONE`] otherwise. The
    /// first of the packets is `packet`.
    pub batch: BatchId,
    /// Length of the PSDU: of the MPDU, header and FCS included, or of all subframes of an A-MPDU.
    pub size: Bytes,
    /// Duration/ID field: how long the medium is reserved after this frame's end.
    pub duration: Dur,
    /// What it is sent with.
    pub tx: TxVector,
    /// Time on the air, preamble included: that of `tx` for `size`.
    pub airtime: Dur,
}

impl Frame {
    /// How many packets it carries: 1 if it has a batch, which has the others.
    #[must_use]
    pub fn packets(&self) -> usize {
        if self.packet == PacketId::NONE { 0 } else { 1 + usize::from(self.second.is_some()) }
    }

    /// Whether it is judged MPDU by MPDU: it has data, in a batch. That of a block ack is its map.
    #[inline]
    #[must_use]
    pub fn is_parted(&self) -> bool {
        self.batch != BatchId::NONE && self.kind == FrameKind::Data
    }

    /// The packet that this frame carries for `node`, if any.
    #[inline]
    #[must_use]
    pub fn part_for(&self, node: NodeId) -> Option<PacketId> {
        if self.to == node || self.to == NodeId::BROADCAST {
            return (self.packet != PacketId::NONE).then_some(self.packet);
        }
        self.second.filter(|part| part.to == node).map(|part| part.packet)
    }
}
