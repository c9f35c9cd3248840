//! What the draft makes of each ACK and of each loss. The names of its procedures stand at what does their work.

use super::super::contract::{AckSample, PathSample, RuleView, WindowRule};
use super::super::state::{Congestion, LossResponse, PartialAck};
use super::aggregation::Aggregation;
use super::bounds::{Bounds, LEAST, LOSS};
use super::cycle::Cycle;
use super::full_pipe::FullPipe;
use super::losing::{StartupLosses, in_flight_at_loss};
use super::path::{Path, State};
use super::probe_rtt::ProbeRtt;
use super::repair::Repair;
use super::sample::Sample;
use crate::tcp::sendlog::LostSegment;
use crate::tcp::undo::Before;
use crate::units::{Bitrate, Dur, SimTime};

/// Share of the rate that is used (`BBR.PacingMarginPercent`, §2.5).
const MARGIN: f64 = 0.99;

/// The rule and its state.
#[derive(Clone, Debug)]
pub struct BbrDraft {
    pub(super) state: State,
    pub(super) path: Path,
    pub(super) bounds: Bounds,
    pub(super) full: FullPipe,
    pub(super) cycle: Cycle,
    pub(super) probe_rtt: ProbeRtt,
    pub(super) aggregation: Aggregation,
    pub(super) startup: StartupLosses,
    pub(super) repair: Repair,
    /// Round in which DRAIN began.
    pub(super) drained_from: u64,
    /// Segments a second.
    pub(super) sending: f64,
    pub(super) has_rtt: bool,
    /// Data leave after a pause (`BBR.idle_restart`).
    pub(super) idle: bool,
    /// Whether the window was full in this round, and in the last one.
    pub(super) filled: (bool, bool),
    /// Something was lost or marked, and nothing tells what.
    pub(super) blind: bool,
    /// Initial window, and segments that leave at once.
    pub(super) initial: f64,
    pub(super) quantum: f64,
    pub(super) selective: bool,
    /// Bytes of a segment.
    pub(super) segment: f64,
}

impl BbrDraft {
    /// The rule at the start of a connection with this window; so many segments leave at once. `selective`: with SACK.
    #[must_use]
    pub fn new(initial_window: u32, quantum: u32, selective: bool) -> Self {
        Self {
            state: State::Startup,
            path: Path::default(),
            bounds: Bounds::default(),
            full: FullPipe::default(),
            cycle: Cycle::default(),
            probe_rtt: ProbeRtt::default(),
            aggregation: Aggregation::default(),
            startup: StartupLosses::default(),
            repair: Repair::default(),
            drained_from: 0,
            sending: 0.0,
            has_rtt: false,
            idle: false,
            filled: (false, false),
            blind: false,
            initial: f64::from(initial_window),
            quantum: f64::from(quantum),
            selective,
            segment: 1.0,
        }
    }

    /// What may be in flight besides a share of what the path holds (`QuantizationBudget`, §5.6.4.2).
    fn budget(&self, held: f64) -> f64 {
        let more = if self.state == State::Up { 2.0 } else { 0.0 };
        held.max(3.0 * self.quantum).max(LEAST) + more
    }

    /// `Inflight(1.0)` of this rate.
    pub(super) fn inflight(&self, rate: f64) -> f64 {
        self.budget(self.path.holds(rate).unwrap_or(self.initial))
    }

    /// `TargetInflight` (§5.3.3.8.3).
    pub(super) fn target(&self, cwnd: f64) -> f64 {
        self.path.holds(self.path.rate).unwrap_or(self.initial).min(cwnd)
    }

    /// `ProbeRTTCwnd` (§5.6.4.5).
    pub(super) fn probe_rtt_window(&self) -> f64 {
        let (_, gain) = State::ProbeRtt.gains();
        self.path.holds(self.path.rate).map_or(self.initial, |held| gain * held).max(LEAST)
    }

    pub(super) fn window_is_full(&self) -> bool {
        self.filled.0 || self.filled.1
    }

    /// `IsInflightTooHigh`, of so many lost among so many in flight.
    pub(super) fn loses_too_much(&self, lost: f64, in_flight: f64) -> bool {
        self.blind || lost > in_flight * LOSS || (lost > 0.0 && !self.selective)
    }

    fn save_at_loss(&mut self, congestion: &Congestion) {
        self.repair.save(congestion.cwnd, self.state, self.bounds.limits);
    }

    /// Something was lost or marked, and nothing tells what.
    const fn note_blindly(&mut self) {
        self.bounds.note_loss(self.path.delivered);
        self.blind = true;
    }

    /// `SetPacingRate` (§5.6.2).
    fn set_rate(&mut self, srtt: Option<Dur>) {
        let (gain, _) = self.state.gains();
        if !self.has_rtt {
            self.has_rtt = srtt.is_some();
            let rtt = srtt.unwrap_or(Dur::from_ms(1)).as_secs_f64().max(1e-6);
            self.sending = gain * self.initial / rtt;
        }
        self.send_at(gain);
    }

    fn send_at(&mut self, gain: f64) {
        let rate = gain * self.path.rate * MARGIN;
        if rate > 0.0 && (self.full.ever || rate > self.sending) {
            self.sending = rate;
        }
    }

    /// `SetCwnd` (§5.6.4.6).
    fn set_window(&self, congestion: &mut Congestion, sample: &Sample) {
        let (_, gain) = self.state.gains();
        let held = self.path.holds(self.path.rate).map_or(self.initial, |held| gain * held);
        let most = self.budget(held + self.aggregation.segments());
        let mut cwnd = congestion.cwnd;
        if self.full.ever {
            cwnd = (cwnd + sample.newly).min(most);
        } else if cwnd < most || (sample.total as f64) < self.initial * self.segment {
            cwnd += sample.newly;
        }
        cwnd = cwnd.max(LEAST);
        if self.state == State::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_window());
        }
        congestion.cwnd = cwnd.min(self.bounds.cap(self.state));
    }
}

