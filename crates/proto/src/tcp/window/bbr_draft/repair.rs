//! The window that a recovery or PROBE_RTT began with, which its end brings back (§5.6.4.4), and what a recovery that
//! was needless changed (§5.5.11).

use super::bounds::Limits;
use super::path::State;
use crate::tcp::window::contract::AckSample;

/// What is remembered of a recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repair {
    /// Last window that neither a recovery nor PROBE_RTT had changed.
    window: f64,
    /// Whether losses are under repair.
    recovering: bool,
    /// After a timeout: until this byte is acknowledged; [`u64::MAX`] until the next ACK tells which.
    timed_out: Option<u64>,
    /// The bounds before the first loss.
    limits: Option<Limits>,
    /// The state that a loss has ended.
    left: Option<State>,
}

impl Repair {
    /// `SaveCwnd`.
    pub(super) const fn save_window(&mut self, cwnd: f64, state: State) {
        let fresh = !self.is_under_way() && !matches!(state, State::ProbeRtt);
        self.window = if fresh { cwnd } else { self.window.max(cwnd) };
    }

    /// `SaveStateUponLoss`. What was before the first loss of a recovery counts, whatever is lost in it later: some of
    /// it may be lost before the recovery begins.
    pub(super) fn save(&mut self, cwnd: f64, state: State, limits: Limits) {
        self.save_window(cwnd, state);
        self.limits.get_or_insert(limits);
    }

    /// A loss has ended this state.
    pub(super) const fn leave(&mut self, state: State) {
        self.left = Some(state);
    }

    /// The window to come back to.
    pub(super) const fn window(&self) -> f64 {
        self.window
    }

    /// Whether losses are under repair (`InLossRecovery`).
    pub(super) const fn is_under_way(&self) -> bool {
        self.recovering || self.timed_out.is_some()
    }

    /// Fast recovery begins.
    pub(super) const fn begin(&mut self) {
        self.recovering = true;
    }

    /// The retransmission timer has fired.
    pub(super) const fn time_out(&mut self) {
        (self.recovering, self.timed_out) = (false, Some(u64::MAX));
    }

    /// An ACK; returns whether it shows that a recovery is over.
    pub(super) fn hear(&mut self, ack: &AckSample, recovering: bool) -> bool {
        if self.timed_out == Some(u64::MAX) {
            self.timed_out = Some(ack.max_sent);
        }
        let repaired = self.timed_out.is_some_and(|end| ack.una >= end);
        if repaired {
            self.timed_out = None;
        }
        let ended = self.recovering && !recovering;
        self.recovering = recovering;
        let over = (repaired || ended) && self.timed_out.is_none();
        if over {
            (self.limits, self.left) = (None, None);
        }
        over
    }

    /// The recovery was needless; returns the bounds before it and the state that it ended.
    pub(super) const fn undo(&mut self) -> (Option<Limits>, Option<State>) {
        (self.recovering, self.timed_out) = (false, None);
        (self.limits.take(), self.left.take())
    }
}
