//! What a sender sends and when: windows (RFC 9293 §3.8.6), silly-window avoidance (§3.8.6.2.1), limited transmit
//! (RFC 3042), restart after idleness (RFC 5681 §4.1).

use super::super::flight::Leaving;
use super::super::{Action, Event};
use super::machine::Sending;
use crate::contract::Sink;
use crate::tcp::config::{LimitedTransmit, Loss, RttVoid};
use crate::tcp::loss::DUP_THRESH;
use crate::tcp::recovery::{Next, Recovery};
use crate::units::SimTime;
use crate::wire::Segment;

impl Sending {
    /// Sends what window, gate and data allow.
    pub(crate) fn send_more<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timing.is_frozen() {
            return;
        }
        self.room.attempt();
        if self.flight.ecn().is_paused() {
            return self.timing.start_if_off(now, out); // it says when the next segment goes (RFC 3168 §6.1.2)
        }
        if let Some(seq) = self.room.owed() {
            self.repair(now, seq, out);
        }
        if self.flight.sends_by_recovery() {
            return self.send_by_recovery(now, out);
        }
        self.flight.restart_after_idleness(now, self.timing.rto().rto());
        if self.flight.losses().sends_by_pipe() {
            self.send_by_recovery(now, out);
        } else {
            let edge = self.flight.edge(&self.room);
            while self.room.lets_out(now, self.flight.stream(), edge) {
                self.send_next(now, out);
            }
        }
        self.watch_window(now, out);
        self.flight.note_idleness();
    }

    /// Sends what the rule of recovery has room for (RFC 6675 §5 (C)); outside of recovery what the window has room
    /// for, beside what the pipe says is in the network.
    fn send_by_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let mut rule = self.flight.start_sending(&self.room);
        while self.room.is_open(now) {
            let before = self.flight.stream().max_sent();
            let bytes = match self.flight.next(&rule, &self.room) {
                Next::Nothing => break,
                Next::Again(start, end) => {
                    self.transmit(now, start, end, out);
                    self.flight.repaired(end);
                    end - start
                }
                Next::New => {
                    self.send_next(now, out);
                    self.flight.stream().max_sent() - before
                }
            };
            rule.sent(bytes);
        }
        self.flight.stop_sending(rule);
    }

    /// The first and second duplicate ACK let a segment out.
    pub(crate) fn limited_transmit<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let rule = self.config.limited_transmit;
        let (stream, dupacks) = (self.flight.stream(), self.flight.losses().dupacks());
        let old = stream.nxt() < stream.max_sent(); // going back after a timeout
        if self.flight.losses().sends_by_pipe() || self.flight.sends_by_recovery() {
            return self.send_more(now, out); // each segment that is held makes room
        }
        if dupacks >= DUP_THRESH || rule == LimitedTransmit::Off || (old && rule != LimitedTransmit::Ns2) {
            return;
        }
        if rule == LimitedTransmit::Rfc3042 && self.config.loss == Loss::Sack {
            return self.limited_transmit_by_pipe(now, out);
        }
        let window = self.flight.window() + u64::from(dupacks) * stream.segment();
        self.send_one_before(now, stream.una() + window, out);
    }

    /// RFC 6675 §5 step 3: new data while the pipe has room for a segment.
    fn limited_transmit_by_pipe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let stream = self.flight.stream();
        let segment = stream.segment();
        let mut pipe = self.flight.losses().board().pipe(stream.una(), stream.max_sent(), segment);
        while pipe + segment <= self.flight.window() {
            let left = self.flight.stream().next_end() - self.flight.stream().nxt();
            if !self.send_one_before(now, u64::MAX, out) {
                return;
            }
            pipe += left;
        }
    }

    /// Lets one segment out that ends before this byte, whatever the congestion window says; returns whether one went.
    pub(super) fn send_one_before<S: Sink<Action>>(&mut self, now: SimTime, edge: u64, out: &mut S) -> bool {
        let stream = self.flight.stream();
        let goes = self.room.lets_out(now, stream, edge.min(self.room.edge(stream)));
        if goes {
            self.counters.limited += 1;
            self.send_next(now, out);
        }
        goes
    }

    /// Sends a lost segment again, as soon as the send gate lets it through.
    pub(crate) fn repair<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
        if self.room.lets_repair(now, seq) {
            let end = self.flight.again_end(seq);
            self.transmit(now, seq, end, out);
            self.flight.repaired_first(seq, end);
        }
    }

    /// Sends the segment at `nxt`.
    pub(super) fn send_next<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let stream = self.flight.stream();
        let (seq, end) = (stream.nxt(), stream.next_end());
        let new = seq == stream.max_sent();
        self.transmit(now, seq, end, out);
        if new {
            self.timing.rto_mut().sent(now, end);
        }
        self.flight.stream_mut().sent_to(end);
    }

    /// Sends `[seq, end)`.
    pub(crate) fn transmit<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, end: u64, out: &mut S) {
        let leaving = self.flight.leaves(now, seq, end);
        self.put(now, seq, end, leaving, out);
    }

    /// `[seq, end)` leaves, as part of what is in flight.
    pub(super) fn put<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        seq: u64,
        end: u64,
        leaving: Leaving,
        out: &mut S,
    ) {
        let Leaving { new, flags } = leaving;
        self.room.leave();
        self.counters.sent += 1;
        if !new {
            self.counters.retransmissions += 1;
            out.put(Action::Event(Event::SentAgain { seq }));
            if self.config.rtt_void == RttVoid::Retransmission {
                self.timing.rto_mut().void();
            }
        }
        if self.room.is_paced() {
            self.room.paced(now, end - seq, self.flight.send_rate(self.timing.srtt()));
        }
        let len = u32::try_from(end - seq).unwrap_or(self.config.segment.0);
        out.put(Action::Send(Segment { len, flags, ..self.bare(now, seq) }));
        let again = !new && seq == self.flight.stream().una() && self.flight.restarts_with_repairs();
        if self.timing.is_off() || again {
            self.timing.start(now, out);
        }
        if new && self.timing.may_probe() {
            self.plan_tail_probe(now, out);
        }
    }

    /// A segment without data.
    pub(crate) fn bare(&self, now: SimTime, seq: u64) -> Segment {
        let ecn = self.flight.ecn();
        Segment { seq, flags: ecn.bare(), ae: ecn.ae(), times: self.timing.stamp(now), ..Segment::default() }
    }
}
