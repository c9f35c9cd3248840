//! What a sender must know to take a reduction of its window back: RFC 3522 and 4015 (Eifel), with the evidence of
//! DSACK (RFC 3708) as Linux counts it.
//!
//! A reduction was needless if each segment that was sent again since has come twice, or if an ACK shows that the first
//! sending arrived.

use crate::units::SimTime;
use crate::wire::{clock, is_before};

/// The window before a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
}

/// A reduction that may be taken back.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    before: Before,
    /// First unacknowledged byte as the window was reduced: what came twice below it says nothing of this reduction.
    since: u64,
    /// Segments sent again since, and not known to have come twice. None before the first of them.
    again: Option<u32>,
    /// When the first of them was sent.
    first: Option<SimTime>,
    /// Whether the last ACK is for data that were sent before that.
    late: bool,
}

/// The last reduction of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    on: bool,
    last: Option<Reduction>,
}

impl Undo {
    /// No reduction yet; `on`: whether any is ever taken back.
    #[must_use]
    pub const fn new(on: bool) -> Self {
        Self { on, last: None }
    }

    /// The window is about to be reduced. `out`: segments that were sent again already and are outstanding.
    pub fn reduce(&mut self, before: Before, una: u64, out: u32) {
        if self.on {
            self.last = Some(Reduction {
                before,
                since: una,
                again: (out > 0).then_some(out),
                first: None,
                late: false,
            });
        }
    }

    /// So many segments are sent again.
    #[inline]
    pub fn sent_again(&mut self, now: SimTime, segments: u32) {
        if let Some(last) = &mut self.last {
            last.again = Some(last.again.unwrap_or(0) + segments);
            last.first.get_or_insert(now);
        }
    }

    /// So many segments that end at this byte have come twice.
    pub fn came_twice(&mut self, end: u64, segments: u32) {
        if let Some(last) = self.last.as_mut().filter(|last| end > last.since) {
            last.again = last.again.map(|again| again.saturating_sub(segments));
        }
    }

    /// An ACK that advances echoes this reading of the clock; 0 for any other ACK.
    pub fn hear_echo(&mut self, echo: u32) {
        if let Some(last) = &mut self.last {
            last.late = echo != 0 && last.first.is_some_and(|first| is_before(echo, clock(first)));
        }
    }

    /// Whether there is a reduction that may be taken back.
    #[inline]
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        self.last.is_some()
    }

    /// Whether each segment that was sent again has come twice, or the last ACK is for data that were sent before the
    /// first repair.
    #[must_use]
    pub fn is_needless(&self) -> bool {
        self.last.is_some_and(|last| last.again == Some(0) || last.late)
    }

    /// Whether the last ACK is for data that were sent before the first repair.
    #[inline]
    #[must_use]
    pub const fn is_late(&self) -> bool {
        matches!(self.last, Some(Reduction { late: true, .. }))
    }

    /// The repair is over: what arrives from now on was not sent before it.
    pub const fn repaired(&mut self) {
        if let Some(last) = &mut self.last {
            (last.first, last.late) = (None, false);
        }
    }

    /// The window before the reduction, which is taken back now.
    pub fn take(&mut self) -> Option<Before> {
        self.last.take().map(|last| last.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Before = Before { cwnd: 20.0, ssthresh: 100.0 };

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    fn reduced() -> Undo {
        let mut undo = Undo::new(true);
        undo.reduce(BEFORE, 5000, 0);
        undo
    }

    /// Two segments sent again: the reduction was needless once both have come twice, and not before.
    #[test]
    fn all_that_was_sent_again_must_have_come_twice() {
        let mut undo = reduced();
        assert!(!undo.is_needless(), "nothing was sent again yet");
        undo.sent_again(at(10), 1);
        undo.sent_again(at(20), 1);
        undo.came_twice(6000, 1);
        assert!(!undo.is_needless());
        undo.came_twice(5000, 1);
        assert!(!undo.is_needless(), "it was acknowledged before the reduction");
        undo.came_twice(7000, 1);
        assert!(undo.is_needless());
        assert_eq!((undo.take(), undo.take()), (Some(BEFORE), None));
        assert!(!undo.is_needless());
    }

    /// RFC 3522 §3: the echo of a time before the first repair is that of the first sending.
    #[test]
    fn an_echo_from_before_the_repair_shows_that_it_was_needless() {
        let mut undo = reduced();
        let heard = |undo: &mut Undo, ms| {
            undo.hear_echo(clock(at(ms)));
            undo.is_late()
        };
        assert!(!heard(&mut undo, 5), "nothing was sent again");
        undo.sent_again(at(10), 1);
        undo.sent_again(at(20), 1);
        assert_eq!([5, 10, 15].map(|ms| heard(&mut undo, ms)), [true, false, false]);
        assert!(heard(&mut undo, 5) && undo.is_needless());
        undo.hear_echo(0);
        assert!(!undo.is_needless(), "that ACK says nothing");
        undo.repaired();
        assert!(!heard(&mut undo, 5));
    }

    /// A probe that repeated a segment counts among those that must come twice.
    #[test]
    fn repeats_from_before_count() {
        let mut undo = Undo::new(true);
        undo.reduce(BEFORE, 0, 1);
        undo.sent_again(at(10), 1);
        undo.came_twice(1000, 1);
        assert!(!undo.is_needless());
        undo.came_twice(2000, 1);
        assert!(undo.is_needless());
    }

    #[test]
    fn switched_off_it_knows_nothing() {
        let mut undo = Undo::new(false);
        undo.reduce(BEFORE, 0, 1);
        undo.sent_again(at(10), 1);
        undo.came_twice(1000, 2);
        assert!(!undo.is_needless() && !undo.is_late() && undo.take().is_none());
    }
}
