//! How a sender carries out what [`super::flight`] and its loss detector have decided: fast retransmit and recovery
//! (RFC 5681 §3.2, RFC 6582, RFC 6675 §5), the retransmission timeout (RFC 6298 §5), repairs without congestion, and
//! what is taken back.

use super::super::{Action, Event};
use super::machine::Sending;
use crate::contract::Sink;
use crate::tcp::loss::LossDecision;
use crate::units::SimTime;

impl Sending {
    /// A loss was judged without a timeout.
    pub(crate) fn enter_recovery<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.fast_retransmits += 1;
        let first = self.flight.first_lost();
        let seq = self.flight.found();
        out.put(Action::Event(Event::FastRetransmit { seq }));
        self.timing.rto_mut().void();
        let probed = self.timing.has_repeated(self.flight.stream().max_sent());
        let recovers = self.flight.lose(probed, &self.room);
        if self.flight.restarts_in_recovery() {
            self.restart_timer(now, out);
        }
        if let Some(seq) = first.filter(|_| recovers && self.flight.is_unrepaired()) {
            self.repair(now, seq, out);
        }
        self.counters.tail_finds += u64::from(self.timing.awaits_probe());
        self.timing.forget_probe();
        self.flight.tell_reduction();
        if self.flight.sends_at_once() {
            self.send_more(now, out);
        }
    }

    /// The retransmission timer has fired.
    pub(crate) fn on_timeout<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.stop_probing();
        let una = self.flight.stream().una();
        if self.flight.stream().outstanding() == 0 {
            return;
        }
        let probed = self.timing.has_repeated(self.flight.stream().max_sent());
        if !self.flight.time_out(now, probed, self.timing.srtt()) {
            self.counters.timeouts += 1;
            out.put(Action::Event(Event::Timeout { seq: una }));
        }
        self.timing.rto_mut().back_off();
        self.timing.rto_mut().doubt(self.flight.stream().max_sent());
        self.room.owe_nothing();
        self.timing.forget_probe();
        // The timer runs even if the send gate lets nothing out now: a timeout must never be lost.
        self.timing.start(now, out);
        if self.flight.losses().are_marked() {
            self.repair(now, una, out); // whatever else is in the network
        }
        self.send_more(now, out);
    }

    /// The loss detector's timer has fired. While a shim holds the sender, it is only noted.
    #[cold]
    pub(crate) fn on_loss_detector_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let decision = self.flight.detect_late(now, self.timing.srtt());
        if !self.timing.is_frozen() {
            self.apply_loss_decision(now, decision, out);
            if self.flight.losses().are_marked() {
                self.send_more(now, out);
            }
        }
    }

    pub(crate) fn apply_loss_decision<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        decision: LossDecision,
        out: &mut S,
    ) {
        match decision {
            LossDecision::Wait => {}
            LossDecision::SendNew => {
                if self.flight.stream().nxt() == self.flight.stream().max_sent() {
                    self.send_one_before(now, u64::MAX, out);
                }
            }
            LossDecision::Retransmit { seq } => self.repair_without_congestion(now, seq, out),
            LossDecision::RetransmitWithin { seq, segments } => {
                let window = self.flight.window_mut();
                window.cwnd = window.cwnd.min(segments.max(1.0));
                self.repair_without_congestion(now, seq, out);
            }
            LossDecision::SlowDown => self.flight.slow_down(false),
            LossDecision::Lost => {
                if !self.flight.is_recovering() && self.flight.stream().outstanding() > 0 {
                    self.enter_recovery(now, out);
                }
            }
        }
    }

    /// Sends a segment again that is lost without congestion.
    #[cold]
    fn repair_without_congestion<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) {
        if self.flight.stream().is_outstanding(seq) {
            self.timing.rto_mut().void();
            self.repair(now, seq, out);
        }
    }

    /// The last reduction was needless. `all`: nothing is believed to be lost any more.
    #[cold]
    pub(crate) fn take_back<S: Sink<Action>>(&mut self, all: bool, out: &mut S) {
        if self.flight.take_back(all) {
            self.counters.undone += 1;
            out.put(Action::Event(Event::Undone { seq: self.flight.stream().una() }));
            self.room.owe_nothing();
        }
    }

    /// An ACK echoes that a segment was marked, and counts so many `marks`, if it does that.
    #[cold]
    #[inline(never)]
    pub(crate) fn on_echo(&mut self, now: SimTime, ack: u64, marks: u32) {
        self.counters.ecn_marks += u64::from(marks);
        let Some(doubles) = self.flight.on_echo(ack, &self.room) else { return };
        self.counters.ecn_reductions += 1;
        if doubles {
            self.timing.rto_mut().acked(now, ack); // the sample of this ACK must not end the back-off
            self.timing.rto_mut().back_off();
        }
    }

    /// The SYN has not been answered; `hold`: the threshold stays as it is.
    pub(crate) fn lose_syn(&mut self, hold: bool) {
        self.counters.opening_timeouts += 1;
        self.flight.lose_syn(hold);
        self.timing.rto_mut().back_off();
    }
}
