//! What a log keeps of a segment, and what it makes of an ACK and of a loss.

use std::collections::VecDeque;

use crate::units::{Dur, SimTime};

/// One segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// When it was sent last.
    pub sent_at: SimTime,
    /// Whether it was sent more than once.
    pub again: bool,
    /// Whether the receiver has said that it holds it.
    pub sacked: bool,
    /// Whether it is believed to be lost.
    pub lost: bool,
    /// Whether it was sent again because it was.
    pub repair: bool,
    /// What was delivered, and when, as it was sent last.
    pub(super) delivered: u64,
    pub(super) delivered_at: SimTime,
    pub(super) first_sent_at: SimTime,
    pub(super) limited: bool,
    /// Bytes in the network once it had been sent, and bytes that were ever lost before.
    pub(super) in_flight: u64,
    pub(super) prior_lost: u64,
}

impl Record {
    /// The receiver holds it.
    pub(super) const fn arrives(&mut self) {
        (self.sacked, self.lost, self.repair) = (true, false, false);
    }
}

/// The path as the last ACK showed it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Bytes that this ACK says have arrived.
    pub newly: u64,
    /// Bytes that have arrived since the connection began.
    pub delivered: u64,
    /// Round-trip time of the newest segment among them that was sent once.
    pub rtt: Option<Dur>,
    /// Least round-trip time of the connection.
    pub min_rtt: Option<Dur>,
    /// Bytes that arrived, and in how long, from the sending of the newest of them on. None if that was too short to
    /// tell.
    pub rate: Option<(u64, Dur)>,
    /// Whether the sender had nothing to send while the rate was measured.
    pub limited: bool,
    /// When the newest of them was sent, its end, and the time since: of those sent twice only if the ACK cannot be for
    /// the first sending (RFC 8985 §6.2 step 2).
    pub latest: Option<(SimTime, u64, Dur)>,
    /// Whether one of them, sent once, arrived after a later one (RFC 8985 §6.2 step 3).
    pub reordered: bool,
    /// Least end of those among them that were sent once.
    pub original: Option<u64>,
    /// When the first of these was sent that is acknowledged cumulatively, if no segment that was sent twice is
    /// acknowledged with it; else, when the first was sent that is acknowledged selectively.
    pub timed: Option<SimTime>,
    /// Whether the receiver says that a segment came twice that no tail loss probe had repeated.
    pub twice: bool,
    /// Bytes that had arrived as the newest of them was sent: a round is over when this reaches what had arrived at its
    /// start.
    pub prior_delivered: Option<u64>,
    /// Bytes in the network once the newest of them had been sent.
    pub sent_in_flight: u64,
    /// Bytes that had ever been found to be lost before it was.
    pub prior_lost: u64,
}

/// A segment that is believed to be lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostSegment {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// Bytes in the network once it had been sent, its own among them.
    pub in_flight: u64,
    /// Bytes that were found to be lost since then, its own among them.
    pub lost_since: u64,
    /// Bytes that have arrived since the connection began.
    pub delivered: u64,
    /// Whether the sender had too little to send as it was sent.
    pub limited: bool,
}

/// Segments that are lost, for what wants to hear of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    pub(super) records: VecDeque<Record>,
    /// Bytes of all that were handed over.
    pub(super) lost: u64,
}
