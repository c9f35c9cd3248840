//! Reductions of the window that turn out spurious: what shows it (DSACK, timestamps, F-RTO), and what is then restored
//! (RFC 4015).

use crate::tcp::config::TcpConfig;
use crate::tcp::frto::{Frto, Heard, Verdict};
use crate::tcp::undo::{Before, Undo};
use crate::units::SimTime;

/// The last reduction of one sender, and what ACKs have said of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spurious {
    undo: Undo,
    frto: Frto,
}

/// Where a sender stands as an ACK advances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Whether data that were outstanding at a timeout still are.
    pub(super) repairs_timeout: bool,
    /// Whether it is in recovery.
    pub(super) recovering: bool,
    /// Whether something that was sent again is still on its way, as far as is known.
    pub(super) under_way: bool,
}

/// What an ACK that advances shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Nothing.
    Nothing,
    /// A timeout was needless: all that was sent again has come twice (Linux `tcp_try_undo_loss`).
    NeedlessTimeout,
    /// What it is for was sent before the first repair, and no repair is under way: nothing was lost, it came out of
    /// order (Linux `tcp_try_undo_partial`).
    OutOfOrder,
}

impl Spurious {
    /// No reduction yet.
    pub(super) const fn new(config: &TcpConfig) -> Self {
        Self { undo: Undo::new(config.undo), frto: Frto::new(config.frto && config.marks_losses()) }
    }

    /// The window is about to be reduced. `probed`: a tail loss probe that repeated a segment is out.
    pub(super) fn reduce(&mut self, before: Before, una: u64, probed: bool) {
        self.undo.reduce(before, una, u32::from(probed));
    }

    /// A loss was found without the timer: what became of a timeout is no matter any more.
    pub(super) const fn find_loss(&mut self) {
        self.frto.forget();
    }

    /// The retransmission timer has fired; `first`: no loss was being repaired, or none of the repairs arrived.
    pub(super) fn time_out(&mut self, first: bool, max_sent: u64) {
        self.frto.time_out(first, max_sent);
    }

    /// A segment is sent again.
    #[inline]
    pub(super) fn sent_again(&mut self, now: SimTime) {
        self.undo.sent_again(now, 1);
    }

    /// What there was to send with the present ACK has gone.
    #[inline]
    pub(super) const fn sent(&mut self) {
        self.frto.sent();
    }

    /// Whether new data go before what is lost, until it is known what a timeout means.
    #[inline]
    pub(super) const fn prefers_new(&self) -> bool {
        self.frto.prefers_new()
    }

    /// So many segments that end at this byte have come twice.
    pub(super) fn came_twice(&mut self, end: u64, segments: u64) {
        self.undo.came_twice(end, u32::try_from(segments).unwrap_or(u32::MAX));
    }

    /// An ACK that advances echoes this reading of the clock; 0 for any other ACK.
    pub(super) fn hear_echo(&mut self, echo: u32) {
        self.undo.hear_echo(echo);
    }

    /// Whether it is yet to be found out what a timeout means.
    #[inline]
    pub(super) const fn doubts_timeout(&self) -> bool {
        self.frto.is_open()
    }

    /// An ACK comes while that is so; returns whether it shows that the timeout was needless.
    pub(super) fn judge_timeout(&mut self, heard: &Heard) -> bool {
        self.frto.hear(heard) == Verdict::Needless
    }

    /// Whether there is a reduction that may be taken back.
    #[inline]
    pub(super) const fn is_pending(&self) -> bool {
        self.undo.is_pending()
    }

    /// Whether all that was sent again has come twice, or the last ACK is for data that were sent before the first
    /// repair.
    pub(super) fn is_shown(&self) -> bool {
        self.undo.is_needless()
    }

    /// What an ACK that advances shows.
    pub(super) fn judge(&self, standing: Standing) -> Shown {
        let Standing { repairs_timeout, recovering, under_way } = standing;
        if self.undo.is_needless() && repairs_timeout {
            Shown::NeedlessTimeout
        } else if recovering && self.undo.is_late() && !under_way {
            Shown::OutOfOrder
        } else {
            Shown::Nothing
        }
    }

    /// The repair is over, and it was not needless.
    pub(super) const fn repaired(&mut self) {
        self.undo.repaired();
    }

    /// The window before the reduction, which is taken back now; none if there is no such reduction.
    pub(super) fn take_back(&mut self) -> Option<Before> {
        let before = self.undo.take()?;
        self.frto.forget();
        Some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::LossDetectorKind;
    use crate::wire::clock;

    const BEFORE: Before = Before { cwnd: 20.0, ssthresh: 100.0 };
    const REPAIRED: Standing = Standing { repairs_timeout: false, recovering: false, under_way: false };

    fn at(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    /// A sender reduced its window and sent the first segment again.
    fn repairing() -> Spurious {
        let judge = LossDetectorKind::Rack;
        let mut spurious =
            Spurious::new(&TcpConfig { undo: true, frto: true, judge, ..TcpConfig::default() });
        spurious.reduce(BEFORE, 0, false);
        spurious.sent_again(at(10));
        spurious
    }

    /// All that was sent again has come twice: that says of a timeout that it was needless, while its data are
    /// outstanding.
    #[test]
    fn what_came_twice_shows_a_needless_timeout() {
        let mut spurious = repairing();
        let after_timeout = Standing { repairs_timeout: true, ..REPAIRED };
        assert_eq!(spurious.judge(after_timeout), Shown::Nothing);
        spurious.came_twice(1000, 1);
        assert_eq!(
            [after_timeout, REPAIRED].map(|it| spurious.judge(it)),
            [Shown::NeedlessTimeout, Shown::Nothing]
        );
    }

    /// An echo from before the repair shows in recovery that segments came out of order, unless repairs are still under
    /// way.
    #[test]
    fn an_echo_from_before_the_repair_shows_that_nothing_was_lost() {
        let mut spurious = repairing();
        let recovering = Standing { recovering: true, ..REPAIRED };
        spurious.hear_echo(clock(at(5)));
        assert_eq!(spurious.judge(recovering), Shown::OutOfOrder);
        assert_eq!(spurious.judge(Standing { under_way: true, ..recovering }), Shown::Nothing);
        assert_eq!(spurious.judge(REPAIRED), Shown::Nothing, "no recovery is to be ended");
        spurious.hear_echo(clock(at(15)));
        assert_eq!(spurious.judge(recovering), Shown::Nothing);
    }

    /// Once it is taken back, nothing is in doubt any more; without a reduction nothing can be.
    #[test]
    fn a_reduction_is_taken_back_once() {
        let mut spurious = repairing();
        spurious.time_out(true, 5000);
        assert!(spurious.doubts_timeout());
        assert_eq!(spurious.take_back(), Some(BEFORE));
        assert!(!spurious.doubts_timeout() && !spurious.is_pending());
        spurious.time_out(true, 5000);
        assert_eq!(spurious.take_back(), None);
        assert!(spurious.doubts_timeout(), "nothing was taken back, so the question stays");
        spurious.find_loss();
        assert!(!spurious.doubts_timeout());
    }
}
