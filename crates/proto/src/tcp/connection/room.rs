//! What lets a segment out besides the congestion window: the send gate, the pacer, the receiver's window. A lost
//! segment that the first two hold back is owed.

use super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::config::TcpConfig;
use crate::tcp::pace::Pacer;
use crate::tcp::stream::Stream;
use crate::units::{Bitrate, Dur, SimTime};

/// What a sender has room for.
#[derive(Debug)]
pub(super) struct Room {
    /// Most segments that one call may send; set by the send gate before each call.
    budget: u32,
    /// Whether the gate has let nothing out since the last attempt to send all that may go.
    held_back: bool,
    /// When segments may leave, if they leave at a rate.
    pacer: Option<Box<Pacer>>,
    /// Last window that the receiver advertised \[bytes\].
    peer_window: u64,
    /// Largest window that is configured \[bytes\].
    most: u64,
    /// First byte of a lost segment that has not been let out yet.
    owed: Option<u64>,
}

impl Room {
    /// Room for the largest window, without a gate.
    pub(super) fn new(config: &TcpConfig) -> Self {
        let most = u64::from(config.max_window) * u64::from(config.segment.0);
        Self { budget: u32::MAX, held_back: false, pacer: None, peer_window: most, most, owed: None }
    }

    /// Segments leave at a rate, this many at once, or as the window opens.
    pub(super) fn pace(&mut self, quantum: Option<u32>) {
        self.pacer = quantum.map(|quantum| Box::new(Pacer::new(quantum)));
    }

    /// Whether segments leave at a rate.
    #[inline]
    pub(super) const fn is_paced(&self) -> bool {
        self.pacer.is_some()
    }

    /// The gate lets so many segments out in the next call.
    pub(super) const fn set_budget(&mut self, segments: u32) {
        self.budget = segments;
        self.held_back |= segments == 0;
    }

    /// Whether the gate lets nothing out.
    #[inline]
    pub(super) const fn is_shut(&self) -> bool {
        self.budget == 0
    }

    /// Whether the gate has let nothing out since the last [`Self::attempt`]: a later call that attempts nothing does
    /// not change that.
    #[inline]
    pub(super) const fn is_held_back(&self) -> bool {
        self.held_back
    }

    /// An attempt to send all that may go.
    #[inline]
    pub(super) const fn attempt(&mut self) {
        self.held_back = self.budget == 0;
    }

    /// Whether gate and pacer let a segment out.
    #[inline]
    pub(super) fn is_open(&self, now: SimTime) -> bool {
        self.budget > 0 && self.pacer.as_ref().is_none_or(|pacer| pacer.is_open(now))
    }

    /// Whether the segment at `nxt` may go: gate and pacer let it out, and it ends before this byte.
    #[inline]
    pub(super) fn lets_out(&self, now: SimTime, stream: &Stream, edge: u64) -> bool {
        stream.has_next() && stream.next_end() <= edge && self.is_open(now)
    }

    /// Time until the pacer lets a segment out.
    pub(super) fn opens_in(&self, now: SimTime) -> Dur {
        self.pacer.as_ref().map_or(Dur::ZERO, |pacer| pacer.opens().saturating_since(now))
    }

    /// A segment leaves through the gate.
    #[inline]
    pub(super) const fn leave(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        self.held_back |= self.budget == 0;
    }

    /// So many bytes leave at this rate.
    pub(super) fn paced(&mut self, now: SimTime, bytes: u64, rate: Option<Bitrate>) {
        if let Some(pacer) = &mut self.pacer {
            pacer.sent(now, bytes, rate);
        }
    }

