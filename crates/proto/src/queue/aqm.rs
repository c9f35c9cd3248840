//! Active queue management (RFC 7567): how a queue signals congestion before it is full.
//!
//! One management stands for the whole queue, or one for each class (`queue.aqm-by`). A queue whose packets are only
//! lost for want of room asks none of this and pays nothing for it.

use crate::units::{Bytes, Dur, SimTime};
use crate::wire::PacketId;

/// A packet that is about to join the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The packet.
    pub packet: PacketId,
    /// Its length with what routing adds.
    pub size: Bytes,
    /// Packets that wait already, in the queue or in the class.
    pub waiting: u32,
    /// Their bytes.
    pub bytes: u64,
    /// For how long nothing has been here, not even in service; none if something is.
    pub idle: Option<Dur>,
}

/// A packet at the head, about to be offered to the MAC for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The packet.
    pub packet: PacketId,
    /// Its length with what routing adds.
    pub size: Bytes,
    /// For how long it has waited.
    pub waited: Dur,
    /// Bytes that wait behind it, in the queue or in the class.
    pub left: u64,
    /// Whether its transport understands marks.
    pub ecn: bool,
}

/// A packet with which the MAC has come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// How often it was tried: RTS frames sent, or data frames where there were more of them.
    pub attempts: u32,
    /// Whether it got through.
    pub delivered: bool,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Pass,
    /// Its sender shall hear of congestion: it is marked if its transport understands that (RFC 3168), else dropped.
    Notify,
    /// It is dropped.
    Drop,
}

/// Active queue management of one interface queue, or of one class of it.
pub trait Aqm: std::fmt::Debug + Send {
    /// A packet arrives. Routing messages that go ahead of everything are not asked about.
    fn arriving(&mut self, _now: SimTime, _packet: &Arriving) -> Verdict {
        Verdict::Pass
    }

    /// A packet was lost for want of room.
    fn overflowed(&mut self) {}

    /// A packet at the head is about to be offered for the first time.
    fn leaving(&mut self, _now: SimTime, _packet: &Leaving) -> Verdict {
        Verdict::Pass
    }

    /// The MAC has come to an end with a packet.
    fn served(&mut self, _now: SimTime, _packet: &Served) {}

    /// Whether it looks at heads alone: it minds neither arrivals nor what the MAC makes of packets, and has no timer.
    fn minds_heads_alone(&self) -> bool {
        false
    }

    /// Nothing is left in the queue or in the class: it was served, dropped or taken out.
    fn emptied(&mut self, _now: SimTime) {}

    /// The node has gone down with all that waited: what has been measured is forgotten, and no timer runs.
    fn restart(&mut self, _now: SimTime) {}

    /// Its timer fires.
    fn timer(&mut self, _now: SimTime) {}

    /// When its timer shall fire; asked after every call. `SimTime::MAX`: never.
    fn deadline(&self) -> SimTime {
        SimTime::MAX
    }
}
