//! The contract of ACK policies.

use crate::contract::ReceiverView;
use crate::units::Dur;
use crate::wire::RangeSet;

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

/// When a receiver acknowledges, and which window it advertises.
pub trait AckPolicy: std::fmt::Debug + Send {
    /// When a segment in order is acknowledged. `receiver` reads the state of the receiver, if it is needed.
    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When;

    /// False if every ACK is sent at once.
    fn may_wait(&self) -> bool {
        true
    }

    /// Window that the next ACK advertises \[B\]: at most `most`, the buffer; `waiting` are the bytes beyond a gap.
    fn window(&self, most: u32, _waiting: &RangeSet) -> u32 {
        most
    }

    /// Tells every counter by its public name.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