    /// The pacer's timer has fired.
    pub(super) fn fired(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.fired();
        }
    }

    /// Asks for the pacer's timer, if it has moved.
    pub(super) fn arm<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if let Some(at) = self.pacer.as_mut().and_then(|pacer| pacer.rearm(now)) {
            out.put(Action::Arm(Timer::Pace, at));
        }
    }

    /// Last window that the receiver advertised \[bytes\].
    #[inline]
    pub(super) const fn peer_window(&self) -> u64 {
        self.peer_window
    }

    /// First byte beyond both the receiver's window and the largest one that is configured.
    pub(super) fn edge(&self, stream: &Stream) -> u64 {
        stream.una() + self.peer_window.min(self.most)
    }

    /// Bytes beyond `una` that may be outstanding with such a congestion window.
    #[inline]
    pub(super) fn usable(&self, window: u64) -> u64 {
        window.min(self.peer_window)
    }

    /// Whether both windows hold the segment at `nxt`.
    pub(super) fn holds_next(&self, stream: &Stream) -> bool {
        stream.has_next() && stream.next_end() <= self.edge(stream)
    }

    /// Whether only the receiver's window holds data back, so that no ACK would ever ask for them.
    pub(super) fn is_closed(&self, stream: &Stream) -> bool {
        if stream.outstanding() > 0 {
            return self.peer_window == 0;
        }
        stream.has_next() && stream.next_end() > stream.una() + self.peer_window
    }

    /// The receiver advertises this window; returns whether it is another than before.
    #[inline]
    pub(super) const fn hear_window(&mut self, bytes: u32) -> bool {
        let bytes = bytes as u64;
        let changed = self.peer_window != bytes;
        self.peer_window = bytes;
        changed
    }

    /// First byte of a lost segment that has not been let out yet.
    #[inline]
    pub(super) const fn owed(&self) -> Option<u64> {
        self.owed
    }

    /// Whether the lost segment at this byte may go now; otherwise it is owed.
    pub(super) fn lets_repair(&mut self, now: SimTime, seq: u64) -> bool {
        self.owed = (!self.is_open(now)).then_some(seq);
        self.owed.is_none()
    }

    /// All below `ack` has arrived.
    #[inline]
    pub(super) fn acked(&mut self, ack: u64) {
        self.owed = self.owed.filter(|&seq| seq >= ack);
    }

    /// What is lost is judged anew.
    pub(super) const fn owe_nothing(&mut self) {
        self.owed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    /// Ten segments of 1000 bytes at most; the application has five.
    fn room() -> (Room, Stream) {
        let mut stream = Stream::new(Bytes(1000));
        stream.write(5000);
        (Room::new(&TcpConfig { segment: Bytes(1000), max_window: 10, ..TcpConfig::default() }), stream)
    }

    /// A closed gate makes the sender owe the repair; it is paid by the gate or by an ACK.
    #[test]
    fn a_repair_that_may_not_leave_is_owed() {
        let (mut room, _) = room();
        room.set_budget(0);
        assert!(room.is_shut() && !room.lets_repair(SimTime::ZERO, 3000));
        room.acked(3000);
        assert_eq!(room.owed(), Some(3000), "what is acknowledged lies below it");
        room.set_budget(1);
        assert!(room.lets_repair(SimTime::ZERO, 3000) && room.owed().is_none());
        room.leave();
        assert!(!room.lets_repair(SimTime::ZERO, 4000));
        room.acked(5000);
        assert_eq!(room.owed(), None);
    }

    /// The receiver's window, the largest one that is configured, and the gate: the smallest says what leaves.
    #[test]
    fn the_next_segment_needs_room_everywhere() {
        let (mut room, stream) = room();
        assert_eq!(room.edge(&stream), 10_000);
        assert!(room.holds_next(&stream) && !room.lets_out(SimTime::ZERO, &stream, 999));
        assert!(room.hear_window(999) && !room.hear_window(999));
        assert!(!room.holds_next(&stream) && room.is_closed(&stream));
        assert_eq!(room.usable(4000), 999);
        assert!(room.hear_window(1000) && room.lets_out(SimTime::ZERO, &stream, room.edge(&stream)));
        room.set_budget(0);
        assert!(room.holds_next(&stream) && !room.lets_out(SimTime::ZERO, &stream, 1000));
    }
}
