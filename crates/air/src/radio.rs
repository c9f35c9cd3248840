//! What every radio gets to know about signals, and what it answers.

use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, NodeId, SimTime};

/// A signal that begins to arrive.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its transmitter.
    pub from: NodeId,
    /// Its power \[W\].
    pub power: f64,
    /// Its end.
    pub end: SimTime,
    /// What it is sent with, and how many bytes it carries: for error curves.
    pub tx: TxVector,
    /// See `tx`.
    pub size: Bytes,
    /// Whether it is an A-MPDU: each part of it is judged by itself.
    pub parted: bool,
    /// Whether it is strong enough to be decoded.
    pub decodable: bool,
    /// Whether it is strong enough to be sensed.
    pub sensed: bool,
}

impl Arrival {
    /// What stands for `tx` and `size` where thresholds alone decide.
    pub const UNREAD: (TxVector, Bytes) =
        (TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long), Bytes::ZERO);
}

/// What the MAC has to know of a signal that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalStart {
    /// The medium is busy until its end.
    Busy,
    /// Besides, what is being received is lost; it ends at this instant.
    Lost(SimTime),
    /// Too weak to disturb the frame being received.
    Captured,
    /// Nothing: the station is sending, or the signal is too weak to be sensed.
    Nothing,
}

/// What became of a frame at one of its decodable receivers when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Received, as far as overlap goes.
    Whole,
    /// Lost to overlap, and the MAC knows.
    Overlapped,
    /// Lost to overlap; the MAC hears of it now.
    Garbled,
}
