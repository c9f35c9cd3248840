//! The time that a sender keeps: round trips and the timeout that follows from them (RFC 6298), the one timer, and
//! timestamps (RFC 7323 §4). While a shim has frozen the sender, no timer runs.

use super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::config::TcpConfig;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::stamps::Stamps;
use crate::tcp::stream::Stream;
use crate::tcp::tail_probe::Verdict;
use crate::tcp::timer::RetransmissionTimer;
use crate::tcp::wheel;
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, Timestamps};

/// Clocks of one sender.
#[derive(Debug)]
pub(super) struct Timing {
    rto: RtoEstimator,
    timer: RetransmissionTimer,
    stamps: Stamps,
    /// Tick of the clock by which timers fire.
    tick: Dur,
    /// Whether a shim has stopped the sender. Opening, recovery and back-off outlast it.
    frozen: bool,
}

impl Timing {
    /// Nothing has been timed, and no timer runs.
    pub(super) fn new(config: &TcpConfig) -> Self {
        Self {
            rto: RtoEstimator::new(config),
            timer: RetransmissionTimer::off(&config.tail_probe),
            stamps: Stamps::new(config.timestamps),
            tick: config.timer_tick,
            frozen: false,
        }
    }

    /// Round trips, and the timeout.
    #[inline(always)]
    pub(super) const fn rto(&self) -> &RtoEstimator {
        &self.rto
    }

    /// The same, to hear of segments and ACKs.
    #[inline(always)]
    pub(super) const fn rto_mut(&mut self) -> &mut RtoEstimator {
        &mut self.rto
    }

    /// Smoothed round-trip time.
    #[inline]
    pub(super) fn srtt(&self) -> Option<Dur> {
        self.rto.srtt()
    }

    /// The SYN is acknowledged; returns the round trip, if it was measured.
    pub(super) fn hear_syn_ack(&mut self, now: SimTime) -> Option<Dur> {
        let (sum, samples) = self.rto.samples();
        self.rto.acked(now, 0);
        let (all, measured) = self.rto.samples();
        (measured > samples).then(|| all - sum)
    }

