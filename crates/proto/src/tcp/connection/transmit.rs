//! What a sender sends and when: windows (RFC 9293 §3.8.6), silly-window avoidance (§3.8.6.2.1), limited transmit
//! (RFC 3042), restart after idleness (RFC 5681 §4.1).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::config::{IdleRestart, LimitedTransmit, Loss, RttVoid};
use crate::tcp::loss::DUP_THRESH;
use crate::tcp::recovery::{AnyRecovery, Next, Recovery};
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    /// Sends what window, gate and data allow.
    pub(super) fn send_more<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timing.is_frozen() || !matches!(self.phase, Phase::Open | Phase::Recovery { .. }) {
            return;
        }
        if self.ecn.is_paused() {
            return self.timing.start_if_off(now, out); // it says when the next segment goes (RFC 3168 §6.1.2)
        }
        if let Some(seq) = self.room.owed() {
            self.repair(now, seq, out);
        }
        if self.sends_by_recovery() {
            return self.send_by_recovery(now, out);
        }
        self.restart_after_idleness(now);
        if self.losses.are_marked() {
            self.send_by_recovery(now, out);
        } else {
            let edge = self.stream.una() + self.room.usable(self.window());
            while self.room.lets_out(now, &self.stream, edge) {
                self.send_next(now, out);
            }
        }
        self.watch_window(now, out);
        if self.losses.log().is_some() && !self.stream.has_next() {
            self.losses.note_idleness(&self.stream, self.window());
        }
    }

    /// The congestion window in bytes.
    fn window(&self) -> u64 {
        u64::from(self.control.window().segments()) * self.stream.segment()
    }

    /// Whether the windows would let a segment out.
    pub(super) fn has_more(&self) -> bool {
        if self.losses.are_marked() {
            let mut rule = AnyRecovery::PIPE;
            let seen = self.seen_in_recovery();
            rule.look(&seen);
            return rule.next(&seen) != Next::Nothing;
        }
        self.stream.has_next() && self.stream.nxt() < self.stream.una() + self.room.usable(self.window())
    }

    /// The first and second duplicate ACK let a segment out.
    pub(super) fn limited_transmit<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let rule = self.config.limited_transmit;
        let old = self.stream.nxt() < self.stream.max_sent(); // going back after a timeout
        if self.losses.are_marked() {
            return self.send_more(now, out); // each segment that is held makes room
        }
        if self.losses.dupacks() >= DUP_THRESH
            || rule == LimitedTransmit::Off
            || (old && rule != LimitedTransmit::Ns2)
        {
            return;
        }
        if rule == LimitedTransmit::Rfc3042 && self.config.loss == Loss::Sack {
            return self.limited_transmit_by_pipe(now, out);
        }
        let window =
            u64::from(self.control.window().segments() + self.losses.dupacks()) * self.stream.segment();
        let edge = (self.stream.una() + window).min(self.room.edge(&self.stream));
        if self.room.lets_out(now, &self.stream, edge) {
            self.counters.limited += 1;
            self.send_next(now, out);
        }
    }

    /// RFC 6675 §5 step 3: new data while the pipe has room for a segment.
    fn limited_transmit_by_pipe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let (window, edge) = (self.window(), self.room.edge(&self.stream));
        let mut pipe =
            self.losses.board().pipe(self.stream.una(), self.stream.max_sent(), self.stream.segment());
        while pipe + self.stream.segment() <= window && self.room.lets_out(now, &self.stream, edge) {
            pipe += self.stream.next_end() - self.stream.nxt();
            self.counters.limited += 1;
            self.send_next(now, out);
        }
    }

    /// After an idle time the window says nothing about the path any more.
    fn restart_after_idleness(&mut self, now: SimTime) {
        if self.config.idle_restart == IdleRestart::Off
            || self.stream.outstanding() > 0
            || self.stream.una() == 0
        {
            return;
        }
        let (since, most) = match self.config.idle_restart {
            IdleRestart::Off => return,
            IdleRestart::InitialWindow => (self.stream.last_sent(), f64::from(self.config.initial_window)),
            IdleRestart::OneSegment => (self.stream.last_acked(), 1.0),
        };
        if now.saturating_since(since) > self.timing.rto().rto() {
            self.control.window_mut().cwnd = self.control.window().cwnd.min(most);
        }
    }

    /// Sends the segment at `nxt`.
    pub(super) fn send_next<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let (seq, end) = (self.stream.nxt(), self.stream.next_end());
        self.transmit(now, seq, end, out);
        if seq == self.stream.max_sent() {
            self.timing.rto_mut().sent(now, end);
        }
        self.stream.sent_to(end);
    }

    /// Sends `[seq, end)`.
    pub(super) fn transmit<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, end: u64, out: &mut S) {
        self.room.leave();
        self.counters.sent += 1;
        let new = self.stream.leaves(now, seq);
        let idle = self.stream.outstanding() == 0;
        if self.losses.sent(now, seq, end, idle) {
            self.control.on_restart(now);
        }
        if !new {
            self.counters.retransmissions += 1;
            out.put(Action::Event(Event::SentAgain { seq }));
            self.spurious.sent_again(now);
            if self.config.rtt_void == RttVoid::Retransmission {
                self.timing.rto_mut().void();
            }
        }
        if self.room.is_paced() {
            let rate = self.control.send_rate(self.timing.rto().srtt(), self.stream.segment());
            self.room.paced(now, end - seq, rate);
        }
        let flags = self.ecn.leaving(new);
        let len = u32::try_from(end - seq).unwrap_or(self.config.segment.0);
        let times = self.timing.stamp(now);
        let ae = self.ecn.ae();
        out.put(Action::Send(Segment { seq, len, flags, times, ae, ..Segment::default() }));
        let again = !new && seq == self.stream.una() && self.restarts_with_repairs();
        if self.timing.is_off() || again {
            self.timing.start(now, out);
        }
        if new && self.timing.may_probe() {
            self.plan_tail_probe(now, out);
        }
    }
}
