//! A physical reception model: the sum of all interference decides.
//!
//! A receiver locks onto a signal above the receive threshold if, `lock-time` after its beginning, it is the strongest
//! of those that began meanwhile and its ratio to noise plus all others reaches `sinr-threshold`: of two equal ones
//! neither. What was never locked onto leaves no EIFS: the station has only sensed energy. A locked frame is lost if
//! the ratio falls below the threshold at any time, or with an error curve by bit errors: in the PLCP header, which
//! leaves no EIFS and frees the receiver, or in the payload, which leaves EIFS. With `late-capture` a later signal
//! whose own ratio reaches `capture` takes the receiver over. A receiver of an older amendment never locks onto what is
//! not of its family, and senses its energy. Of a later frame of its family it reads the header, and the rest leaves
//! EIFS.
//!
//! Nothing here happens by itself: what was due between two events is settled at the later one, since interference
//! is constant between them.

use multihop_proto::mac::{Reading, Reads};
use multihop_proto::phy::TxVector;
use multihop_proto::units::{Bytes, Dur, NodeId, Rng, SimTime};
use multihop_proto::wire::{Bitmap, Mpdu};

use super::config::{AirConfig, ErrorCurve, OfdmErrors};
use super::curve::Parts;
use super::findings::Findings;
use super::radio::{Arrival, Ending, SignalStart};
use judgement::{Judgement, survives};
use stretches::Stretches;

/// One node's receiver.
#[derive(Clone, Debug)]
pub struct SinrRadio {
    noise: f64,
    threshold: f64,
    capture: f64,
    lock_time: Dur,
    curve: bool,
    ofdm: OfdmErrors,
    padding: bool,
    /// Which frames it can make out, and from which power on the others keep the medium busy.
    reads: Reads,
    energy: f64,
    rng: Rng,
    /// Sum of the powers of the signals on the air here, in whole units: it does not depend on their order.
    sum: Sum,
    /// The signal that may be locked onto.
    candidate: Option<Candidate>,
    locked: Option<Lock>,
    /// What an A-MPDU that is being received has met.
    stretches: Stretches,
    /// End of the node's own transmission; it dozes as if it were sending for ever.
    sending: SimTime,
    /// End of the sensed signal that lasts longest of those that began while it dozed.
    missed: SimTime,
}

/// A power in units of 10^-24 W.
#[derive(Clone, Copy, Debug)]
struct Units(u128);

impl Units {
    const UNIT: f64 = 1e-24;

    fn of(power: f64) -> Self {
        let units = power / Self::UNIT;
        // Up to 18 uW one word is enough, and sooner found.
        Self(if units < u64::MAX as f64 { u128::from(units as u64) } else { many(units) })
    }
}

#[cold]
fn many(units: f64) -> u128 {
    units as u128 // saturates
}

/// A sum of powers in whole units: adding and taking away leaves nothing behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum(u128);

impl Sum {
    fn add(&mut self, Units(power): Units) {
        self.0 += power;
    }

    fn take(&mut self, Units(power): Units) {
        self.0 = self.0.saturating_sub(power);
    }

    /// All but one of the signals \[W\].
    fn without(self, Units(power): Units) -> f64 {
        let others = self.0.saturating_sub(power);
        u64::try_from(others).map_or_else(|_| in_float(others), |few| few as f64) * Units::UNIT
    }
}

/// Apart, since both ways would be taken otherwise.
#[cold]
#[inline(never)]
fn in_float(units: u128) -> f64 {
    units as f64
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// What would be received.
    lock: Lock,
    since: SimTime,
    /// Another of the same power began at the same instant.
    tied: bool,
}

/// The frame being received.
#[derive(Clone, Copy, Debug)]
struct Lock {
    from: NodeId,
    power: f64,
    units: Units,
    end: SimTime,
    /// Fallen below the threshold, without an error curve.
    lost: bool,
    /// Only its first header can be read.
    unread: bool,
    /// Whether it is an A-MPDU: then its payload is judged MPDU by MPDU at its end.
    parted: bool,
    parts: Parts,
    /// Up to when bits have been judged.
    judged: SimTime,
    /// Probabilities that what was judged so far is intact.
    header: f64,
    payload: f64,
}

