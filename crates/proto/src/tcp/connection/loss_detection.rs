//! How a sender uses its loss detector ([`crate::tcp::loss`]): decisions that are put off have a timer, and some
//! retransmissions leave the window as it is.

use super::sender::{Phase, Sender};
use super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::loss::{AckInfo, Evidence, Input, LossDecision, LossDetector};
use crate::units::SimTime;

impl Sender {
    /// What the evidence says now.
    pub(super) fn detect_loss(&mut self, now: SimTime, input: Input) -> LossDecision {
        let evidence = Evidence {
            now,
            una: self.una,
            max_sent: self.max_sent,
            segment: u64::from(self.config.segment.0),
            dupacks: self.dupacks,
            cwnd: self.congestion.cwnd,
            srtt: self.rto.srtt(),
            recovering: matches!(self.phase, Phase::Recovery { .. }),
            recover: self.recover_mark,
            last_detected: self.last_detected,
            recover_guard: self.config.careful,
            sack_rule: self.config.sack_rule,
            scoreboard: &self.scoreboard,
        };
        self.loss_detector.detect(input, &evidence)
    }

    /// A detector that observes all ACKs hears of every new one, in recovery too.
    pub(super) fn detect_in_recovery<S: Sink<Action>>(&mut self, now: SimTime, said: AckInfo, out: &mut S) {
        if self.loss_detector.observes_all_acks() {
            let decision = self.detect_loss(now, Input::NewAck(said));
            self.apply_loss_decision(now, decision, out);
        }
    }

    /// The loss detector's timer has fired. While a shim holds the sender, it is only noted.
    #[cold]
    pub(super) fn on_loss_detector_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.loss_detector_at = SimTime::MAX;
        let decision = self.detect_loss(now, Input::Timer);
        if !self.frozen {
            self.apply_loss_decision(now, decision, out);
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
                self.congestion.cwnd = self.congestion.cwnd.min(segments.max(1.0));
                self.retransmit_without_congestion(now, seq, out);
            }
            LossDecision::SlowDown => self.slow_down(),
            LossDecision::Lost => {
                if self.phase == Phase::Open && self.una < self.max_sent {
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
        if seq >= self.una && seq < self.max_sent {
            self.rto.void();
            self.repair(now, seq, out);
        }
    }

    /// Lets one segment out that has never been sent, whatever the congestion window says.
    #[cold]
    pub(super) fn send_one_new<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let may = self.nxt == self.max_sent && self.nxt < self.written && self.budget > 0;
        if may && self.next_end() <= self.window_edge() {
            self.counters.limited += 1;
            self.send_next(now, out);
        }
    }

    /// Asks for the loss detector's timer, if it has moved.
    #[cold]
    pub(super) fn arm_loss_detector<S: Sink<Action>>(&mut self, out: &mut S) {
        let at = self.loss_detector.deadline();
        if at != self.loss_detector_at {
            self.loss_detector_at = at;
            out.put(Action::Arm(Timer::LossDetector, at));
        }
    }
}
