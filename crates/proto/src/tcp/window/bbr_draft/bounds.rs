//! What losses say of the path: bounds of the last probe for bandwidth, and of the last rounds (§5.5.10).

use super::path::State;
use super::sample::Sample;

/// What is left of a bound in a round with a loss (`BBR.Beta`, §2.8).
pub(super) const BETA: f64 = 0.7;
/// Share of what is in flight that may be lost while it probes (`BBR.LossThresh`, §2.8).
pub(super) const LOSS: f64 = 0.02;
/// Share of the bound that is left to others (`BBR.Headroom`, §2.8).
const HEADROOM: f64 = 0.15;
/// Least window (`BBR.MinPipeCwnd`, §2.8).
pub(super) const LEAST: f64 = 4.0;

/// Bounds in segments and segments a second; infinite where nothing bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// Rate that losses since the last probe leave (`BBR.bw_shortterm`).
    pub(super) rate: f64,
    /// Segments in flight that they leave (`BBR.inflight_shortterm`).
    pub(super) short: f64,
    /// Segments in flight that the last probes found to be too many (`BBR.inflight_longterm`).
    pub(super) long: f64,
}

impl Limits {
    const NONE: Self = Self { rate: f64::INFINITY, short: f64::INFINITY, long: f64::INFINITY };

    /// The larger of each.
    pub(super) const fn at_least(&mut self, other: &Self) {
        self.rate = self.rate.max(other.rate);
        self.short = self.short.max(other.short);
        self.long = self.long.max(other.long);
    }
}

/// Bounds, and what was delivered in the last round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) limits: Limits,
    /// Largest rate and largest volume of a round (`BBR.bw_latest`, `BBR.inflight_latest`).
    pub(super) latest: (f64, f64),
    /// Delivered bytes with which the round of losses ends.
    round_ends: u64,
    /// Whether the last ACK ended it.
    pub(super) round: bool,
    /// Whether something was lost in it.
    pub(super) loses: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { limits: Limits::NONE, latest: (0.0, 0.0), round_ends: 0, round: false, loses: false }
    }
}

impl Bounds {
    /// `UpdateLatestDeliverySignals`.
    pub(super) fn see(&mut self, sample: &Sample) {
        self.latest.0 = self.latest.0.max(sample.rate.unwrap_or(0.0));
        self.latest.1 = self.latest.1.max(sample.delivered);
        self.round = sample.prior.is_some_and(|prior| prior >= self.round_ends);
        if self.round {
            self.round_ends = sample.total;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn advance(&mut self, sample: &Sample) {
        if self.round {
            self.latest = (sample.rate.unwrap_or(0.0), sample.delivered);
        }
    }

    /// A loss, with so many bytes delivered (`NoteLoss`).
    pub(super) const fn note_loss(&mut self, delivered: u64) {
        if !self.loses {
            self.round_ends = delivered;
        }
        self.loses = true;
    }

    /// Once a round (`AdaptLowerBoundsFromCongestion`): losses while it does not probe leave what was delivered, and at
    /// least the share.
    pub(super) fn adapt(&mut self, state: State, max_rate: f64, cwnd: f64) {
        if !self.round {
            return;
        }
        if self.loses && !state.accelerates() {
            let first = |limit: f64, now: f64| if limit.is_finite() { limit } else { now };
            self.limits.rate = self.latest.0.max(BETA * first(self.limits.rate, max_rate));
            self.limits.short = self.latest.1.max(BETA * first(self.limits.short, cwnd));
        }
        self.loses = false;
    }

    /// `ResetCongestionSignals`.
    pub(super) const fn forget_signals(&mut self) {
        (self.loses, self.latest) = (false, (0.0, 0.0));
    }

    /// `ResetShortTermModel`.
    pub(super) const fn forget_short(&mut self) {
        (self.limits.rate, self.limits.short) = (f64::INFINITY, f64::INFINITY);
    }

    /// Segments in flight that leave room for others (`InflightWithHeadroom`, §5.3.3.9).
    pub(super) fn with_headroom(&self) -> f64 {
        let long = self.limits.long;
        if long.is_infinite() {
            return long;
        }
        (long - (HEADROOM * long).max(1.0)).max(LEAST)
    }

    /// Largest window (`BoundCwndForModel`, §5.6.4.7).
    pub(super) fn cap(&self, state: State) -> f64 {
        let long = match state {
            State::Down | State::Refill | State::Up => self.limits.long,
            State::Cruise | State::ProbeRtt => self.with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        long.min(self.limits.short).max(LEAST)
    }
}