impl SinrRadio {
    /// A silent receiver that draws errors from `rng`.
    #[must_use]
    pub fn new(config: &AirConfig, rng: Rng) -> Self {
        Self {
            noise: config.noise.get(),
            threshold: config.sinr_threshold.ratio(),
            capture: if config.late_capture { config.capture.ratio() } else { f64::INFINITY },
            lock_time: config.lock_time,
            curve: config.error_curve == ErrorCurve::Dsss,
            ofdm: config.ofdm_errors,
            padding: config.padding_errors,
            reads: Reads::All,
            energy: config.energy_threshold.get(),
            rng,
            sum: Sum::default(),
            candidate: None,
            locked: None,
            stretches: Stretches::default(),
            sending: SimTime::ZERO,
            missed: SimTime::ZERO,
        }
    }

    /// From now on it makes out these frames; others keep the medium busy from this power on \[W\].
    pub(super) const fn set_reads(&mut self, reads: Reads, energy: f64) {
        (self.reads, self.energy) = (reads, energy);
    }

    /// See [`super::Radios::transmit`].
    pub fn transmit(&mut self, _now: SimTime, end: SimTime) -> Option<SimTime> {
        self.sending = end;
        // A radio that turns to sending lets go of what it was receiving.
        self.locked = None;
        self.candidate = None;
        None
    }

    /// See [`super::Radios::fall_asleep`].
    pub fn fall_asleep(&mut self, now: SimTime) {
        self.transmit(now, SimTime::MAX);
    }

    /// See [`super::Radios::wake`].
    pub fn wake(&mut self, now: SimTime) -> SimTime {
        self.sending = now;
        self.missed
    }

    /// A signal begins while it dozes.
    #[cold]
    fn miss(&mut self, sensed: bool, end: SimTime) -> SignalStart {
        if sensed {
            self.missed = self.missed.max(end);
        }
        SignalStart::Nothing
    }

    /// See [`super::Radios::sent_until`].
    pub const fn sent_until(&self) -> SimTime {
        self.sending
    }

    /// See [`super::Radios::receiving_until`].
    pub fn receiving_until(&mut self, now: SimTime, findings: &mut Findings) -> SimTime {
        self.catch_up(now, findings);
        let began = |lock: &&Lock| lock.parts.payload <= now;
        self.locked.as_ref().filter(began).map_or(SimTime::ZERO, |lock| lock.end)
    }

    /// See [`super::Radios::begin`].
    pub fn begin(&mut self, now: SimTime, arrival: &Arrival, findings: &mut Findings) -> SignalStart {
        self.catch_up(now, findings);
        let units = Units::of(arrival.power);
        self.sum.add(units);
        let reading = self.reads.reading(arrival.tx);
        let sensed = arrival.sensed && (reading != Reading::Energy || arrival.power >= self.energy);
        let quiet = if sensed { SignalStart::Busy } else { SignalStart::Nothing };
        if self.sending > now {
            return if self.sending == SimTime::MAX { self.miss(sensed, arrival.end) } else { quiet };
        }
        if let Some(lock) = &mut self.locked {
            // Else bits decide.
            let judged = if lock.parted { now < lock.parts.payload } else { !self.curve };
            lock.lost |= judged && lock.ratio(self.noise, self.sum) < self.threshold;
        }
        if arrival.decodable
            && reading != Reading::Energy
            && (self.locked.is_none() || self.capture < f64::INFINITY)
        {
            self.propose(now, arrival, units, findings);
        }
        quiet
    }

    /// See [`super::Radios::end`].
    pub fn end(&mut self, now: SimTime, signal: (NodeId, f64), findings: &mut Findings) -> Ending {
        let Some(&Lock { payload, lost, unread, .. }) = self.leave(now, signal, findings) else {
            return Ending::Overlapped;
        };
        self.locked = None;
        let intact = !unread && if self.curve { self.survives(payload) } else { !lost };
        if intact { Ending::Whole } else { Ending::Garbled }
    }

    /// See [`super::Radios::end_parted`].
    pub fn end_parted(
        &mut self,
        now: SimTime,
        signal: (NodeId, f64),
        (mpdus, each): (&[Mpdu], bool),
        findings: &mut Findings,
    ) -> (Ending, Bitmap) {
        if self.leave(now, signal, findings).is_none() {
            return (Ending::Overlapped, Bitmap::NONE);
        }
        let threshold = (!self.curve).then_some(self.threshold);
        let Self { stretches, rng, locked, .. } = self;
        let Some(lock) = locked.as_ref() else { return (Ending::Overlapped, Bitmap::NONE) };
        let lost = lock.unread || lock.lost && !self.curve;
        let mpdus = if lost { &[] } else { mpdus };
        let judgement = Judgement::new(stretches.all(), &lock.parts, threshold, &mut findings.errors);
        let map = if each { judgement.each(mpdus, rng) } else { judgement.any(mpdus, rng) };
        self.locked = None;
        (if map.is_empty() { Ending::Garbled } else { Ending::Whole }, map)
    }

