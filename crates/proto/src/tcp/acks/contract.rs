//! The contract of ACK policies.

use crate::contract::ReceiverView;
use crate::units::{Dur, SimTime};
use crate::wire::RangeSet;

/// A segment has come in order, and no gap is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InOrder {
    /// When.
    pub now: SimTime,
    /// Its first byte.
    pub seq: u64,
    /// Its payload in bytes.
    pub len: u32,
    /// Segments that have not been acknowledged, this one included.
    pub pending: u32,
    /// Whether the receive window has grown with it.
    pub widened: bool,
}

/// What else happens at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The SYN is answered.
    Opened(SimTime),
    /// An ACK for segments that were pending has gone.
    Acknowledged,
    /// The timer of a delayed ACK has fired.
    Late,
    /// A segment has come twice.
    Repeated {
        /// Receive window \[bytes\].
        window: u32,
    },
    /// A segment is marked (RFC 3168).
    Marked {
        /// Receive window \[bytes\].
        window: u32,
    },
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

    /// Something else has happened.
    #[inline(always)]
    fn hear(&mut self, _what: Heard) {}

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
