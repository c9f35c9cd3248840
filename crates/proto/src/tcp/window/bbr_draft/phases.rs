//! When phases begin and end.

use super::bounds::BETA;
use super::cycle::Acks;
use super::machine::BbrDraft;
use super::path::State;
use super::sample::Sample;
use crate::tcp::sendlog::LostSegment;
use crate::tcp::window::state::Congestion;
use crate::units::SimTime;

/// Rounds after which DRAIN ends, whatever is in flight (§5.3.2).
const DRAIN: u64 = 3;

impl BbrDraft {
    /// `StartProbeBW_DOWN`, with so many bytes delivered.
    pub(super) fn go_down(&mut self, now: SimTime, delivered: u64) {
        self.bounds.forget_signals();
        self.cycle.wait_from(now);
        self.path.start_round(delivered);
        self.state = State::Down;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn refill(&mut self, delivered: u64) {
        self.bounds.forget_short();
        self.cycle.refill();
        self.path.start_round(delivered);
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`.
    fn go_up(&mut self, sample: &Sample, cwnd: f64) {
        self.cycle.probe(cwnd);
        self.path.start_round(sample.total);
        self.full.restart(sample.rate.unwrap_or(0.0));
        self.state = State::Up;
    }

    /// `CheckStartupDone` and `CheckDrainDone`.
    pub(super) fn leave_startup(&mut self, sample: &Sample) {
        self.startup.repairing(self.repair.is_under_way(), sample.total);
        if self.state == State::Startup && !self.full.ever {
            self.judge_losses_of_startup(sample);
        }
        if self.bounds.round {
            self.startup.end_round();
        }
        if self.state == State::Startup && self.full.ever {
            (self.state, self.drained_from) = (State::Drain, self.path.rounds);
        }
        let drained = sample.in_flight <= self.inflight(self.path.rate);
        if self.state == State::Drain && (drained || self.path.rounds > self.drained_from + DRAIN) {
            self.go_down(sample.now, sample.total);
        }
    }

    /// `CheckStartupHighLoss` (§5.3.1.3).
    fn judge_losses_of_startup(&mut self, sample: &Sample) {
        let many = self.bounds.round && self.startup.are_many(sample.prior);
        if (self.blind || many) && self.loses_too_much(sample.lost, sample.sent_in_flight) {
            self.repair.leave(State::Startup);
            self.full.ever = true;
            let held = self.path.holds(self.path.rate).unwrap_or(self.initial);
            self.bounds.limits.long = held.max(self.bounds.latest.1);
        }
    }

    /// `UpdateProbeBWCyclePhase` (§5.3.3.9).
    pub(super) fn advance_cycle(&mut self, sample: &Sample, cwnd: f64) {
        if !self.full.ever || self.adapt_long_term(sample, cwnd) || !self.state.probes_rate() {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.cycle.is_over(sample.now, self.target(cwnd)) => {
                self.refill(sample.total);
            }
            State::Down if self.is_drained(sample) => self.state = State::Cruise,
            State::Refill if self.path.round => {
                self.cycle.is_probe = true;
                self.go_up(sample, cwnd);
            }
            State::Up if self.has_probed(sample, cwnd) => {
                self.cycle.too_high = false;
                self.go_down(sample.now, sample.total);
            }
            _ => {}
        }
    }

    /// `IsTimeToCruise`.
    fn is_drained(&self, sample: &Sample) -> bool {
        sample.in_flight <= self.bounds.with_headroom()
            && sample.in_flight <= self.inflight(self.path.max_rate())
    }

    /// `IsTimeToGoDown`.
    fn has_probed(&mut self, sample: &Sample, cwnd: f64) -> bool {
        let long = self.bounds.limits.long;
        if self.cycle.too_high && sample.in_flight >= long {
            self.cycle.was_careful = true;
            return true;
        }
        if self.window_is_full() && cwnd >= long {
            self.full.restart(sample.rate.unwrap_or(0.0));
            return false;
        }
        self.full.now
    }

    /// `AdaptLongTermModel`; returns whether a phase has ended by it.
    fn adapt_long_term(&mut self, sample: &Sample, cwnd: f64) -> bool {
        if self.cycle.acks == Acks::Starting && self.path.round {
            self.cycle.acks = Acks::Feedback;
        }
        if self.cycle.acks == Acks::Stopping && self.path.round {
            (self.cycle.is_probe, self.cycle.acks) = (false, Acks::Plain);
            if self.state.probes_rate() && !sample.limited {
                self.path.end_cycle();
            }
            if self.state.probes_rate() && self.cycle.was_careful && !self.cycle.too_high {
                self.refill(sample.total);
                return true;
            }
        }
        let long = self.bounds.limits.long;
        if long.is_finite() && !self.loses_too_much(sample.lost, sample.sent_in_flight) {
            self.bounds.limits.long = long.max(sample.sent_in_flight);
            if self.state == State::Up && self.window_is_full() && cwnd >= self.bounds.limits.long {
                self.bounds.limits.long += self.cycle.grow(sample.newly, self.path.round, cwnd);
            }
        }
        false
    }

    /// `HandleInflightTooHigh` (§5.5.10.2), with so many in flight.
    pub(super) fn probe_was_too_high(&mut self, now: SimTime, lost: &LostSegment, in_flight: f64, cwnd: f64) {
        (self.cycle.too_high, self.cycle.is_probe) = (true, false);
        if !lost.limited {
            self.bounds.limits.long = in_flight.max(BETA * self.target(cwnd));
        }
        if self.state == State::Up {
            self.repair.leave(State::Up);
            self.go_down(now, lost.delivered);
        }
    }

    /// `UpdateMinRTT` and `CheckProbeRTT` (§5.3.4.3).
    pub(super) fn measure_rtt(&mut self, congestion: &mut Congestion, sample: &Sample) {
        self.path.min_rtt = self.probe_rtt.measure(sample);
        if self.probe_rtt.is_due && !self.idle && self.state != State::ProbeRtt {
            self.repair.save_window(congestion.cwnd, self.state);
            self.state = State::ProbeRtt;
            self.probe_rtt.begin();
            self.cycle.acks = Acks::Stopping;
            self.path.start_round(sample.total);
        }
        if self.state == State::ProbeRtt {
            let low = sample.in_flight <= self.probe_rtt_window();
            if self.probe_rtt.stay(sample.now, low, self.path.round) {
                self.path.start_round(sample.total);
            }
            if self.probe_rtt.has_had_a_round() {
                self.end_probe_rtt(congestion, sample.now, sample.total);
            }
        }
        self.idle = false;
    }

    /// `CheckProbeRTTDone` and `ExitProbeRTT`.
    pub(super) fn end_probe_rtt(&mut self, congestion: &mut Congestion, now: SimTime, delivered: u64) {
        if !self.probe_rtt.ends(now) {
            return;
        }
        congestion.cwnd = congestion.cwnd.max(self.repair.window());
        self.bounds.forget_short();
        if self.full.ever {
            self.go_down(now, delivered);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
