//! A physical reception model: the sum of all interference decides.
//!
//! A receiver locks onto a signal above the receive threshold if, `lock-time` after its beginning, it is the strongest
//! of those that began meanwhile and its ratio to noise plus all others reaches `sinr-threshold`: of two equal ones
//! neither. What was never locked onto leaves no EIFS: the station has only sensed energy. A locked frame is lost if
//! the ratio falls below the threshold at any time, or with an error curve by bit errors: in the PLCP header, which
//! leaves no EIFS and frees the receiver, or in the payload, which leaves EIFS. With `late-capture` a later signal
//! whose own ratio reaches `capture` takes the receiver over.
//!
//! Nothing here happens by itself: what was due between two events is settled at the later one, since interference
//! is constant between them.

use multihop_proto::units::{Dur, NodeId, Rng, SimTime};
use multihop_proto::wire::{Bitmap, Mpdu};

use super::bit_errors::Known;
use super::config::{AirConfig, ErrorCurve, OfdmErrors};
use super::curve::Parts;
use super::radio::{Arrival, Ending, SignalStart};
use stretches::Stretches;

/// The parts of the signal that began last at an instant, found once for all its listeners.
#[derive(Debug, Default)]
pub struct FoundParts(Option<(NodeId, Parts)>);

impl FoundParts {
    /// Those of a signal that begins now.
    fn of(&mut self, arrival: &Arrival, find: impl FnOnce() -> Parts) -> Parts {
        match self.0 {
            Some((from, parts)) if from == arrival.from => parts,
            _ => self.0.insert((arrival.from, find())).1,
        }
    }
}

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
    rng: Rng,
    /// Sum of the powers of the signals on the air here, in whole units: it does not depend on their order.
    sum: Sum,
    /// The signal that may be locked onto.
    candidate: Option<Candidate>,
    locked: Option<Lock>,
    /// What an A-MPDU that is being received has met.
    stretches: Stretches,
    /// What is known of bit errors in headers and in payloads.
    headers: Known,
    payloads: Known,
    /// End of the node's own transmission; it dozes as if it were sending for ever.
    sending: SimTime,
    /// End of the sensed signal that lasts longest of those that began while it dozed.
    missed: SimTime,
}

/// A sum of powers in units of 10^-24 W: adding and taking away leaves nothing behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum(u128);

impl Sum {
    const UNIT: f64 = 1e-24;

    fn units(power: f64) -> u128 {
        let units = power / Self::UNIT;
        // Up to 18 uW one word is enough, and sooner found.
        if units < u64::MAX as f64 { u128::from(units as u64) } else { units as u128 } // saturates
    }

    fn add(&mut self, power: f64) {
        self.0 += Self::units(power);
    }

    fn take(&mut self, power: f64) {
        self.0 = self.0.saturating_sub(Self::units(power));
    }

    /// All but one of the signals \[W\].
    fn without(self, power: f64) -> f64 {
        let others = self.0.saturating_sub(Self::units(power));
        u64::try_from(others).map_or_else(|_| others as f64, |few| few as f64) * Self::UNIT
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    arrival: Arrival,
    parts: Parts,
    since: SimTime,
    /// Another of the same power began at the same instant.
    tied: bool,
}

/// The frame being received.
#[derive(Clone, Copy, Debug)]
struct Lock {
    from: NodeId,
    power: f64,
    end: SimTime,
    /// Fallen below the threshold, without an error curve.
    lost: bool,
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
            rng,
            sum: Sum::default(),
            candidate: None,
            locked: None,
            stretches: Stretches::default(),
            headers: Known::default(),
            payloads: Known::default(),
            sending: SimTime::ZERO,
            missed: SimTime::ZERO,
        }
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
    fn miss(&mut self, arrival: &Arrival) -> SignalStart {
        if arrival.sensed {
            self.missed = self.missed.max(arrival.end);
        }
        SignalStart::Nothing
    }

    /// See [`super::Radios::sent_until`].
    pub const fn sent_until(&self) -> SimTime {
        self.sending
    }

    /// See [`super::Radios::receiving_until`].
    pub fn receiving_until(&mut self, now: SimTime) -> SimTime {
        self.catch_up(now);
        let began = |lock: &Lock| lock.parts.payload <= now;
        self.locked.filter(began).map_or(SimTime::ZERO, |lock| lock.end)
    }

    /// See [`super::Radios::begin`].
    pub fn begin(&mut self, now: SimTime, arrival: &Arrival, found: &mut FoundParts) -> SignalStart {
        self.catch_up(now);
        self.sum.add(arrival.power);
        let quiet = if arrival.sensed { SignalStart::Busy } else { SignalStart::Nothing };
        if self.sending > now {
            return if self.sending == SimTime::MAX { self.miss(arrival) } else { quiet };
        }
        if let Some(Lock { power, parts, parted, .. }) = self.locked {
            let judged = !parted || now < parts.payload;
            let below = judged && self.ratio(power, parts.wide) < self.threshold;
            self.locked.iter_mut().for_each(|lock| lock.lost |= below);
        }
        if arrival.decodable && (self.locked.is_none() || self.capture < f64::INFINITY) {
            self.propose(now, arrival, found);
        }
        quiet
    }

    /// See [`super::Radios::end`].
    pub fn end(&mut self, now: SimTime, from: NodeId, power: f64) -> Ending {
        let Some(&Lock { payload, lost, .. }) = self.leave(now, from, power) else {
            return Ending::Overlapped;
        };
        self.locked = None;
        let intact = if self.curve { self.survives(payload) } else { !lost };
        if intact { Ending::Whole } else { Ending::Garbled }
    }

