//! The contract of recoveries.

use crate::tcp::loss::Scoreboard;
use crate::tcp::sendlog::SendLog;

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
    /// Whether they go before what is lost.
    pub new_first: bool,
    /// What SACK says.
    pub scoreboard: &'a Scoreboard,
    /// The log of sent segments, if what is lost is marked in it.
    pub marks: Option<&'a SendLog>,
}

impl Seen<'_> {
    /// Bytes believed to be in the network.
    #[must_use]
    pub fn pipe(&self) -> u64 {
        match self.marks {
            Some(log) => log.in_flight(),
            None => self.scoreboard.pipe(self.una, self.max_sent, self.segment),
        }
    }

    /// Bytes believed to have been lost, for comparison with earlier.
    #[must_use]
    pub fn lost(&self) -> u64 {
        match self.marks {
            Some(log) => log.lost_in_all(),
            None => self.scoreboard.lost(self.una, self.segment),
        }
    }

    /// What goes next if there is room: what is lost; then new data; then, if losses are not marked, any other hole
    /// (NextSeg, RFC 6675 §4, rules 1 to 3).
    #[must_use]
    pub fn next_segment(&self) -> Next {
        let hole = |rescue: bool| match self.marks {
            Some(log) => log.next_lost().filter(|_| !rescue),
            None => self.scoreboard.next_hole(self.una, self.segment, rescue),
        };
        if self.new_first && self.new {
            return Next::New;
        }
        match hole(false) {
            Some((start, end)) => Next::Again(start, end),
            None if self.new => Next::New,
            None => hole(true).map_or(Next::Nothing, |(start, end)| Next::Again(start, end)),
        }
    }
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

/// An ACK that acknowledges nothing new.
#[derive(Clone, Copy, Debug)]
pub struct Repeated {
    /// Whether it is a duplicate ACK by the standard (RFC 5681 §2, RFC 6675 §2).
    pub standard: bool,
    /// Whether its blocks of SACK tell something new.
    pub fresh: bool,
    /// Whether recovery is under way.
    pub recovering: bool,
    /// Whether the segment that it asks for was the one that timed out last.
    pub timed_out: bool,
}

/// Rules of a recovery: how much may be in the network, and what goes first.
pub trait Recovery: std::fmt::Debug + Send {
    /// Whether it says what is sent. Otherwise the window does, which duplicate ACKs inflate (RFC 5681 §3.2).
    fn governs(&self) -> bool {
        true
    }

    /// Whether an ACK that acknowledges nothing new is a duplicate.
    fn is_duplicate(&self, ack: &Repeated) -> bool {
        ack.standard
    }

    /// Whether a new ACK outside recovery makes the sender forget what the receiver holds.
    fn forgets_with_acks(&self) -> bool {
        false
    }

    /// Whether the ACK that ends recovery opens the window too.
    fn opens_with_last_ack(&self) -> bool {
        true
    }

    /// Whether it sends more than the first repair as it begins.
    fn sends_at_once(&self) -> bool {
        true
    }

    /// Whether it also spreads over a round trip what a mark takes from the window.
    fn spreads_marks(&self) -> bool {
        false
    }

    /// Whether it asks how much an ACK has brought with which a recovery begins.
    fn counts_arrivals(&self) -> bool {
        false
    }

    /// Recovery begins; the window has been reduced. `brought`: bytes that the ACK with which it begins says have
    /// arrived, if it counts these; none if it begins with a timer.
    fn begin(&mut self, _seen: &Seen<'_>, _brought: u64) {}

    /// A mark has reduced the window, nothing is lost. The ACK that says so is not counted yet.
    fn begin_for_mark(&mut self, _seen: &Seen<'_>) {}

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

    /// The window in bytes, if it says one of its own.
    fn window(&self) -> Option<u64> {
        None
    }

    /// So many bytes of it have gone, since the last call of [`Self::look`].
    fn sent(&mut self, _bytes: u64) {}
}
