//! How a sender opens a connection (RFC 9293 §3.5), or begins without a handshake.

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::Sink;
use crate::tcp::config::Handshake;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    pub(super) fn open<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.phase != Phase::Closed {
            return;
        }
        if self.config.handshake == Handshake::None {
            self.phase = Phase::Open;
            self.flight.open_at_once();
            self.send_more(now, out);
        } else {
            self.phase = Phase::Opening;
            self.timing.rto_mut().sent(now, 0);
            self.send_syn(now, out);
        }
    }

    pub(super) fn send_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if !self.timing.is_frozen() {
            out.put(Action::Send(self.syn(now)));
            self.timing.start(now, out);
        }
    }

    /// The SYN, with its options.
    pub(super) fn syn(&self, now: SimTime) -> Segment {
        Segment { times: self.timing.stamp(now), scale: self.config.scale(), ..self.flight.ecn().syn() }
    }

    /// The SYN has not been answered. RFC 5681 §3.1: data then begin with one segment.
    pub(super) fn on_lost_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.opening_timeouts += 1;
        self.flight.lose_syn(self.config.handshake != Handshake::Ns2);
        self.timing.rto_mut().back_off();
        self.send_syn(now, out);
    }

    pub(super) fn on_syn_ack<S: Sink<Action>>(&mut self, now: SimTime, answer: &Segment, out: &mut S) {
        self.phase = Phase::Open;
        self.timing.hear_clock(answer);
        let rtt = self.timing.hear_syn_ack(now);
        self.flight.opened(now, answer, rtt);
        if self.config.handshake == Handshake::Syn {
            self.timing.rto_mut().handshake_over();
        }
        self.restart_timer(now, out);
        self.send_more(now, out);
    }
}
