//! Retry policy: contention window and retry counters, IEEE 802.11-2020 §10.3.3 and §10.3.4.4.
//!
//! A limit L means L attempts in total. The short counter counts RTS (and data at or below the RTS threshold),
//! the long counter counts data above it; a CTS resets the short counter but not the window. With
//! `retry-count = "per-frame"` one counter counts all that fails of a frame.

use super::Rounds;
use crate::contract::Cause;
use crate::mac::config::{BackoffDraw, DcfConfig, RetryCount, RoundWindow, WindowAfterGiveUp};
use crate::units::Rng;

/// Contention window and retry counters of one station.
#[derive(Clone, Debug)]
pub struct Retry {
    cw: u32,
    short: u32,
    long: u32,
    cw_min: u32,
    cw_max: u32,
    short_limit: u32,
    long_limit: u32,
    exclusive: u32,
    early_reset: bool,
    per_frame: bool,
    keep_window: bool,
    /// Failures since the window was narrow, counted only if a give-up keeps it.
    failures: u32,
    /// Where one limit is not all that a frame has.
    rounds: Option<Box<Rounds>>,
    rng: Rng,
}

impl Retry {
    /// A station that has not sent yet.
    #[must_use]
    pub fn new(config: &DcfConfig, rng: Rng) -> Self {
        Self {
            cw: config.cw_min,
            short: 0,
            long: 0,
            cw_min: config.cw_min,
            cw_max: config.cw_max,
            short_limit: config.short_retry_limit,
            long_limit: config.long_retry_limit,
            exclusive: u32::from(config.backoff_draw == BackoffDraw::Exclusive),
            early_reset: config.early_reset,
            per_frame: config.retry_count == RetryCount::PerFrame,
            keep_window: config.window_after_give_up == WindowAfterGiveUp::Keep,
            failures: 0,
            rounds: Rounds::new(&config.rounds),
            rng,
        }
    }

    /// Draws a back-off in slots from the present window.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        self.rng.below(self.cw + 1 - self.exclusive)
    }

    /// Draws for something else.
    pub(super) fn split(&mut self) -> Rng {
        self.rng.split()
    }

    /// The window for the next attempt, doubled.
    #[inline]
    pub fn widen(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// An RTS got no CTS. Returns the cause if that was the last try.
    #[inline]
    pub fn rts_failed(&mut self) -> Option<Cause> {
        let (counter, limit) = if self.per_frame {
            (&mut self.long, self.long_limit)
        } else {
            (&mut self.short, self.short_limit)
        };
        *counter += 1;
        let last = *counter >= limit;
        self.judge(last, Cause::RtsLimit)
    }

    /// A data frame got no Ack; `long` if it is above the RTS threshold.
    #[inline]
    pub fn data_failed(&mut self, long: bool) -> Option<Cause> {
        let (counter, limit) =
            if long { (&mut self.long, self.long_limit) } else { (&mut self.short, self.short_limit) };
        *counter += 1;
        let last = *counter >= limit;
        self.judge(last, Cause::DataLimit)
    }

    /// A CTS arrived: the RTS counter starts afresh, the window stays.
    #[inline]
    pub const fn cts_received(&mut self) {
        self.short = 0;
        if self.early_reset {
            self.cw = self.cw_min;
        }
    }

    /// Data arrived after an own CTS: that concerns the own frames only under `early-reset`.
    #[inline]
    pub const fn cts_answered(&mut self) {
        if self.early_reset {
            self.cts_received();
        }
    }

    /// The frame got through.
    #[inline]
    pub fn delivered(&mut self) {
        self.reset();
        if let Some(rounds) = &mut self.rounds {
            rounds.delivered();
        }
    }

    /// The frame got through, or was given up and the window falls back: everything starts afresh.
    #[inline]
    pub const fn reset(&mut self) {
        self.short = 0;
        self.long = 0;
        self.cw = self.cw_min;
        self.failures = 0;
    }

    /// Present contention window in slots.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.cw
    }

    /// Further rounds of retries so far, if there may be any.
    #[must_use]
    pub fn rounds(&self) -> Option<u64> {
        self.rounds.as_ref().map(|rounds| rounds.begun())
    }

    fn judge(&mut self, last: bool, cause: Cause) -> Option<Cause> {
        if self.rounds.is_some() && self.goes_on(last) {
            return None;
        }
        if self.keep_window {
            return self.judge_and_keep(last, cause);
        }
        if last {
            self.reset();
            return Some(cause);
        }
        self.widen();
        None
    }

    /// Whether the limit of this round is reached and another one begins.
    #[cold]
    fn goes_on(&mut self, last: bool) -> bool {
        let Some(rounds) = &mut self.rounds else { return false };
        let another = rounds.failed(last);
        match another {
            Some(RoundWindow::Keep) => self.widen(),
            Some(RoundWindow::Reset) => self.cw = self.cw_min,
            None if last => rounds.next_frame(),
            None => {}
        }
        if another.is_some() {
            (self.short, self.long) = (0, 0);
        }
        another.is_some()
    }

    /// A give-up widens the window like every failure; the failure after `short-retry-limit` of them narrows it.
    #[cold]
    fn judge_and_keep(&mut self, last: bool, cause: Cause) -> Option<Cause> {
        if self.failures == self.short_limit {
            self.cw = self.cw_min;
            self.failures = 0;
        } else {
            self.widen();
            self.failures += 1;
        }
        if last {
            (self.short, self.long) = (0, 0);
        }
        last.then_some(cause)
    }
}
