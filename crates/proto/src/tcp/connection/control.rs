//! What shims tell a sender to do ([`Control`]). Frozen, it sends nothing of its own accord and no timer runs; what
//! arrives is still taken note of. Opening, recovery and back-off outlast it, and what they were about is gone on with.

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::{Control, Sink};
use crate::units::SimTime;

impl Sender {
    pub(super) fn control<S: Sink<Action>>(&mut self, now: SimTime, control: Control, out: &mut S) {
        match control {
            Control::Freeze => {
                self.timing.freeze(now, out);
            }
            Control::Thaw if self.timing.is_frozen() => {
                self.timing.thaw();
                self.go_on(now, out);
            }
            Control::Thaw => {}
            Control::Acknowledge | Control::SetWindow { .. } => {} // a receiver's
            Control::SetCwnd { segments } => self.control.window_mut().cwnd = segments.max(1.0),
            Control::SetSsthresh { segments } => self.control.window_mut().ssthresh = segments.max(2.0),
            Control::SetRto { rto } => self.timing.rto_mut().set(rto),
            Control::Retransmit { seq } => {
                if seq >= self.stream.una() && seq < self.stream.max_sent() {
                    self.timing.rto_mut().void();
                    let (start, hole) = self.losses.board().hole_from(seq);
                    let end = self.stream.again_end(seq, hole);
                    if start == seq {
                        self.transmit(now, seq, end, out);
                    }
                }
            }
            Control::RetransmitAll => self.retransmit_all(now, out),
            Control::GoBack => self.go_back(now, out),
            Control::TimeOut => {
                if self.is_established() {
                    self.on_timeout(now, out);
                }
            }
            Control::Probe => match self.phase {
                Phase::Closed => {}
                Phase::Opening => {
                    self.timing.rto_mut().void();
                    out.put(Action::Send(self.syn(now)));
                }
                Phase::Open | Phase::Recovery { .. } => self.send_header(now, out),
            },
            Control::RestartTimer => {
                if self.is_established() && !self.is_probing() {
                    self.restart_timer(now, out);
                }
            }
        }
    }

    pub(super) const fn is_established(&self) -> bool {
        matches!(self.phase, Phase::Open | Phase::Recovery { .. })
    }

    /// It goes on where it was. In recovery the window stays inflated by what has left the
    /// network, which is as true as before; recovery that ended meanwhile took it back.
    fn go_on<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        match self.phase {
            Phase::Closed => {}
            Phase::Opening => self.send_syn(now, out),
            Phase::Open | Phase::Recovery { .. } => {
                self.losses.count(0);
                self.restart_timer(now, out);
                self.send_more(now, out);
            }
        }
    }

    /// All that is outstanding is to be sent again, as the window lets it.
    fn go_back<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if !self.is_established() {
            return;
        }
        if matches!(self.phase, Phase::Recovery { .. }) {
            self.leave_recovery();
        }
        self.losses.go_back(&self.stream);
        self.send_all_again();
        self.ecn.go_on();
        self.timing.rto_mut().void();
        if !self.losses.are_marked() {
            self.losses.board_mut().clear(self.stream.una());
        }
        self.room.owe_nothing();
        self.send_more(now, out);
    }

    /// Everything outstanding, but for what the receiver has selectively acknowledged.
    fn retransmit_all<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let mut seq = self.stream.una();
        loop {
            let (start, hole) = self.losses.board().hole_from(seq);
            if start >= self.stream.max_sent() {
                return;
            }
            seq = self.stream.again_end(start, hole);
            self.transmit(now, start, seq, out);
        }
    }
}
