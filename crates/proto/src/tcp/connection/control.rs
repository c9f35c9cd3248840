//! What shims tell a sender to do ([`Control`]). Frozen, it sends nothing of its own accord and no timer runs; what
//! arrives is still taken note of. Opening, recovery and back-off outlast it, and what they were about is gone on with.

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::{Control, Sink};
use crate::units::SimTime;

impl Sender {
    pub(super) fn control<S: Sink<Action>>(&mut self, now: SimTime, control: Control, out: &mut S) {
        match control {
            Control::Freeze => self.timing.freeze(now, out),
            Control::Thaw if self.timing.is_frozen() => {
                self.timing.thaw();
                self.go_on(now, out);
            }
            Control::Thaw => {}
            Control::Acknowledge | Control::SetWindow { .. } => {} // a receiver's
            Control::SetCwnd { segments } => self.flight.window_mut().cwnd = segments.max(1.0),
            Control::SetSsthresh { segments } => self.flight.window_mut().ssthresh = segments.max(2.0),
            Control::SetRto { rto } => self.timing.rto_mut().set(rto),
            Control::Retransmit { seq } => {
                if self.flight.stream().is_outstanding(seq) {
                    self.timing.rto_mut().void();
                    let (start, end) = self.flight.hole_from(seq);
                    if start == seq {
                        self.transmit(now, seq, end, out);
                    }
                }
            }
            Control::RetransmitAll => self.retransmit_all(now, out),
            Control::GoBack if self.is_open() => {
                self.flight.go_back();
                self.timing.rto_mut().void();
                self.room.owe_nothing();
                self.send_more(now, out);
            }
            Control::TimeOut if self.is_open() => self.on_timeout(now, out),
            Control::GoBack | Control::TimeOut => {}
            Control::Probe => match self.phase {
                Phase::Closed => {}
                Phase::Opening => {
                    self.timing.rto_mut().void();
                    out.put(Action::Send(self.syn(now)));
                }
                // Just below the window: unacceptable, so that it is answered (RFC 9293 §3.10.7.4). Below the first byte lies
                // the SYN.
                Phase::Open => {
                    let below = self.flight.stream().una().wrapping_sub(1);
                    out.put(Action::Send(self.bare(now, below)));
                }
            },
            Control::RestartTimer => {
                if self.is_open() && !self.is_probing() {
                    self.restart_timer(now, out);
                }
            }
        }
    }

    /// It goes on where it was. In recovery the window stays inflated by what has left the
    /// network, which is as true as before; recovery that ended meanwhile took it back.
    fn go_on<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        match self.phase {
            Phase::Closed => {}
            Phase::Opening => self.send_syn(now, out),
            Phase::Open => {
                self.flight.forget_duplicates();
                self.restart_timer(now, out);
                self.send_more(now, out);
            }
        }
    }

    /// Everything outstanding, but for what the receiver has selectively acknowledged.
    fn retransmit_all<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let mut seq = self.flight.stream().una();
        loop {
            let (start, end) = self.flight.hole_from(seq);
            if start >= self.flight.stream().max_sent() {
                return;
            }
            self.transmit(now, start, end, out);
            seq = end;
        }
    }
}
