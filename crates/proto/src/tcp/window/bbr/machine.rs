//! What BBR makes of each ACK.

use super::super::contract::{AckSample, PathSample, RuleView, WindowRule};
use super::super::state::{Congestion, LossResponse, PartialAck};
use super::aggregation::Aggregation;
use super::path::{LEAST, MIN_RTT_LIFE, Mode, Path, counted, quantum, with_quanta};
use super::policer::{Facts, Policer, Totals};
use crate::tcp::undo::Before;
use crate::units::{Bitrate, Dur, SimTime};

/// Gain of STARTUP: 2/ln 2, as Linux has it.
const HIGH: f64 = 2885.0 / 1000.0;
/// Gains of the phases of PROBE_BW.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Window gain of PROBE_BW.
const CWND: f64 = 2.0;
/// Share of the rate that is used: no queue builds up by rounding.
const MARGIN: f64 = 0.99;
/// Shortest time in PROBE_RTT.
const PROBE_RTT: Dur = Dur::from_ms(200);

/// The rule and its state.
#[derive(Clone, Debug)]
pub struct Bbr {
    path: Path,
    mode: Mode,
    phase: usize,
    phase_since: SimTime,
    /// Segments a second.
    sending: f64,
    has_rtt: bool,
    aggregation: Aggregation,
    policer: Policer,
    totals: Totals,
    prior_cwnd: f64,
    /// Segments in the network at the last ACK, with those that it acknowledged.
    flight: f64,
    /// When PROBE_RTT may end, and whether a round of it is over.
    probe_rtt: Option<(SimTime, bool)>,
    /// In the first round of a recovery what leaves is what arrives.
    conserves: bool,
    recovering: bool,
    /// After a timeout: until this byte is acknowledged.
    timed_out: Option<u64>,
    idle: bool,
    initial: f64,
    segment: f64,
}

impl Bbr {
    /// The rule at the start of a connection with this window.
    #[must_use]
    pub fn new(initial_window: u32) -> Self {
        Self {
            path: Path::default(),
            mode: Mode::Startup,
            phase: 0,
            phase_since: SimTime::ZERO,
            sending: 0.0,
            has_rtt: false,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            totals: Totals::default(),
            prior_cwnd: 0.0,
            flight: 0.0,
            probe_rtt: None,
            conserves: false,
            recovering: false,
            timed_out: None,
            idle: false,
            initial: f64::from(initial_window),
            segment: 1.0,
        }
    }

