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
            self.sending.flight_mut().open_at_once();
            self.sending.send_more(now, out);
        } else {
            self.phase = Phase::Opening;
            self.sending.timing_mut().rto_mut().sent(now, 0);
            self.send_syn(now, out);
        }
    }

    pub(super) fn send_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if !self.sending.timing().is_frozen() {
            out.put(Action::Send(self.syn(now)));
            self.sending.timing_mut().start(now, out);
        }
    }

    /// The SYN, with its options.
    pub(super) fn syn(&self, now: SimTime) -> Segment {
        let times = self.sending.timing().stamp(now);
        Segment { times, scale: self.config.scale(), ..self.sending.flight().ecn().syn() }
    }

    /// The SYN has not been answered. RFC 5681 §3.1: data then begin with one segment.
    pub(super) fn on_lost_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.sending.lose_syn(self.config.handshake != Handshake::Ns2);
        self.send_syn(now, out);
    }

    pub(super) fn on_syn_ack<S: Sink<Action>>(&mut self, now: SimTime, answer: &Segment, out: &mut S) {
        self.phase = Phase::Open;
        let (flight, timing) = self.sending.parts();
        timing.hear_clock(answer);
        let rtt = timing.hear_syn_ack(now);
        flight.opened(now, answer, rtt);
        if self.config.handshake == Handshake::Syn {
            timing.rto_mut().handshake_over();
        }
        self.sending.restart_timer(now, out);
        self.sending.send_more(now, out);
    }
}
