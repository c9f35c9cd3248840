//! How a sender uses its loss detector ([`crate::tcp::loss`]): decisions that are put off have a timer, and some
//! retransmissions leave the window as it is.

use super::Action;
use super::losses::Around;
use super::sender::{Phase, Sender};
use crate::contract::Sink;
use crate::tcp::config::RtoRestart;
use crate::tcp::loss::{AckInfo, Input, LossDecision, LossDetector, Marking, Trigger};
use crate::units::SimTime;

impl Sender {
    /// What the evidence says now.
    pub(super) fn detect_loss(&mut self, now: SimTime, input: Input) -> LossDecision {
        let around = Around {
            stream: &self.stream,
            cwnd: self.control.window().cwnd,
            srtt: self.timing.rto().srtt(),
            recovering: matches!(self.phase, Phase::Recovery { .. }),
        };
        self.losses.detect(now, input, &around)
    }

    /// A detector that marks losses does so, in the log of sent segments; returns how many bytes are newly lost.
    pub(super) fn mark_losses(&mut self, now: SimTime, trigger: Trigger<'_>) -> u64 {
        let seen = Marking {
            trigger,
            now,
            una: self.stream.una(),
            segment: self.stream.segment(),
            srtt: self.timing.rto().srtt(),
            recovering: matches!(self.phase, Phase::Recovery { .. }),
        };
        let lost = self.losses.mark(seen);
        self.tell_losses(now);
        lost
    }

    /// Whether a repair of the first segment starts the retransmission timer afresh.
    pub(super) fn restarts_with_repairs(&self) -> bool {
        self.config.rto_restart == RtoRestart::Sack && self.losses.are_marked()
    }

    /// SACK has told of a segment that was sent before the first one was sent last: what is ahead of the repair still arrives.
    pub(super) fn restart_behind<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.losses.shows_earlier_than_first() && !self.timing.is_probing() {
            self.timing.start(now, out);
        }
    }

    /// A detector that observes all ACKs hears of every new one, in recovery too.
    pub(super) fn detect_in_recovery<S: Sink<Action>>(&mut self, now: SimTime, said: AckInfo, out: &mut S) {
        if self.losses.detector().observes_all_acks() {
            let decision = self.detect_loss(now, Input::NewAck(said));
            self.apply_loss_decision(now, decision, out);
        }
    }

    /// The loss detector's timer has fired. While a shim holds the sender, it is only noted.
    #[cold]
    pub(super) fn on_loss_detector_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.losses.fired();
        self.mark_losses(now, Trigger::Timer);
        let decision = self.detect_loss(now, Input::Timer);
        if !self.timing.is_frozen() && self.is_established() {
            self.apply_loss_decision(now, decision, out);
            if self.losses.are_marked() {
                self.send_more(now, out);
            }
        }
    }

    pub(super) fn apply_loss_decision<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        decision: LossDecision,
        out: &mut S,
    ) {
        match decision {
            LossDecision::Wait => {}
            LossDecision::SendNew => self.send_one_new(now, out),
            LossDecision::Retransmit { seq } => self.retransmit_without_congestion(now, seq, out),
            LossDecision::RetransmitWithin { seq, segments } => {
                self.control.window_mut().cwnd = self.control.window().cwnd.min(segments.max(1.0));
                self.retransmit_without_congestion(now, seq, out);
            }
            LossDecision::SlowDown => self.slow_down(false),
            LossDecision::Lost => {
                if self.phase == Phase::Open && self.stream.outstanding() > 0 {
                    self.enter_recovery(now, out);
                }
            }
        }
    }

    /// Sends a segment again that is lost without congestion.
    #[cold]
    pub(super) fn retransmit_without_congestion<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        seq: u64,
        out: &mut S,
    ) {
        if seq >= self.stream.una() && seq < self.stream.max_sent() {
            self.timing.rto_mut().void();
            self.repair(now, seq, out);
        }
    }

    /// Lets one segment out that has never been sent, whatever the congestion window says.
    #[cold]
    pub(super) fn send_one_new<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let fresh = self.stream.nxt() == self.stream.max_sent();
        if fresh && self.room.lets_out(now, &self.stream, self.room.edge(&self.stream)) {
            self.counters.limited += 1;
            self.send_next(now, out);
        }
    }
}