    fn rate(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.path.rate.get())
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (HIGH, HIGH),
            Mode::Drain => (1.0 / HIGH, HIGH),
            Mode::ProbeBw if self.policer.rate().is_some() => (1.0, CWND),
            Mode::ProbeBw => (CYCLE[self.phase], CWND),
            Mode::ProbeRtt => (1.0, 1.0),
        }
    }

    /// Window for what the path holds at this rate, times a gain.
    fn inflight(&self, rate: f64, gain: f64) -> f64 {
        let probing = self.mode == Mode::ProbeBw && self.phase == 0;
        let held = self.path.holds(rate, gain, self.initial);
        with_quanta(held, self.sending, self.segment) + if probing { 2.0 } else { 0.0 }
    }

    fn measure_rate(&mut self, sample: &PathSample) {
        self.path.count(sample.path.prior_delivered, sample.path.delivered);
        if self.path.round {
            self.conserves = false;
        }
        self.totals.delivered = sample.path.delivered as f64 / self.segment;
        self.totals.lost += sample.lost as f64 / self.segment;
        let facts = Facts {
            now: sample.ack.now,
            round: self.path.round,
            losses: sample.lost > 0,
            limited: sample.path.limited,
            probing: self.mode == Mode::ProbeBw,
            segment: self.segment,
        };
        if self.policer.add(&facts, self.totals) {
            self.enter_probe_bw(sample.ack.now);
        }
        if let Some((bytes, interval)) = sample.path.rate {
            let rate = counted(bytes as f64 / self.segment, interval);
            if !sample.path.limited || rate >= self.path.rate.get() {
                self.path.add_rate(rate);
            }
        }
    }

    fn enter_probe_bw(&mut self, now: SimTime) {
        self.mode = Mode::ProbeBw;
        // Linux draws any phase but that of 0.75. Here the instant decides, which is as irregular and costs no stream.
        let drawn = (now.as_ns().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 7;
        self.phase = (7 - drawn as usize + 1) % 8;
        self.phase_since = now;
    }

    /// Segments in the network when the next one leaves, of so many bytes now (Linux, `bbr_packets_in_net_at_edt`):
    /// those that it leaves with are counted where more are wanted, those that arrive until then are not.
    pub(super) fn at_departure(&self, bytes: u64, sample: &PathSample) -> f64 {
        let more = if self.gains().0 > 1.0 { quantum(self.sending, self.segment) } else { 0.0 };
        let arrives = libm::floor(self.rate() * sample.until_next.as_secs_f64());
        (bytes as f64 / self.segment + more - arrives).max(0.0)
    }

    fn advance_phase(&mut self, sample: &PathSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let now = sample.ack.now;
        let passed = self.path.min_rtt.is_none_or(|rtt| now - self.phase_since > rtt);
        let prior = self.at_departure(sample.in_flight + sample.path.newly + sample.lost, sample);
        let (gain, _) = self.gains();
        let next = if gain > 1.0 {
            passed && (sample.lost > 0 || prior >= self.inflight(self.path.rate.get(), gain))
        } else if gain < 1.0 {
            passed || prior <= self.inflight(self.path.rate.get(), 1.0)
        } else {
            passed
        };
        if next {
            (self.phase, self.phase_since) = ((self.phase + 1) % 8, now);
        }
    }

    fn leave_startup(&mut self, sample: &PathSample) {
        if self.mode == Mode::Startup && self.path.is_full {
            self.mode = Mode::Drain;
        }
        let in_flight = self.at_departure(sample.in_flight, sample);
        if self.mode == Mode::Drain && in_flight <= self.inflight(self.path.rate.get(), 1.0) {
            self.enter_probe_bw(sample.ack.now);
        }
    }

    fn measure_rtt(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        let now = sample.ack.now;
        let expired = now > self.path.min_rtt_at + MIN_RTT_LIFE;
        if let Some(rtt) = sample.path.rtt
            && (expired || self.path.min_rtt.is_none_or(|least| rtt < least))
        {
            (self.path.min_rtt, self.path.min_rtt_at) = (Some(rtt), now);
        }
        if expired && !self.idle && self.mode != Mode::ProbeRtt {
            self.save(congestion);
            (self.mode, self.probe_rtt) = (Mode::ProbeRtt, None);
        }
        if self.mode == Mode::ProbeRtt {
            self.stay_in_probe_rtt(congestion, sample);
        }
        self.idle = false;
    }

    fn stay_in_probe_rtt(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        let now = sample.ack.now;
        match self.probe_rtt {
            None if sample.in_flight as f64 <= LEAST * self.segment => {
                self.probe_rtt = Some((now + PROBE_RTT, false));
                self.path.next_round = sample.path.delivered;
            }
            None => {}
            Some((end, over)) => {
                let over = over || self.path.round;
                self.probe_rtt = Some((end, over));
                if over && now > end {
                    self.leave_probe_rtt(congestion, now);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, congestion: &mut Congestion, now: SimTime) {
        self.path.min_rtt_at = now;
        congestion.cwnd = congestion.cwnd.max(self.prior_cwnd);
        if self.path.is_full {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// The rate goes up at once, and down only once the path is known.
    fn set_rate(&mut self, sample: &PathSample, cwnd: f64) {
        if !self.has_rtt {
            self.has_rtt = sample.ack.srtt.is_some();
            let rtt = sample.ack.srtt.unwrap_or(Dur::from_ms(1)).as_secs_f64().max(1e-6);
            self.sending = HIGH * cwnd / rtt;
        }
        let wanted = self.gains().0 * self.rate() * MARGIN;
        if wanted > 0.0 && (self.path.is_full || wanted > self.sending) {
            self.sending = wanted;
        }
    }

    fn set_cwnd(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        let acked = sample.path.newly as f64 / self.segment;
        self.flight = sample.in_flight as f64 / self.segment + acked;
        let cwnd = (congestion.cwnd - sample.lost as f64 / self.segment).max(1.0);
        let restored = self.recover_or_restore(cwnd, sample);
        congestion.cwnd = if self.conserves {
            restored.max(self.flight)
        } else {
            let rate = self.rate();
            let held = self.path.holds(rate, self.gains().1, self.initial) + self.aggregated();
            let probing = self.mode == Mode::ProbeBw && self.phase == 0;
            let target = with_quanta(held, self.sending, self.segment) + if probing { 2.0 } else { 0.0 };
            let grown = if self.path.is_full {
                (restored + acked).min(target)
            } else if restored < target || self.totals.delivered < self.initial {
                restored + acked
            } else {
                restored
            };
            grown.max(LEAST)
        };
        if self.mode == Mode::ProbeRtt {
            congestion.cwnd = congestion.cwnd.min(LEAST);
        }
    }

    fn aggregated(&self) -> f64 {
        if self.path.is_full { self.aggregation.segments(self.rate()) } else { 0.0 }
    }

    /// The end of a recovery brings the window back.
    fn recover_or_restore(&mut self, cwnd: f64, sample: &PathSample) -> f64 {
        if self.timed_out == Some(u64::MAX) {
            self.timed_out = Some(sample.ack.max_sent);
        }
        let over = self.timed_out.is_some_and(|end| sample.ack.una >= end);
        if over {
            self.timed_out = None;
        }
        let ended = self.recovering && !sample.recovering;
        self.recovering = sample.recovering;
        if (over || ended) && self.timed_out.is_none() {
            self.conserves = false;
            return cwnd.max(self.prior_cwnd);
        }
        cwnd
    }

    /// Remembers the window of before a recovery or PROBE_RTT.
    fn save(&mut self, congestion: &Congestion) {
        let fresh = !self.recovering && self.timed_out.is_none() && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if fresh { congestion.cwnd } else { self.prior_cwnd.max(congestion.cwnd) };
    }
}

#[cfg(test)]
impl Bbr {
    /// It knows this rate in segments a second, and sends at it.
    pub(super) fn know(&mut self, rate: f64, segment: f64) {
        self.path.add_rate(rate);
        (self.sending, self.segment) = (rate, segment);
    }

    /// The rate has stopped growing.
    pub(super) const fn know_full(&mut self) {
        self.path.is_full = true;
    }

    /// It is in this phase of PROBE_BW.
    pub(super) const fn probe(&mut self, phase: usize) {
        (self.mode, self.phase) = (Mode::ProbeBw, phase);
    }
}

impl WindowRule for Bbr {
    fn on_ack(&mut self, _congestion: &mut Congestion, _sample: &AckSample) {}

    fn wants_path(&self) -> bool {
        true
    }

    fn on_open(&mut self, now: SimTime, rtt: Option<Dur>) {
        (self.path.min_rtt, self.path.min_rtt_at) = (rtt, now);
    }

    fn on_path(&mut self, congestion: &mut Congestion, sample: &PathSample) {
        self.segment = sample.segment.max(1) as f64;
        self.measure_rate(sample);
        let acked = sample.path.newly as f64 / self.segment;
        let (now, round, rate) = (sample.ack.now, self.path.round, self.rate());
        self.aggregation.add(now, round, acked, rate, congestion.cwnd);
        self.advance_phase(sample);
        self.path.judge_full(sample.path.limited);
        self.leave_startup(sample);
        self.measure_rtt(congestion, sample);
        self.set_rate(sample, congestion.cwnd);
        self.set_cwnd(congestion, sample);
    }

    fn on_restart(&mut self, _congestion: &mut Congestion, now: SimTime) {
        self.idle = true;
        self.aggregation.restart(now);
        if self.mode == Mode::ProbeBw {
            self.sending = self.rate() * MARGIN;
        }
    }

    fn on_loss(&mut self, congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        self.save(congestion);
        congestion.inflation = 0;
        // One recovery may follow another at once: it is the same to the window.
        if !self.recovering {
            congestion.cwnd = congestion.cwnd.min(self.flight).max(1.0);
            (self.conserves, self.recovering) = (true, true);
            self.path.next_round = (self.totals.delivered * self.segment) as u64;
        }
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, _congestion: &mut Congestion, _segments: f64) -> PartialAck {
        PartialAck::Stay
    }

    fn on_timeout(&mut self, congestion: &mut Congestion, _hold: bool) {
        self.save(congestion);
        self.path.forget_full();
        (self.recovering, self.conserves, self.timed_out) = (false, false, Some(u64::MAX));
        congestion.cwnd = 1.0;
        congestion.leave_recovery();
    }

    /// The pipe is measured anew; the end of the recovery brings the window back.
    fn on_undo(&mut self, _congestion: &mut Congestion, _before: Before) {
        self.path.forget_full();
        if self.timed_out.is_some() {
            (self.timed_out, self.recovering) = (None, true);
        }
    }

    /// Version 1 does not react to marks.
    fn on_echo(&mut self, _congestion: &mut Congestion) {}

    fn is_paced(&self) -> bool {
        true
    }

    fn send_rate(&self) -> Option<Bitrate> {
        let bits = self.sending * self.segment * 8.0;
        // A positive rate far below 2^64; `as` saturates.
        (bits >= 1.0).then_some(Bitrate::from_bps(bits as u64))
    }

    fn view(&self) -> RuleView {
        let bits = self.path.rate.get() * self.segment * 8.0;
        RuleView {
            delivery_rate: (bits >= 1.0).then_some(Bitrate::from_bps(bits as u64)),
            min_rtt: self.path.min_rtt,
            phase: self.mode.number(),
        }
    }
}