impl WindowRule for BbrDraft {
    fn on_ack(&mut self, _congestion: &mut Congestion, _sample: &AckSample) {}

    fn wants_path(&self) -> bool {
        true
    }

    fn wants_losses(&self) -> bool {
        true
    }

    /// Rates of PROBE_RTT are low, and say nothing of the path.
    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }

    /// `HandleLostPacket` (§5.5.10.2).
    fn on_lost(&mut self, congestion: &Congestion, now: SimTime, lost: &LostSegment) {
        self.save_at_loss(congestion);
        self.bounds.note_loss(lost.delivered);
        self.startup.add(lost.start, lost.end);
        let segments = |bytes: u64| bytes as f64 / self.segment;
        let (since, in_flight) = (segments(lost.lost_since), segments(lost.in_flight));
        if self.cycle.is_probe && self.loses_too_much(since, in_flight) {
            let size = segments(lost.end - lost.start);
            let at_loss = in_flight_at_loss(size, in_flight, since);
            self.probe_was_too_high(now, lost, at_loss, congestion.cwnd);
        }
    }

    fn on_open(&mut self, now: SimTime, rtt: Option<Dur>) {
        self.probe_rtt.open(now, rtt);
        self.path.min_rtt = rtt;
    }

    fn on_path(&mut self, congestion: &mut Congestion, seen: &PathSample) {
        self.segment = seen.segment.max(1) as f64;
        let (sample, cwnd) = (Sample::of(seen), congestion.cwnd);
        let prior = sample.in_flight + sample.newly + seen.lost as f64 / self.segment;
        self.bounds.see(&sample);
        self.path.measure(&sample);
        if self.path.round {
            self.cycle.count_round();
            self.filled = (false, self.filled.0);
        }
        self.filled.0 |= prior + 1.0 > cwnd;
        self.bounds.adapt(self.state, self.path.max_rate(), cwnd);
        self.aggregation.add(&sample, self.path.rate, cwnd, self.path.rounds, self.full.ever);
        self.full.judge(&sample, self.path.round);
        if self.blind && self.cycle.is_probe {
            let lost =
                LostSegment { delivered: sample.total, limited: sample.limited, ..LostSegment::default() };
            self.probe_was_too_high(sample.now, &lost, sample.sent_in_flight, cwnd);
        }
        self.leave_startup(&sample);
        self.advance_cycle(&sample, cwnd);
        self.measure_rtt(congestion, &sample);
        self.bounds.advance(&sample);
        self.path.rate = self.path.max_rate().min(self.bounds.limits.rate);
        self.blind = false;
        if self.repair.hear(&seen.ack, seen.recovering) {
            congestion.cwnd = congestion.cwnd.max(self.repair.window());
        }
        self.set_rate(seen.ack.srtt);
        self.set_window(congestion, &sample);
    }

    /// `HandleRestartFromIdle` (§5.4.1).
    fn on_restart(&mut self, congestion: &mut Congestion, now: SimTime) {
        self.idle = true;
        self.aggregation.restart(now);
        if self.state.probes_rate() {
            self.send_at(1.0);
        } else if self.state == State::ProbeRtt {
            self.end_probe_rtt(congestion, now, self.path.delivered);
        }
    }

    /// `OnEnterFastRecovery` (§5.6.4.4). Without SACK nothing else tells of the loss.
    fn on_loss(&mut self, congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        congestion.inflation = 0;
        self.save_at_loss(congestion);
        self.repair.begin();
        if !self.selective {
            self.note_blindly();
        }
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, _congestion: &mut Congestion, _segments: f64) -> PartialAck {
        PartialAck::Stay
    }

    /// `OnEnterRTO` (§5.6.4.4).
    fn on_timeout(&mut self, congestion: &mut Congestion, _hold: bool) {
        self.save_at_loss(congestion);
        self.repair.time_out();
        congestion.cwnd = 1.0;
        congestion.leave_recovery();
    }

    /// `HandleSpuriousLossDetection` (§5.5.11.2).
    fn on_undo(&mut self, congestion: &mut Congestion, _before: Before) {
        congestion.cwnd = congestion.cwnd.max(self.repair.window());
        self.bounds.loses = false;
        self.full.restart(0.0);
        let (limits, left) = self.repair.undo();
        if let Some(limits) = limits {
            self.bounds.limits.at_least(&limits);
        }
        match left {
            Some(State::Startup) if self.state != State::Startup => {
                self.full.ever = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => {
                self.refill(self.path.delivered);
            }
            _ => {}
        }
    }

    /// A mark is answered as a loss is, once a round (§3.7).
    fn on_echo(&mut self, congestion: &mut Congestion) {
        self.save_at_loss(congestion);
        self.note_blindly();
    }

    fn is_paced(&self) -> bool {
        true
    }

    fn send_rate(&self) -> Option<Bitrate> {
        rate_of(self.sending, self.segment)
    }

    fn view(&self) -> RuleView {
        RuleView {
            delivery_rate: rate_of(self.path.rate, self.segment),
            min_rtt: self.path.min_rtt,
            phase: self.state.number(),
        }
    }
}

/// So many segments a second, of so many bytes.
fn rate_of(segments: f64, bytes: f64) -> Option<Bitrate> {
    let bits = segments * bytes * 8.0;
    // A positive rate far below 2^64; `as` saturates.
    (bits >= 1.0).then_some(Bitrate::from_bps(bits as u64))
}