    /// See [`super::Radios::end_parted`].
    pub fn end_parted(
        &mut self,
        now: SimTime,
        (from, power): (NodeId, f64),
        mpdus: &[Mpdu],
        each: bool,
    ) -> (Ending, Bitmap) {
        if self.leave(now, from, power).is_none() {
            return (Ending::Overlapped, Bitmap::NONE);
        }
        let threshold = (!self.curve).then_some(self.threshold);
        let Self { stretches, payloads, rng, locked, .. } = self;
        let Some(lock) = locked.as_ref() else { return (Ending::Overlapped, Bitmap::NONE) };
        let mpdus = if lock.lost { &[] } else { mpdus };
        let intact = stretches.each_intact(&lock.parts, threshold, mpdus, payloads);
        let map = if each { which_survive(rng, intact) } else { any_survives(rng, intact) };
        self.locked = None;
        (if map.is_empty() { Ending::Garbled } else { Ending::Whole }, map)
    }

    /// A signal ends: the frame that was being received, if it is that, and no longer is.
    fn leave(&mut self, now: SimTime, from: NodeId, power: f64) -> Option<&Lock> {
        self.catch_up(now);
        if self.candidate.as_ref().is_some_and(|candidate| candidate.arrival.from == from) {
            self.decide(); // shorter than the time that locking takes
            self.judge(now);
        }
        self.sum.take(power);
        self.locked.as_ref().filter(|lock| lock.from == from && lock.end == now)
    }

    /// A signal that can be decoded begins: the strongest is the one that may be locked onto.
    fn propose(&mut self, now: SimTime, arrival: &Arrival, found: &mut FoundParts) {
        match &mut self.candidate {
            Some(before) if before.arrival.power > arrival.power => {}
            Some(before) if before.arrival.power == arrival.power => before.tied |= before.since == now,
            _ => {
                let parts = found.of(arrival, || self.parts(now, arrival));
                self.candidate = Some(Candidate { arrival: *arrival, parts, since: now, tied: false });
            }
        }
    }

    /// The parts of a signal that begins now.
    fn parts(&self, now: SimTime, arrival: &Arrival) -> Parts {
        let parts = Parts::new(arrival.tx, arrival.size, now, self.ofdm);
        if self.padding { parts.with_padding(arrival.tx) } else { parts }
    }

    /// What was due until `now`.
    fn catch_up(&mut self, now: SimTime) {
        if let Some(Candidate { arrival, since, .. }) = &self.candidate {
            // One that is over sooner is judged at its end, before anything that ends with it is taken away.
            let due = arrival.end.min(*since + self.lock_time);
            if now > *since && now >= due {
                self.judge(due);
                self.decide();
            }
        }
        self.judge(now);
    }

    /// Whether the receiver locks onto the candidate.
    fn decide(&mut self) {
        let Some(Candidate { arrival, parts, tied, .. }) = &self.candidate else { return };
        let least = if self.locked.is_some() { self.capture } else { self.threshold };
        if *tied || self.ratio(arrival.power, parts.wide) < least {
            self.candidate = None;
            return;
        }
        self.stretches.clear();
        self.locked = Some(Lock {
            from: arrival.from,
            power: arrival.power,
            end: arrival.end,
            lost: false,
            parted: arrival.parted,
            judged: parts.header,
            parts: *parts,
            header: 1.0,
            payload: 1.0,
        });
        self.candidate = None;
    }

    /// Judges the bits that have arrived until `now` under the present interference.
    fn judge(&mut self, now: SimTime) {
        let Some(lock) = &self.locked else { return };
        if lock.judged >= now || !(self.curve || lock.parted) {
            return;
        }
        let ratio = self.ratio(lock.power, lock.parts.wide);
        let Self { curve, rng, locked: Some(lock), stretches, headers, payloads, .. } = self else { return };
        let parts = &lock.parts;
        if *curve && lock.judged < parts.header_end {
            let until = now.min(parts.header_end);
            let bits = parts.header_bits(lock.judged, until);
            lock.header *= headers.intact(parts.header_errors(), ratio, bits);
            lock.judged = until;
            if until == parts.header_end && !survives(rng, lock.header) {
                self.locked = None;
                return;
            }
        }
        let (since, until) = (lock.judged.max(parts.payload), now.min(parts.payload_end));
        if since < until && lock.parted {
            stretches.push(since, until, ratio);
        } else if since < until {
            let bits = parts.payload_bits(since, until);
            lock.payload *= payloads.intact(parts.payload_errors(), ratio, bits);
        }
        lock.judged = now;
    }

    /// Draws whether bits that are intact with this probability are so.
    fn survives(&mut self, intact: f64) -> bool {
        survives(&mut self.rng, intact)
    }

    /// Ratio of one of the present signals, so many times 20 MHz wide, to noise and all others.
    fn ratio(&self, power: f64, wide: f64) -> f64 {
        power / (self.noise * wide + self.sum.without(power))
    }
}

fn survives(rng: &mut Rng, intact: f64) -> bool {
    intact >= 1.0 || rng.f64() < intact
}

/// Which MPDUs survive that are intact with these probabilities.
fn which_survive(rng: &mut Rng, intact: impl Iterator<Item = (u16, f64)>) -> Bitmap {
    let mut map = Bitmap::NONE;
    for (place, _) in intact.filter(|&(_, intact)| survives(rng, intact)) {
        map.set(place);
    }
    map
}

/// All or none: whether any of them survives.
fn any_survives(rng: &mut Rng, mut intact: impl Iterator<Item = (u16, f64)>) -> Bitmap {
    let mut none = 1.0;
    // One that is sure to come through is enough.
    while none > 0.0
        && let Some((_, intact)) = intact.next()
    {
        none *= 1.0 - intact;
    }
    if survives(rng, 1.0 - none) { Bitmap::ALL } else { Bitmap::NONE }
}

mod stretches;
#[cfg(test)]
mod tests;
