//! How a sender has losses judged ([`crate::tcp::loss`]), and what it makes of judgements that are put off,
//! with a timer of their own, or are carried out without a word to the window.

use super::sender::{Phase, Sender};
use super::{Action, Timer};
use crate::port::Sink;
use crate::tcp::loss::{Evidence, Input, Judgement, Said};
use crate::units::SimTime;

impl Sender {
    /// What the evidence says now.
    pub(super) fn judge(&mut self, now: SimTime, input: Input) -> Judgement {
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
            judged: self.judged,
            careful: self.config.careful,
            sack_rule: self.config.sack_rule,
            scoreboard: &self.scoreboard,
        };
        self.judge.judge(input, &evidence)
    }

    /// An attentive judgement hears of every new ACK, in recovery too.
    pub(super) fn judge_in_recovery<S: Sink<Action>>(&mut self, now: SimTime, said: Said, out: &mut S) {
        if self.judge.is_attentive() {
            let judgement = self.judge(now, Input::NewAck(said));
            self.follow(now, judgement, out);
        }
    }

    /// The judgement's timer has fired. While a shim holds the sender, it is only noted.
    #[cold]
    pub(super) fn on_judgement_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.judgement_at = SimTime::MAX;
        let judgement = self.judge(now, Input::Timer);
        if !self.frozen {
            self.follow(now, judgement, out);
        }
    }

    pub(super) fn follow<S: Sink<Action>>(&mut self, now: SimTime, judgement: Judgement, out: &mut S) {
        match judgement {
            Judgement::Wait => {}
            Judgement::SendNew => self.send_one_new(now, out),
            Judgement::Repair { seq } => self.repair_alone(now, seq, out),
            Judgement::RepairWithin { seq, segments } => {
                self.congestion.cwnd = self.congestion.cwnd.min(segments.max(1.0));
                self.repair_alone(now, seq, out);
            }
            Judgement::Slow => self.slow_down(),
            Judgement::Lost => {
                if self.phase == Phase::Open && self.una < self.max_sent {
                    self.enter_recovery(now, out);
                }
            }
        }
    }

    /// Sends a segment again that is lost without congestion.
    #[cold]
    pub(super) fn repair_alone<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
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

    /// Asks for the judgement's timer, if it has moved.
    #[cold]
    pub(super) fn arm_judgement<S: Sink<Action>>(&mut self, out: &mut S) {
        let at = self.judge.deadline();
        if at != self.judgement_at {
            self.judgement_at = at;
            out.put(Action::Arm(Timer::Judgement, at));
        }
    }
}
