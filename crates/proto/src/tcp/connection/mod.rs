//! The two ends of a connection: [`Sender`] and [`Receiver`]. Data flow one way; ACKs the other.

mod acked;
mod control;
mod echo;
mod flight;
mod opening;
mod receiver;
mod reported;
mod room;
mod sender;
mod sending;
#[cfg(test)]
mod tests;
mod timing;

pub use crate::contract::Arrival;
pub use receiver::Receiver;
pub use sender::{PathView, Sender};
pub use sending::Counters;

use crate::units::SimTime;
use crate::wire::Segment;

/// Timers of a TCP endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// Sender: retransmission timeout (RFC 6298), or the next probe of a closed window (RFC 9293 §3.8.6.1); never both.
    Retransmit,
    /// Receiver: a delayed ACK is due (RFC 1122 §4.2.3.2).
    DelayedAck,
    /// Sender: a decision of the loss detector that was put off is due.
    LossDetector,
    /// Sender: the pacer lets the next segment out.
    Pace,
}

/// What a sender is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// The application opens the connection.
    Open,
    /// The application has this many more bytes; `u64::MAX` for a source that never runs dry.
    Write(u64),
    /// The application stops: what has not been sent yet never will be.
    Stop,
    /// A segment for this endpoint.
    Segment(Segment),
    /// The timer fires.
    Timer(Timer),
    /// A shim tells it what to do.
    Control(crate::contract::Control),
    /// The send gate may have opened.
    Wake,
}

/// What an endpoint asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this segment.
    Send(Segment),
    /// Wake me at this instant; replaces an earlier request of the same timer. `SimTime::MAX` disarms.
    Arm(Timer, SimTime),
    /// Something for the record.
    Event(Event),
}

/// What happened at a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Fast retransmit: duplicate ACKs (or SACK) say that the segment at `seq` is lost.
    FastRetransmit {
        /// First byte of the segment.
        seq: u64,
    },
    /// The retransmission timer says so.
    Timeout {
        /// First unacknowledged byte.
        seq: u64,
    },
    /// A segment leaves that was sent before.
    SentAgain {
        /// First byte of the segment.
        seq: u64,
    },
    /// A tail loss probe goes out.
    TailProbe {
        /// First byte of the segment.
        seq: u64,
    },
    /// A reduction of the window was needless and is taken back.
    Undone {
        /// First unacknowledged byte.
        seq: u64,
    },
    /// All bytes of a finite transfer are acknowledged.
    Completed,
}
