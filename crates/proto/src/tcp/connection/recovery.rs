//! Loss recovery of a sender: fast retransmit and recovery (RFC 5681 §3.2, RFC 6582), SACK-based recovery
//! (RFC 6675 §5), and the retransmission timeout (RFC 6298 §5, go-back-N).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::config::{Loss, PartialAckRestart, RtoSsthresh, SackRule};
use crate::tcp::loss;
use crate::tcp::loss::LossDetector;
use crate::tcp::window::{LossResponse, PartialAck, WindowRule};
use crate::units::SimTime;

impl Sender {
    /// A loss was judged without a timeout.
    pub(super) fn enter_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.fast_retransmits += 1;
        out.put(Action::Event(Event::FastRetransmit { seq: self.una }));
        let recover = self.max_sent;
        self.recover_mark = Some(recover);
        self.last_detected = Some(self.una);
        self.rto.void();
        let (cwnd, ssthresh) = (self.congestion.cwnd, self.congestion.ssthresh);
        match self.rule.on_loss(&mut self.congestion, self.dupacks) {
            LossResponse::GoBack => {
                self.nxt = self.una;
                self.restart_timer(now, out);
            }
            LossResponse::FastRecovery => {
                if self.ecn.has_answered(self.una) {
                    (self.congestion.cwnd, self.congestion.ssthresh) = (cwnd, ssthresh);
                }
                self.phase = Phase::Recovery { recover, restarted: false };
                let repaired = self.loss_detector.repaired();
                if self.config.loss == Loss::Sack {
                    self.congestion.inflation = 0;
                    self.count_outstanding();
                    self.scoreboard.begin(self.una.max(repaired));
                }
                self.restart_timer(now, out);
                if repaired <= self.una {
                    self.repair(now, self.una, out);
                }
            }
        }
        self.ecn.reduced(self.max_sent, self.config.ecn_rule);
        if !self.sends_as_sack1() {
            self.send_more(now, out);
        }
    }

    /// Everything that was outstanding at the loss is acknowledged. With SACK the recovery point has done its work
    /// (RFC 6675 §5 (A)); without, and in ns-2, it tells later duplicates of old segments from a new loss (RFC 6582 §3.2).
    pub(super) fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.congestion.leave_recovery();
        if self.config.loss == Loss::Sack && self.config.sack_rule == SackRule::Rfc6675 {
            self.recover_mark = None;
        }
    }

    /// Sends a lost segment again, as soon as the send gate lets it through.
    pub(super) fn repair<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
        self.owed = (self.budget == 0).then_some(seq);
        if self.owed.is_none() {
            let (_, hole) = self.scoreboard.hole_from(seq);
            let end = seq.saturating_add(self.segment()).min(hole).min(self.max_sent);
            self.transmit(now, seq, end, out);
            self.scoreboard.retransmitted(end);
        }
    }

    /// A new ACK in recovery that stops short of its end.
    pub(super) fn on_partial_ack<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        segments: f64,
        recover: u64,
        restarted: bool,
        out: &mut S,
    ) {
        if self.config.loss == Loss::Sack {
            self.pipe -= 2; // what was sent again, and what it was sent for
            return self.restart_timer(now, out); // the pipe decides what is sent
        }
        match self.rule.on_partial_ack(&mut self.congestion, segments) {
            PartialAck::Leave => {
                self.phase = Phase::Open;
                self.restart_timer(now, out);
                self.grow(now, segments);
            }
            PartialAck::Stay => {
                if !restarted || self.config.partial_ack_restart == PartialAckRestart::Every {
                    self.restart_timer(now, out);
                }
                self.phase = Phase::Recovery { recover, restarted: true };
                self.repair(now, self.una, out);
            }
        }
    }

    /// The retransmission timer has fired: slow start from the first unacknowledged byte.
    pub(super) fn on_timeout<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.persist.stop();
        if self.una >= self.max_sent {
            return;
        }
        let marked = self.ecn.timed_out(self.max_sent, self.config.ecn_rule);
        if !marked {
            self.counters.timeouts += 1;
            out.put(Action::Event(Event::Timeout { seq: self.una }));
        }
        self.phase = Phase::Open;
        self.recover_mark = Some(self.max_sent);
        self.last_detected = None;
        let again = self.timed_out.replace(self.una) == Some(self.una);
        let keeps = marked || again && self.config.rto_ssthresh == RtoSsthresh::First;
        self.rule.on_timeout(&mut self.congestion, keeps);
        if self.loss_detector.observes_all_acks() {
            self.detect_loss(now, loss::Input::Timeout);
        }
        self.rto.back_off();
        self.scoreboard.clear(self.una);
        self.dupacks = 0;
        self.owed = None;
        self.nxt = self.una;
        // The timer runs even if the send gate lets nothing out now: a timeout must never be lost.
        self.arm(now + self.rto.rto(), out);
        self.send_more(now, out);
    }

    /// Whether the SACK pipe, not the window's edge, governs what may be sent.
    pub(super) fn sends_by_pipe(&self) -> bool {
        self.config.loss == Loss::Sack && matches!(self.phase, Phase::Recovery { .. })
    }

    /// RFC 6675 §5 (C): while the pipe has room, holes first, then new data.
    pub(super) fn send_by_pipe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.is_sack1() {
            return self.send_as_sack1(now, out);
        }
        let segment = self.segment();
        let window = self.congestion.cwnd.max(1.0) * segment as f64;
        let mut pipe = self.scoreboard.pipe(self.una, self.max_sent, segment);
        while self.budget > 0 && (pipe + segment) as f64 <= window {
            let lost = self.scoreboard.next_hole(self.una, segment, false);
            let new = lost.is_none() && self.may_send_new();
            let hole = if new { None } else { lost.or_else(|| self.rescue()) };
            pipe += match hole {
                Some((start, end)) => {
                    self.transmit(now, start, end, out);
                    self.scoreboard.retransmitted(end);
                    end - start
                }
                None if new => {
                    let before = self.max_sent;
                    self.send_next(now, out);
                    self.max_sent - before
                }
                None => break,
            };
        }
    }

    /// NextSeg rule 2: new data wait, and the receiver's window has room for them.
    pub(super) fn may_send_new(&mut self) -> bool {
        self.nxt = self.max_sent;
        self.nxt < self.written && self.next_end() <= self.window_edge()
    }

    /// NextSeg rule 3: a hole that is not judged lost.
    pub(super) fn rescue(&self) -> Option<(u64, u64)> {
        self.scoreboard.next_hole(self.una, self.segment(), true)
    }
}
