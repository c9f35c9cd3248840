//! Loss recovery of a sender: fast retransmit and recovery (RFC 5681 §3.2, RFC 6582), SACK-based recovery
//! (RFC 6675 §5), and the retransmission timeout (RFC 6298 §5, go-back-N).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::config::{Loss, PartialAckRestart, RtoSsthresh, SackRule};
use crate::tcp::loss;
use crate::tcp::loss::LossDetector;
use crate::tcp::loss::Trigger;
use crate::tcp::recovery::{AnyRecovery, Next, Recovery, Seen};
use crate::tcp::window::{LossResponse, PartialAck};
use crate::units::SimTime;

impl Sender {
    /// A loss was judged without a timeout.
    pub(super) fn enter_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.fast_retransmits += 1;
        let first = self.losses.first_lost(self.stream.una());
        out.put(Action::Event(Event::FastRetransmit { seq: first.unwrap_or(self.stream.una()) }));
        let recover = self.stream.max_sent();
        self.losses.detected(&self.stream);
        self.timing.rto_mut().void();
        self.note_reduction();
        self.spurious.find_loss();
        let answered = self.ecn.has_answered(self.stream.una());
        match self.control.on_loss(self.losses.dupacks(), answered) {
            LossResponse::GoBack => {
                self.send_all_again();
                self.restart_timer(now, out);
            }
            LossResponse::FastRecovery => {
                self.phase = Phase::Recovery { recover, restarted: false };
                let repaired = self.losses.detector().repaired();
                if self.recovery.governs() {
                    self.control.window_mut().inflation = 0;
                    self.stream.go_on();
                    let mut recovery = self.recovery.clone();
                    recovery.begin(&self.seen_in_recovery());
                    self.recovery = recovery;
                    self.losses.board_mut().begin(self.stream.una().max(repaired));
                }
                self.restart_timer(now, out);
                if let Some(first) = first.filter(|_| repaired <= self.stream.una()) {
                    self.repair(now, first, out);
                }
            }
        }
        self.counters.tail_finds += u64::from(self.timing.awaits_probe());
        self.timing.forget_probe();
        self.ecn.reduced(self.stream.max_sent());
        if !self.sends_by_recovery() || self.recovery.sends_at_once() {
            self.send_more(now, out);
        }
    }

    /// Everything that was outstanding at the loss is acknowledged. With SACK the recovery point has done its work
    /// (RFC 6675 §5 (A)); without, and in ns-2, it tells later duplicates of old segments from a new loss (RFC 6582 §3.2).
    pub(super) fn leave_recovery(&mut self) {
        self.phase = Phase::Open;
        self.control.window_mut().leave_recovery();
        if self.config.loss == Loss::Sack && self.config.sack_rule == SackRule::Rfc6675 {
            self.losses.forget_recovery_point();
        }
    }

    /// Sends a lost segment again, as soon as the send gate lets it through.
    pub(super) fn repair<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
        if self.room.lets_repair(now, seq) {
            let (_, hole) = self.losses.board().hole_from(seq);
            let end = self.stream.again_end(seq, hole);
            self.transmit(now, seq, end, out);
            self.losses.board_mut().retransmitted(end);
            if self.sends_by_recovery() {
                self.recovery.on_repair(end - seq);
            }
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
        if self.recovery.governs() {
            self.recovery.on_partial_ack();
            return self.restart_timer(now, out);
        }
        match self.control.on_partial_ack(segments) {
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
                self.repair(now, self.stream.una(), out);
            }
        }
    }

    /// The retransmission timer has fired: slow start from the first unacknowledged byte.
    pub(super) fn on_timeout<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.stop_probing();
        if self.stream.una() >= self.stream.max_sent() {
            return;
        }
        let marked = self.ecn.timed_out(self.stream.max_sent());
        if !marked {
            self.counters.timeouts += 1;
            out.put(Action::Event(Event::Timeout { seq: self.stream.una() }));
        }
        let recovering = matches!(std::mem::replace(&mut self.phase, Phase::Open), Phase::Recovery { .. });
        let repairs = recovering || self.losses.repairs_timeout(self.stream.una());
        let again = self.losses.time_out(&self.stream);
        let keeps = marked
            || match self.config.rto_ssthresh {
                RtoSsthresh::First => again,
                RtoSsthresh::OutsideRecovery => again || recovering,
                RtoSsthresh::Every => false,
            };
        if !keeps {
            self.note_reduction();
        }
        self.spurious.time_out(!repairs || again, self.stream.max_sent());
        self.control.on_timeout(keeps);
        if self.losses.detector().observes_all_acks() {
            self.detect_loss(now, loss::Input::Timeout);
        }
        self.timing.rto_mut().back_off();
        self.losses.count(0);
        self.room.owe_nothing();
        self.timing.forget_probe();
        // The timer runs even if the send gate lets nothing out now: a timeout must never be lost.
        self.timing.start(now, out);
        self.losses.doubt_held(self.stream.una());
        if self.losses.are_marked() {
            self.mark_losses(now, Trigger::Timeout);
            self.repair(now, self.stream.una(), out); // whatever else is in the network
        } else {
            self.send_all_again();
        }
        self.send_more(now, out);
    }

    /// All that is outstanding is to be sent again.
    pub(super) fn send_all_again(&mut self) {
        self.losses.lose_all();
        if !self.losses.are_marked() {
            self.stream.go_back();
        }
    }

    /// Whether the rule of recovery, not the window's edge, says what may be sent.
    pub(super) fn sends_by_recovery(&self) -> bool {
        self.recovery.governs() && matches!(self.phase, Phase::Recovery { .. })
    }

    /// Sends what the rule of recovery has room for (RFC 6675 §5 (C)); outside of recovery, where losses are marked, what the
    /// window has room for.
    pub(super) fn send_by_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let recovering = self.sends_by_recovery();
        let seen = self.seen_in_recovery();
        let mut recovery = if recovering { self.recovery.clone() } else { AnyRecovery::PIPE };
        recovery.look(&seen);
        while self.room.is_open(now) {
            let before = self.stream.max_sent();
            let bytes = match recovery.next(&self.seen_in_recovery()) {
                Next::Nothing => break,
                Next::Again(start, end) => {
                    self.transmit(now, start, end, out);
                    self.losses.board_mut().retransmitted(end);
                    end - start
                }
                Next::New => {
                    self.send_next(now, out);
                    self.stream.max_sent() - before
                }
            };
            recovery.sent(bytes);
        }
        if recovering {
            self.recovery = recovery;
        }
        self.spurious.sent();
    }

    pub(super) fn seen_in_recovery(&self) -> Seen<'_> {
        let stream = &self.stream;
        Seen {
            una: stream.una(),
            max_sent: stream.max_sent(),
            segment: stream.segment(),
            cwnd: self.control.window().cwnd,
            ssthresh: self.control.window().ssthresh,
            new: self.room.holds_next(stream),
            new_first: self.spurious.prefers_new(),
            scoreboard: self.losses.board(),
            marks: self.losses.marks(),
        }
    }
}