    /// Whether a shim has stopped the sender.
    #[inline(always)]
    pub(super) const fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// A shim stops the sender: the timer stops, and what is being timed would only measure the pause.
    pub(super) fn freeze<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.rto.void();
        self.timer.stop_probing();
        self.arm(now, SimTime::MAX, out);
        self.frozen = true;
    }

    /// The shim lets the sender go on.
    pub(super) const fn thaw(&mut self) {
        self.frozen = false;
    }

    /// When the timer fires; `SimTime::MAX` if it does not run.
    #[inline]
    pub(super) const fn deadline(&self) -> SimTime {
        self.timer.deadline()
    }

    /// Whether the timer does not run.
    #[inline]
    pub(super) fn is_off(&self) -> bool {
        self.timer.is_off()
    }

    /// Sets the timer, unless a shim has stopped the sender.
    pub(super) fn arm<S: Sink<Action>>(&mut self, now: SimTime, deadline: SimTime, out: &mut S) {
        let deadline = if self.frozen { SimTime::MAX } else { deadline };
        self.timer.set(deadline);
        out.put(Action::Arm(Timer::Retransmit, wheel::fires(self.tick, now, deadline)));
    }

    /// The timer fires one timeout from now.
    #[inline]
    pub(super) fn start<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.arm(now, now + self.rto.rto(), out);
    }

    /// The same, unless it runs already.
    #[cold]
    pub(super) fn start_if_off<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timer.is_off() {
            self.start(now, out);
        }
    }

    /// RFC 6298 §5.2, §5.3: the timer runs while data are `outstanding`, and starts afresh with each new ACK.
    #[inline]
    pub(super) fn restart<S: Sink<Action>>(&mut self, now: SimTime, outstanding: bool, out: &mut S) {
        self.timer.stop_probing();
        let deadline = if outstanding { now + self.rto.rto() } else { SimTime::MAX };
        self.arm(now, deadline, out);
    }

    /// The timer fires, and is off then; returns whether it does so for a tail loss probe.
    pub(super) fn fires(&mut self, now: SimTime) -> bool {
        let for_probe = self.timer.is_for_probe(now);
        self.timer.set(SimTime::MAX);
        for_probe
    }

    /// Whether the timer runs as the persist timer.
    #[inline]
    pub(super) const fn is_probing(&self) -> bool {
        self.timer.is_probing()
    }

    /// It becomes the persist timer.
    pub(super) fn start_probing<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let at = self.timer.start_probing(now, self.rto.rto());
        self.arm(now, at, out);
    }

    /// A probe of the window goes out.
    pub(super) fn probed<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let at = self.timer.probed(now, self.rto.rto(), self.rto.max());
        self.arm(now, at, out);
    }

    /// It is the retransmission timer again.
    #[inline]
    pub(super) const fn stop_probing(&mut self) {
        self.timer.stop_probing();
    }

    /// Whether tail loss probes are sent, and none is out.
    #[inline]
    pub(super) fn may_probe(&self) -> bool {
        self.timer.may_probe()
    }

    /// Whether a tail loss probe is out.
    #[inline]
    pub(super) fn awaits_probe(&self) -> bool {
        self.timer.awaits_probe()
    }

    /// Whether the tail loss probe that is out has repeated the segment that ends here.
    pub(super) fn has_repeated(&self, end: u64) -> bool {
        self.timer.has_repeated(end)
    }

    /// The timer fires before for a tail loss probe; `single`: one segment is outstanding.
    pub(super) fn plan_probe<S: Sink<Action>>(&mut self, now: SimTime, single: bool, out: &mut S) {
        let (srtt, timeout) = (self.rto.srtt(), self.timer.deadline());
        if let Some(tail) = self.timer.tail_mut() {
            tail.plan(now, srtt, single, timeout);
            out.put(Action::Arm(Timer::Retransmit, wheel::fires(self.tick, now, tail.due())));
        }
    }

    /// A tail loss probe that ends at this byte goes out; `again`: it repeats a segment.
    pub(super) fn probe_leaves(&mut self, end: u64, again: bool) {
        if let Some(tail) = self.timer.tail_mut() {
            tail.sent(end, again);
        }
    }

    /// What an ACK says of the tail loss probe that is out. `bare`: it brings nothing; `twice`: the end of what has
    /// come twice.
    pub(super) fn judge_probe(&mut self, ack: u64, bare: bool, twice: Option<u64>) -> Option<Verdict> {
        self.timer.tail_mut().map(|tail| tail.judge(ack, bare, twice))
    }

    /// A loss was found in another way: what became of the tail loss probe is no matter any more.
    #[inline]
    pub(super) fn forget_probe(&mut self) {
        if let Some(tail) = self.timer.tail_mut() {
            tail.forget();
        }
    }

    /// Whether segments have timestamps.
    #[inline]
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamps.is_on()
    }

    /// The timestamps of a segment that leaves.
    #[inline]
    pub(super) fn stamp(&self, now: SimTime) -> Timestamps {
        self.stamps.stamp(now)
    }

    /// The other end's clock, as a segment tells it.
    pub(super) fn hear_clock(&mut self, segment: &Segment) {
        self.stamps.hear(segment);
    }

    /// An ACK echoes the time when a segment left; one that advances tells a round trip.
    pub(super) fn hear_echo(&mut self, now: SimTime, segment: &Segment, stream: &Stream) {
        let rtt = segment.times.elapsed(now).filter(|_| segment.ack > stream.una());
        if let Some(rtt) = rtt {
            self.rto.echoed(now, segment.ack, rtt, stream.outstanding().div_ceil(stream.segment()));
        }
    }
}
