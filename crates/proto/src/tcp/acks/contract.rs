//! The contract of ACK policies.

use crate::contract::ReceiverView;
use crate::units::Dur;

/// A segment has come in order, and no gap is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InOrder {
    /// Its first byte.
    pub seq: u64,
    /// Its payload in bytes.
    pub len: u32,
    /// Segments that have not been acknowledged, this one included.
    pub pending: u32,
}

/// When it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once.
    Now,
    /// With a later one, or at the latest so long after the first that is pending.
    Within(Dur),
}

/// Policies from outside this crate: experiments and tests.
pub trait CustomAcks: std::fmt::Debug + Send {
    /// When a segment in order is acknowledged.
    fn when(&mut self, segment: &InOrder, receiver: &ReceiverView<'_>) -> When;

    /// Window that the next ACK advertises, in bytes; never more than `most`, which is the buffer.
    fn window(&self, most: u32) -> u32 {
        most
    }
}
