//! The steps of an exchange.

use crate::mac::aggregate::Peer;
use crate::phy::TxVector;
use crate::units::{Dur, NodeId};

/// What the sequence timer stands for: the step of the exchange that this station is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mac) enum Sequence {
    /// No exchange.
    Idle,
    /// A CTS is due after SIFS.
    CtsDue { to: NodeId, duration: Dur, forced: bool },
    /// CTS sent; the data frame should follow.
    AwaitData,
    /// The same, and the RTS had to be answered.
    AwaitForced,
    /// An Ack is due after SIFS, for a frame that was sent with `data`.
    AckDue { to: NodeId, data: TxVector },
    /// A block ack is due after SIFS, for a frame that was sent with `data`.
    BlockAckDue { to: Peer, data: TxVector },
    /// RTS sent; the CTS should follow.
    AwaitCts,
    /// CTS received; the data frame is due after SIFS.
    DataDue,
    /// The medium is held for another frame, which is due after SIFS.
    NextDue,
    /// A CF-End is due after SIFS: what is left of the transmit opportunity is not used.
    EndDue,
    /// Data or a block ack request sent; the Ack or block ack should follow.
    AwaitAck,
    /// A broadcast is on the air.
    Broadcasting,
    /// The radio dozes while others use the medium.
    Dozing,
}

impl Sequence {
    /// Whether a frame of the station's own is under way.
    pub(in crate::mac) const fn is_own(self) -> bool {
        use Sequence::{AwaitAck, AwaitCts, Broadcasting, DataDue, EndDue, NextDue};
        matches!(self, AwaitCts | DataDue | NextDue | EndDue | AwaitAck | Broadcasting)
    }
}
