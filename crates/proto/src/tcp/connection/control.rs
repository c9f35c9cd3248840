//! What shims tell a sender to do ([`Control`]). Frozen, it sends nothing of its own accord and no timer runs; what
//! arrives is still taken note of. Opening, recovery and back-off outlast it, and what they were about is gone on with.

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::{Control, Sink};
use crate::units::SimTime;

impl Sender {
    pub(super) fn control<S: Sink<Action>>(&mut self, now: SimTime, control: Control, out: &mut S) {
        let open = self.is_open();
        let sending = &mut self.sending;
        match control {
            Control::Freeze => sending.timing_mut().freeze(now, out),
            Control::Thaw if sending.timing().is_frozen() => {
                sending.timing_mut().thaw();
                self.go_on(now, out);
            }
            Control::Thaw => {}
            Control::Acknowledge | Control::SetWindow { .. } => {} // a receiver's
            Control::SetCwnd { segments } => sending.flight_mut().window_mut().cwnd = segments.max(1.0),
            Control::SetSsthresh { segments } => {
                sending.flight_mut().window_mut().ssthresh = segments.max(2.0)
            }
            Control::SetRto { rto } => sending.timing_mut().rto_mut().set(rto),
            Control::Retransmit { seq } => {
                if sending.flight().stream().is_outstanding(seq) {
                    sending.timing_mut().rto_mut().void();
                    let (start, end) = sending.flight().hole_from(seq);
                    if start == seq {
                        sending.transmit(now, seq, end, out);
                    }
                }
            }
            Control::RetransmitAll => self.retransmit_all(now, out),
            Control::GoBack if open => {
                sending.flight_mut().go_back();
                sending.timing_mut().rto_mut().void();
                sending.room_mut().owe_nothing();
                sending.send_more(now, out);
            }
            Control::TimeOut if open => sending.on_timeout(now, out),
            Control::GoBack | Control::TimeOut => {}
            Control::Probe => match self.phase {
                Phase::Closed => {}
                Phase::Opening => {
                    sending.timing_mut().rto_mut().void();
                    out.put(Action::Send(self.syn(now)));
                }
                // Just below the window: unacceptable, so that it is answered (RFC 9293 §3.10.7.4). Below the first
                // byte lies the SYN.
                Phase::Open => {
                    let below = sending.flight().stream().una().wrapping_sub(1);
                    out.put(Action::Send(sending.bare(now, below)));
                }
            },
            Control::RestartTimer => {
                if open && !sending.timing().is_probing() {
                    sending.restart_timer(now, out);
                }
            }
        }
    }

    /// It goes on where it was. In recovery the window stays inflated by what has left the
    /// network, which is as true as before; recovery that ended meanwhile took it back.
    fn go_on<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let sending = &mut self.sending;
        match self.phase {
            Phase::Closed => {}
            Phase::Opening => self.send_syn(now, out),
            Phase::Open => {
                sending.flight_mut().forget_duplicates();
                sending.restart_timer(now, out);
                sending.send_more(now, out);
            }
        }
    }

    /// Everything outstanding, but for what the receiver has selectively acknowledged.
    fn retransmit_all<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let mut seq = self.sending.flight().stream().una();
        loop {
            let (start, end) = self.sending.flight().hole_from(seq);
            if start >= self.sending.flight().stream().max_sent() {
                return;
            }
            self.sending.transmit(now, start, end, out);
            seq = end;
        }
    }
}
