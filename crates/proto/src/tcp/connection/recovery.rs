//! Loss recovery of a sender: fast retransmit and recovery (RFC 5681 §3.2, RFC 6582), SACK-based recovery
//! (RFC 6675 §5), and the retransmission timeout (RFC 6298 §5, go-back-N).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::port::Sink;
use crate::tcp::config::{Loss, PartialAckRestart, RtoSsthresh};
use crate::tcp::window::{Entry, PartialAck};
use crate::units::SimTime;

impl Sender {
    /// A loss was judged without a timeout.
    pub(super) fn enter_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.fast_retransmits += 1;
        out.put(Action::Event(Event::FastRetransmit { seq: self.una }));
        let recover = self.max_sent;
        self.recover_mark = Some(recover);
        self.rto.void();
        match self.congestion.on_loss(self.config.window, self.dupacks) {
            Entry::GoBack => {
                self.nxt = self.una;
                self.restart_timer(now, out);
            }
            Entry::FastRecovery => {
                self.phase = Phase::Recovery { recover, restarted: false };
                if self.config.loss == Loss::Sack {
                    self.congestion.inflation = 0;
                    self.scoreboard.begin(self.una);
                }
                self.restart_timer(now, out);
                self.repair(now, self.una, out);
            }
        }
        self.send_more(now, out);
    }

    /// Sends a lost segment again, as soon as the send gate lets it through.
    pub(super) fn repair<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
        self.owed = (self.budget() == 0).then_some(seq);
        if self.owed.is_none() {
            let end = self.transmit(now, seq, out);
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
            return self.restart_timer(now, out); // the pipe decides what is sent
        }
        match self.congestion.on_partial_ack(&self.config, segments) {
            PartialAck::Leave => {
                self.phase = Phase::Open;
                self.restart_timer(now, out);
                self.congestion.open();
            }
            PartialAck::Stay => {
                if !restarted || self.config.partial_ack_restart == PartialAckRestart::Every {
                    self.restart_timer(now, out);
                }
                self.phase = Phase::Recovery { recover, restarted: true };
                self.rto.void();
                self.repair(now, self.una, out);
            }
        }
    }

    /// The retransmission timer has fired: slow start from the first unacknowledged byte.
    pub(super) fn on_timeout<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.una >= self.max_sent {
            return;
        }
        self.counters.timeouts += 1;
        out.put(Action::Event(Event::Timeout { seq: self.una }));
        self.phase = Phase::Open;
        self.recover_mark = Some(self.max_sent);
        let again = self.timed_out.replace(self.una) == Some(self.una);
        self.congestion.on_timeout(again && self.config.rto_ssthresh == RtoSsthresh::First);
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
        let segment = u64::from(self.config.segment.0);
        let window = self.congestion.cwnd.max(1.0) * segment as f64;
        let mut pipe = self.scoreboard.pipe(self.una, self.max_sent, segment);
        while self.budget() > 0 && (pipe + segment) as f64 <= window {
            if let Some(hole) = self.scoreboard.next_hole(self.una, segment, false) {
                let end = self.transmit(now, hole, out);
                self.scoreboard.retransmitted(end);
            } else if self.max_sent < self.written() && self.max_sent < self.una + self.peer_window() {
                self.nxt = self.max_sent;
                self.send_next(now, out);
            } else if let Some(hole) = self.scoreboard.next_hole(self.una, segment, true) {
                let end = self.transmit(now, hole, out);
                self.scoreboard.retransmitted(end);
            } else {
                break;
            }
            pipe += segment;
        }
    }
}
