//! What the TCP of a host has in flight while there is no route: a layer below it answers for that.
//!
//! A closed window does not stop Linux while data is in flight: its retransmission timer goes on. So the layer
//! acknowledges all that is in flight, closes the window, and keeps these segments. It sends them itself when the route
//! is back. Linux goes into its persist state meanwhile, with its window kept.
//!
//! ```text
//!     OPEN ── stop: acknowledge all, window 0 ───────────────► STOPPED
//!     ▲                                                       │
//!     │ the receiver has all of it: open the window           │ go on: send again, as the window lets it
//!     └──────────────────────────── REPAIR ◄──────────────────┘
//!                                   timer: from the first one on, in a window of one; stop: STOPPED
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use multihop_proto::units::{Dur, SimTime};

use super::contract::{Step, Verdict};
use super::forged::{acknowledgment, probe, reset, stamped, window};

/// Longest time between probes and between retransmissions (RFC 6298 §2.5).
pub(super) const LONGEST: Dur = Dur::from_secs(60);
/// Window without a limit: all that is kept.
pub(super) const ALL: usize = usize::MAX;

/// A segment that the receiver has not acknowledged.
#[derive(Debug)]
struct Kept {
    /// Its number, and that behind its last byte.
    seq: u32,
    end: u32,
    bytes: Arc<[u8]>,
}

/// What is in flight of one connection.
#[derive(Debug)]
pub(super) struct Held {
    kept: VecDeque<Kept>,
    /// First byte of the stream.
    begin: u32,
    /// First byte that the receiver has not acknowledged.
    first: u32,
    /// First byte that has not left.
    next: u32,
    /// The last segment that left.
    own: Arc<[u8]>,
    /// The last segment that arrived.
    answer: Vec<u8>,
    state: State,
    /// Since when TCP is stopped.
    since: SimTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Stopped,
    /// So many of the first segments are under way again, at most `window`; from the first on at that instant.
    Repair {
        window: usize,
        again: usize,
        rto: Dur,
        at: SimTime,
    },
}

impl Held {
    /// A connection whose stream begins with this number, opened by `syn`.
    pub(super) const fn new(begin: u32, syn: Arc<[u8]>) -> Self {
        Self {
            kept: VecDeque::new(),
            begin,
            first: begin,
            next: begin,
            own: syn,
            answer: Vec::new(),
            state: State::Open,
            since: SimTime::ZERO,
        }
    }

    /// When its timer fires; `SimTime::MAX` when it is off.
    pub(super) const fn next_at(&self) -> SimTime {
        match self.state {
            State::Open | State::Stopped => SimTime::MAX,
            State::Repair { at, .. } => at,
        }
    }

    /// Whether the peer has said anything yet: without its word no window can be closed in its name.
    pub(super) const fn is_answered(&self) -> bool {
        !self.answer.is_empty()
    }

    /// First byte that the receiver has not acknowledged, and the first that has not left, from the beginning of the
    /// stream on.
    pub(super) const fn in_flight(&self) -> (u64, u64) {
        (self.first.wrapping_sub(self.begin) as u64, self.next.wrapping_sub(self.begin) as u64)
    }

    /// TCP sends so many bytes, counted with the end of its stream.
    pub(super) fn leaving(
        &mut self,
        step: &mut Step<'_>,
        seq: u32,
        length: u32,
        bytes: &Arc<[u8]>,
    ) -> Verdict {
        let asks = length > 0 || is_before(seq, self.next);
        let end = seq.wrapping_add(length);
        if is_before(self.next, end) {
            self.kept.push_back(Kept { seq, end, bytes: Arc::clone(bytes) });
            self.next = end;
        }
        self.own = Arc::clone(bytes);
        // Without data: an acknowledgment of what the peer sends.
        if self.state == State::Open || !asks {
            return Verdict::Pass;
        }
        // Data that left before TCP heard that it shall stop, or a question whether the window is still closed.
        self.close(step);
        Verdict::Swallow
    }

    /// TCP hears that all has arrived, and that no more may be sent.
    fn close(&self, step: &mut Step<'_>) {
        step.tell(acknowledgment(&self.answer, self.next, 0, false));
    }

