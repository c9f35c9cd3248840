//! What every radio is told of signals, and what it answers.

use multihop_proto::units::{NodeId, SimTime};

/// A signal that begins to arrive.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its transmitter.
    pub from: NodeId,
    /// Its power \[W\].
    pub power: f64,
    /// Its end.
    pub end: SimTime,
    /// Bits of its payload (MPDU), for error curves; 0 where nothing asks.
    pub bits: u64,
    /// Whether it is strong enough to be decoded.
    pub decodable: bool,
    /// Whether it is strong enough to be sensed.
    pub sensed: bool,
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
