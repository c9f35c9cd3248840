//! The sender's place in the stream: what was written, sent and acknowledged (RFC 9293 §3.3.1).

use crate::units::{Bytes, SimTime};

/// Sequence numbers of one sender, in bytes: `una <= nxt`, `una <= max_sent`, and nothing beyond `written` is sent.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    segment: u64,
    una: u64,
    nxt: u64,
    max_sent: u64,
    written: u64,
    last_sent: SimTime,
    last_acked: SimTime,
    /// Bytes that were outstanding before the last new ACK.
    flight: u64,
    completed: bool,
}

impl Stream {
    /// An empty stream, cut into segments of so many bytes.
    #[must_use]
    pub fn new(segment: Bytes) -> Self {
        Self {
            segment: u64::from(segment.0),
            una: 0,
            nxt: 0,
            max_sent: 0,
            written: 0,
            last_sent: SimTime::ZERO,
            last_acked: SimTime::ZERO,
            flight: 0,
            completed: false,
        }
    }

    /// Has an empty stream begin with this byte.
    pub const fn begin_at(&mut self, seq: u64) {
        (self.una, self.nxt, self.max_sent, self.written) = (seq, seq, seq, seq);
    }

    /// Bytes of a full segment.
    #[inline]
    #[must_use]
    pub const fn segment(&self) -> u64 {
        self.segment
    }

    /// First unacknowledged byte.
    #[inline]
    #[must_use]
    pub const fn una(&self) -> u64 {
        self.una
    }

    /// Next byte to send.
    #[inline]
    #[must_use]
    pub const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// First byte that has never been sent.
    #[inline]
    #[must_use]
    pub const fn max_sent(&self) -> u64 {
        self.max_sent
    }

    /// Bytes that were sent and are not acknowledged.
    #[inline]
    #[must_use]
    pub const fn outstanding(&self) -> u64 {
        self.max_sent - self.una
    }

    /// Whether the byte at `seq` was sent and is not acknowledged.
    #[inline]
    #[must_use]
    pub const fn is_outstanding(&self, seq: u64) -> bool {
        self.una <= seq && seq < self.max_sent
    }

    /// Bytes that were outstanding before the last new ACK.
    #[inline]
    #[must_use]
    pub const fn flight(&self) -> u64 {
        self.flight
    }

    /// Bytes as segments.
    #[inline]
    #[must_use]
    pub fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.segment as f64
    }

    /// When data were sent last.
    #[must_use]
    pub const fn last_sent(&self) -> SimTime {
        self.last_sent
    }

    /// When new data were acknowledged last.
    #[must_use]
    pub const fn last_acked(&self) -> SimTime {
        self.last_acked
    }

    /// Whether there are bytes at `nxt` to send.
    #[inline]
    #[must_use]
    pub const fn has_next(&self) -> bool {
        self.nxt < self.written
    }

    /// Where the segment at `nxt` ends: full, unless the data run out.
    #[inline]
    #[must_use]
    pub fn next_end(&self) -> u64 {
        self.nxt.saturating_add(self.segment).min(self.written)
    }

    /// Where the segment at `nxt` ends, cut at this byte.
    #[must_use]
    pub fn next_end_before(&self, edge: u64) -> u64 {
        edge.min(self.written)
    }

    /// Where a segment that is sent again at `seq` ends: full, unless a block or the data sent so far end it.
    #[inline]
    #[must_use]
    pub fn again_end(&self, seq: u64, hole: u64) -> u64 {
        seq.saturating_add(self.segment).min(hole).min(self.max_sent)
    }

    /// The application has so many more bytes.
    pub const fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    /// The application stops: what has not been sent yet never will be.
    pub fn stop(&mut self) {
        self.written = self.written.min(self.max_sent);
    }

    /// The first packet of the connection is acknowledged.
    pub const fn opened(&mut self, now: SimTime) {
        self.last_acked = now;
    }

    /// All below `ack` is acknowledged; returns how many segments that are.
    #[inline]
    pub fn acked(&mut self, now: SimTime, ack: u64) -> f64 {
        let segments = self.segments(ack - self.una);
        self.flight = self.outstanding();
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.last_acked = now;
        segments
    }

    /// Something leaves; returns whether the byte at `seq` has never been sent.
    #[inline]
    pub fn leaves(&mut self, now: SimTime, seq: u64) -> bool {
        self.last_sent = now;
        seq >= self.max_sent
    }

    /// What stood at `nxt` was sent up to `end`.
    #[inline]
    pub fn sent_to(&mut self, end: u64) {
        self.nxt = self.nxt.max(end);
        self.max_sent = self.max_sent.max(end);
    }

    /// What is outstanding is to be sent again, in order.
    pub const fn go_back(&mut self) {
        self.nxt = self.una;
    }

    /// What is sent next has never been sent.
    pub const fn go_on(&mut self) {
        self.nxt = self.max_sent;
    }

    /// Whether all bytes of a finite stream have been acknowledged; true once.
    #[inline]
    pub const fn completes(&mut self) -> bool {
        let now = self.una == self.written && self.una > 0 && !self.completed;
        self.completed |= now;
        now
    }
}