    /// A signal ends: the frame that was being received, if it is that, and no longer is.
    fn leave(
        &mut self,
        now: SimTime,
        (from, power): (NodeId, f64),
        findings: &mut Findings,
    ) -> Option<&Lock> {
        self.catch_up(now, findings);
        if self.candidate.as_ref().is_some_and(|candidate| candidate.lock.from == from) {
            self.decide(); // shorter than the time that locking takes
            self.judge(now, findings);
        }
        self.sum.take(Units::of(power));
        self.locked.as_ref().filter(|lock| lock.from == from && lock.end == now)
    }

    /// A signal that can be decoded begins: the strongest is the one that may be locked onto.
    fn propose(&mut self, now: SimTime, arrival: &Arrival, units: Units, findings: &mut Findings) {
        match &mut self.candidate {
            Some(before) if before.lock.power > arrival.power => {}
            Some(before) if before.lock.power == arrival.power => before.tied |= before.since == now,
            _ => {
                let &Arrival { from, power, end, tx, size, parted, .. } = arrival;
                let parts = findings.parts(now, (tx, size), || self.parts(tx, size));
                let (judged, header, payload) = (parts.header, 1.0, 1.0);
                let (lost, unread) = (false, self.reads.reading(tx) == Reading::Header);
                let lock =
                    Lock { from, power, units, end, lost, unread, parted, parts, judged, header, payload };
                self.candidate = Some(Candidate { lock, since: now, tied: false });
            }
        }
    }

    /// The parts of a frame that begins at 0.
    fn parts(&self, tx: TxVector, size: Bytes) -> Parts {
        let parts = Parts::new(tx, size, SimTime::ZERO, self.ofdm);
        if self.padding { parts.with_padding(tx) } else { parts }
    }

    /// What was due until `now`.
    fn catch_up(&mut self, now: SimTime, findings: &mut Findings) {
        if let Some(Candidate { lock, since, .. }) = &self.candidate {
            // One that is over sooner is judged at its end, before anything that ends with it is taken away.
            let due = lock.end.min(*since + self.lock_time);
            if now > *since && now >= due {
                self.judge(due, findings);
                self.decide();
            }
        }
        self.judge(now, findings);
    }

    /// Whether the receiver locks onto the candidate.
    fn decide(&mut self) {
        let Some(Candidate { lock, tied, .. }) = self.candidate.take() else { return };
        let least = if self.locked.is_some() { self.capture } else { self.threshold };
        if !tied && lock.ratio(self.noise, self.sum) >= least {
            self.stretches.clear();
            self.locked = Some(lock);
        }
    }

    /// Judges the bits that have arrived until `now` under the present interference.
    fn judge(&mut self, now: SimTime, findings: &mut Findings) {
        let Self { curve, noise, sum, rng, locked, stretches, .. } = self;
        let Some(lock) = locked.as_mut().filter(|lock| lock.judged < now && (*curve || lock.parted)) else {
            return;
        };
        let ratio = lock.ratio(*noise, *sum);
        let (parts, errors) = (&lock.parts, &mut findings.errors);
        if *curve && lock.judged < parts.header_end {
            let until = now.min(parts.header_end);
            let bits = parts.header_bits(lock.judged, until);
            lock.header *= errors.intact(parts.header_errors(), ratio, bits);
            lock.judged = until;
            if until == parts.header_end && !survives(rng, lock.header) {
                *locked = None;
                return;
            }
        }
        let (since, until) = (lock.judged.max(parts.payload), now.min(parts.payload_end));
        if since < until && lock.parted {
            stretches.push(since, until, ratio);
        } else if since < until {
            let bits = parts.payload_bits(since, until);
            lock.payload *= errors.intact(parts.payload_errors(), ratio, bits);
        }
        lock.judged = now;
    }

    /// Draws whether bits that are intact with this probability are so.
    fn survives(&mut self, intact: f64) -> bool {
        survives(&mut self.rng, intact)
    }
}

impl Lock {
    /// The ratio of its signal, so many times 20 MHz wide, to noise and all others.
    fn ratio(&self, noise: f64, all: Sum) -> f64 {
        self.power / (noise * self.parts.wide + all.without(self.units))
    }
}

mod judgement;
mod stretches;
#[cfg(test)]
mod tests;