    /// TCP shall send no more.
    pub(super) fn stop(&mut self, step: &mut Step<'_>) {
        if self.state == State::Open {
            step.counts.freezes += 1;
            self.since = step.now;
            self.close(step);
        }
        self.state = State::Stopped;
    }

    /// The receiver acknowledges: what it has is kept no longer. A repair goes on.
    pub(super) fn acknowledged(&mut self, step: &mut Step<'_>, ack: u32, bytes: &[u8]) {
        let new = is_before(self.first, ack);
        let before = self.kept.len();
        if new {
            self.first = ack;
            self.kept.retain(|kept| is_before(ack, kept.end));
        }
        self.answer = bytes.to_vec();
        if let State::Repair { window, again, rto, .. } = self.state
            && new
        {
            let again = again.saturating_sub(before - self.kept.len());
            let window = window.saturating_add(1);
            self.state = State::Repair { window, again, rto, at: step.now + rto };
            self.repair(step);
        }
    }

    /// What of an arriving segment TCP may have, after [`Self::acknowledged`]. `before`: whether it was stopped until
    /// then.
    pub(super) fn passes_on(
        &self,
        step: &mut Step<'_>,
        before: bool,
        bytes: &[u8],
        carries: bool,
    ) -> Verdict {
        if !before {
            return Verdict::Pass;
        }
        if carries {
            let most = if self.state == State::Open { window(bytes) } else { 0 };
            step.tell(acknowledgment(bytes, self.next, most, true));
        }
        Verdict::Swallow
    }

    /// Since when TCP is stopped.
    pub(super) fn stopped_since(&self) -> Option<SimTime> {
        self.is_stopped().then_some(self.since)
    }

    /// Whether TCP is stopped.
    pub(super) const fn is_stopped(&self) -> bool {
        !matches!(self.state, State::Open)
    }

    /// The end of the connection, as if the peer had made it.
    pub(super) fn reset(&self, step: &mut Step<'_>) {
        step.counts.thawed(step.now, self.since);
        step.tell(reset(&self.answer, &self.own));
    }

    /// A header without data just below what the receiver wants: it must answer.
    pub(super) fn probe(&self, step: &mut Step<'_>) {
        step.counts.probes += 1;
        step.send(probe(&self.own, self.first));
    }

    /// The kept segment with this byte of the stream goes once more, as a probe.
    pub(super) fn probe_with(&self, step: &mut Step<'_>, byte: u64) {
        let number = self.begin.wrapping_add(byte as u32); // numbers of TCP wrap
        let holds = |kept: &&Kept| !is_before(number, kept.seq) && is_before(number, kept.end);
        match self.kept.iter().find(holds) {
            Some(kept) => {
                step.counts.probes += 1;
                step.send(stamped(&kept.bytes, &self.own));
            }
            None => self.probe(step),
        }
    }

    /// There is a route: what is kept goes again, at most so many segments until something is acknowledged.
    pub(super) fn go_on(&mut self, step: &mut Step<'_>, window: usize, rto: Dur) {
        if self.state == State::Stopped {
            self.state = State::Repair { window, again: 0, rto, at: step.now + rto };
            self.repair(step);
        }
    }

    /// Sends what may be sent again; opens the window of TCP if nothing is left of it.
    fn repair(&mut self, step: &mut Step<'_>) {
        let State::Repair { window: most, again, .. } = &mut self.state else { return };
        if self.kept.is_empty() {
            self.state = State::Open;
            step.counts.thawed(step.now, self.since);
            return step.tell(acknowledgment(&self.answer, self.next, window(&self.answer), false));
        }
        let until = self.kept.len().min(*most);
        for kept in self.kept.range((*again).min(until)..until) {
            step.counts.retransmissions += 1;
            step.send(stamped(&kept.bytes, &self.own));
        }
        *again = until.max(*again);
    }

    /// Its timer: nothing of the repair has been acknowledged for that long.
    pub(super) fn due(&mut self, step: &mut Step<'_>) {
        if let State::Repair { rto, at, .. } = self.state
            && at <= step.now
        {
            let rto = (rto * 2).min(LONGEST);
            self.state = State::Repair { window: 1, again: 0, rto, at: step.now + rto };
            self.repair(step);
        }
    }
}

/// Whether a number of TCP comes before another (RFC 9293 §3.4).
const fn is_before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}
