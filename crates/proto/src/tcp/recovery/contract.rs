//! The contract of recoveries.

use crate::tcp::loss::Scoreboard;

/// What a recovery may read.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// First unacknowledged byte.
    pub una: u64,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Bytes of a full segment.
    pub segment: u64,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Whether new data wait, and the receiver's window has room for them.
    pub new: bool,
    /// What SACK says.
    pub scoreboard: &'a Scoreboard,
}

/// What goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// `[start, end)`, once more.
    Again(u64, u64),
    /// The next segment of new data.
    New,
    /// Nothing until the next ACK.
    Nothing,
}

/// Rules of a recovery: how much may be in the network, and what goes first.
pub trait Recovery: std::fmt::Debug + Send {
    /// Whether it says what is sent. Otherwise the window does, which duplicate ACKs inflate (RFC 5681 §3.2).
    fn governs(&self) -> bool {
        true
    }

    /// Recovery begins; the window has been reduced.
    fn begin(&mut self, _seen: &Seen<'_>) {}

    /// The segment that recovery began with is sent again, so many bytes.
    fn on_repair(&mut self, _bytes: u64) {}

    /// A duplicate ACK has come in recovery.
    fn on_duplicate(&mut self) {}

    /// A new ACK has come that stops short of the end of recovery.
    fn on_partial_ack(&mut self) {}

    /// An attempt to send begins.
    fn look(&mut self, _seen: &Seen<'_>) {}

    /// What goes next.
    fn next(&self, seen: &Seen<'_>) -> Next;

    /// So many bytes of it have gone, since the last call of [`Self::look`].
    fn sent(&mut self, _bytes: u64) {}
}
