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

use super::config::{AirConfig, ErrorCurve};
use super::dsss::{Format, Modulation};
use super::radio::{Arrival, Ending, Heard};

/// One node's receiver.
#[derive(Clone, Debug)]
pub struct SinrRadio {
    noise: f64,
    threshold: f64,
    capture: f64,
    lock_time: Dur,
    curve: bool,
    format: Format,
    rng: Rng,
    /// Sum of the powers of the signals on the air here, in whole units: it does not depend on their order.
    sum: Sum,
    /// The signal that may be locked onto.
    candidate: Option<Candidate>,
    locked: Option<Lock>,
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
        (power / Self::UNIT) as u128 // saturates
    }

    fn add(&mut self, power: f64) {
        self.0 += Self::units(power);
    }

    fn take(&mut self, power: f64) {
        self.0 = self.0.saturating_sub(Self::units(power));
    }

    /// All but one of the signals \[W\].
    fn without(self, power: f64) -> f64 {
        self.0.saturating_sub(Self::units(power)) as f64 * Self::UNIT
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    arrival: Arrival,
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
    /// Rate of the PLCP header \[b/s\].
    header_rate: f64,
    /// Up to when bits have been judged, and where those of the header end.
    judged: SimTime,
    header_end: SimTime,
    /// Bit rate of the payload \[b/s\].
    rate: f64,
    /// Probabilities that what was judged so far is intact.
    header: f64,
    payload: f64,
}

impl SinrRadio {
    /// A silent receiver that draws errors from `rng`.
    #[must_use]
    pub fn new(config: &AirConfig, format: Format, rng: Rng) -> Self {
        Self {
            noise: config.noise.get(),
            threshold: config.sinr_threshold.ratio(),
            capture: if config.late_capture { config.capture.ratio() } else { f64::INFINITY },
            lock_time: config.lock_time,
            curve: config.error_curve == ErrorCurve::Dsss,
            format,
            rng,
            sum: Sum::default(),
            candidate: None,
            locked: None,
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
    fn miss(&mut self, arrival: &Arrival) -> Heard {
        if arrival.sensed {
            self.missed = self.missed.max(arrival.end);
        }
        Heard::Nothing
    }

    /// See [`super::Radios::sent_until`].
    pub const fn sent_until(&self) -> SimTime {
        self.sending
    }

    /// See [`super::Radios::begin`].
    pub fn begin(&mut self, now: SimTime, arrival: &Arrival) -> Heard {
        self.catch_up(now);
        self.sum.add(arrival.power);
        let quiet = if arrival.sensed { Heard::Busy } else { Heard::Nothing };
        if self.sending > now {
            return if self.sending == SimTime::MAX { self.miss(arrival) } else { quiet };
        }
        if let Some(Lock { power, .. }) = self.locked {
            let below = self.ratio(power) < self.threshold;
            self.locked.iter_mut().for_each(|lock| lock.lost |= below);
        }
        if arrival.decodable && (self.locked.is_none() || self.capture < f64::INFINITY) {
            self.propose(now, arrival);
        }
        quiet
    }

    /// See [`super::Radios::end`].
    pub fn end(&mut self, now: SimTime, from: NodeId, power: f64) -> Ending {
        self.catch_up(now);
        if self.candidate.is_some_and(|candidate| candidate.arrival.from == from) {
            self.decide(); // shorter than the time that locking takes
            self.judge(now);
        }
        self.sum.take(power);
        match self.locked {
            Some(lock) if lock.from == from && lock.end == now => {
                self.locked = None;
                let intact = if self.curve { self.survives(lock.payload) } else { !lock.lost };
                if intact { Ending::Whole } else { Ending::Garbled }
            }
            _ => Ending::Overlapped,
        }
    }

    /// A signal that can be decoded begins: the strongest is the one that may be locked onto.
    fn propose(&mut self, now: SimTime, arrival: &Arrival) {
        match &mut self.candidate {
            Some(before) if before.arrival.power > arrival.power => {}
            Some(before) if before.arrival.power == arrival.power => before.tied |= before.since == now,
            _ => self.candidate = Some(Candidate { arrival: *arrival, since: now, tied: false }),
        }
    }

    /// What was due until `now`.
    fn catch_up(&mut self, now: SimTime) {
        if let Some(Candidate { arrival, since, .. }) = self.candidate {
            // One that is over sooner is judged at its end, before anything that ends with it is taken away.
            let due = arrival.end.min(since + self.lock_time);
            if now > since && now >= due {
                self.judge(due);
                self.decide();
            }
        }
        self.judge(now);
    }

    /// Whether the receiver locks onto the candidate.
    fn decide(&mut self) {
        let Some(Candidate { arrival, since, tied }) = self.candidate.take() else { return };
        let least = if self.locked.is_some() { self.capture } else { self.threshold };
        if tied || self.ratio(arrival.power) < least {
            return;
        }
        let airtime = arrival.end.saturating_since(since);
        let (preamble, length, header_rate) = self.format.of(arrival.bits, airtime);
        let header = since + preamble;
        let header_end = header + length;
        let seconds = arrival.end.saturating_since(header_end).as_secs_f64();
        self.locked = Some(Lock {
            from: arrival.from,
            power: arrival.power,
            end: arrival.end,
            lost: false,
            judged: header,
            header_end,
            header_rate,
            rate: if seconds > 0.0 { arrival.bits as f64 / seconds } else { header_rate },
            header: 1.0,
            payload: 1.0,
        });
    }

    /// Judges the bits that have arrived until `now` under the present interference.
    fn judge(&mut self, now: SimTime) {
        let Some(mut lock) = self.locked.filter(|lock| self.curve && lock.judged < now) else { return };
        let ratio = self.ratio(lock.power);
        if lock.judged < lock.header_end {
            let until = now.min(lock.header_end);
            let rate = lock.header_rate;
            lock.header *= Modulation::of(rate).intact(rate, ratio, until - lock.judged);
            lock.judged = until;
            if until == lock.header_end && !self.survives(lock.header) {
                self.locked = None;
                return;
            }
        }
        if lock.judged < now {
            lock.payload *= Modulation::of(lock.rate).intact(lock.rate, ratio, now - lock.judged);
            lock.judged = now;
        }
        self.locked = Some(lock);
    }

    /// Draws whether bits that are intact with this probability are so.
    fn survives(&mut self, intact: f64) -> bool {
        intact >= 1.0 || self.rng.f64() < intact
    }

    /// Ratio of one of the present signals to noise and all others.
    fn ratio(&self, power: f64) -> f64 {
        power / (self.noise + self.sum.without(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::mac::DcfConfig;
    use multihop_proto::units::{Decibel, Entity, Power, Purpose};

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    /// A frame at 2 Mb/s that fills the time until `end`, if it begins at 0.
    fn arrival(from: u32, power: f64, end: u64) -> Arrival {
        let (decodable, sensed) = (power >= 1.0, power >= 0.1);
        Arrival {
            from: NodeId(from),
            power,
            end: at(end),
            bits: 2 * end.saturating_sub(192),
            decodable,
            sensed,
        }
    }

    fn radio_with(config: AirConfig) -> SinrRadio {
        let config = AirConfig {
            noise: Power::new(0.001),
            sinr_threshold: Decibel::new(4.0),
            capture: Decibel::new(10.0),
            ..config
        };
        let rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Reception);
        SinrRadio::new(&config, Format::new(&DcfConfig::default()), rng)
    }

    /// One that goes by the threshold alone.
    fn radio() -> SinrRadio {
        radio_with(AirConfig { error_curve: ErrorCurve::None, ..AirConfig::default() })
    }

    /// One that goes by the error curve, and is never taken over.
    fn curved() -> SinrRadio {
        radio_with(AirConfig { late_capture: false, ..AirConfig::default() })
    }

    #[test]
    fn interference_adds_up() {
        let mut radio = radio();
        radio.begin(at(0), &arrival(1, 1.0, 100));
        for other in 2..6 {
            radio.begin(at(10), &arrival(other, 0.09, 90)); // each alone 10 dB below
        }
        for other in 2..6 {
            radio.end(at(90), NodeId(other), 0.09);
        }
        assert_eq!(radio.end(at(100), NodeId(1), 1.0), Ending::Whole); // 1 / 0.361 = 4.4 dB
        radio.begin(at(200), &arrival(1, 1.0, 300));
        for other in 2..7 {
            radio.begin(at(210), &arrival(other, 0.09, 290));
        }
        for other in 2..7 {
            radio.end(at(290), NodeId(other), 0.09);
        }
        assert_eq!(radio.end(at(300), NodeId(1), 1.0), Ending::Garbled); // 1 / 0.451 = 3.5 dB
    }

    #[test]
    fn a_much_stronger_late_signal_takes_over() {
        let mut radio = radio();
        radio.begin(at(0), &arrival(1, 1.0, 100));
        radio.begin(at(10), &arrival(2, 16.0, 60));
        assert_eq!(radio.end(at(60), NodeId(2), 16.0), Ending::Whole);
        assert_eq!(radio.end(at(100), NodeId(1), 1.0), Ending::Overlapped);
        let mut firm = radio_with(AirConfig {
            error_curve: ErrorCurve::None,
            late_capture: false,
            ..AirConfig::default()
        });
        firm.begin(at(0), &arrival(1, 1.0, 100));
        firm.begin(at(10), &arrival(2, 16.0, 60));
        assert_eq!(firm.end(at(60), NodeId(2), 16.0), Ending::Overlapped);
        assert_eq!(firm.end(at(100), NodeId(1), 1.0), Ending::Garbled);
    }

    #[test]
    fn energy_alone_leaves_nothing() {
        let mut radio = radio();
        assert_eq!(radio.begin(at(0), &arrival(1, 0.5, 100)), Heard::Busy);
        assert_eq!(radio.begin(at(5), &arrival(2, 0.01, 80)), Heard::Nothing);
        assert_eq!(radio.end(at(80), NodeId(2), 0.01), Ending::Overlapped);
        assert_eq!(radio.end(at(100), NodeId(1), 0.5), Ending::Overlapped);
    }

    /// In whatever order equal powers are told, and however long they last: neither is locked onto.
    #[test]
    fn of_two_equal_signals_that_begin_together_neither_is_received() {
        for lock_time in [Dur::ZERO, Dur::from_us(4)] {
            for threshold in [4.0, -20.0] {
                for order in [[(1, 300), (2, 900)], [(2, 900), (1, 300)]] {
                    let mut radio = radio_with(AirConfig { lock_time, ..AirConfig::default() });
                    radio.threshold = Decibel::new(threshold).ratio();
                    for (from, end) in order {
                        radio.begin(at(0), &arrival(from, 1.0, end));
                    }
                    assert_eq!(radio.end(at(300), NodeId(1), 1.0), Ending::Overlapped);
                    assert_eq!(radio.end(at(900), NodeId(2), 1.0), Ending::Overlapped);
                }
            }
        }
    }

    /// A signal is judged 4 us after it begins, the strongest of those that have begun by then.
    #[test]
    fn a_stronger_signal_within_the_lock_time_is_the_one_that_counts() {
        for (second, first_ends, second_ends) in
            [(2, Ending::Overlapped, Ending::Whole), (5, Ending::Whole, Ending::Overlapped)]
        {
            let mut radio = curved();
            radio.begin(at(0), &arrival(1, 1.0, 900));
            radio.begin(at(second), &arrival(2, 16.0, 140)); // over before the header
            assert_eq!(radio.end(at(140), NodeId(2), 16.0), second_ends);
            assert_eq!(radio.end(at(900), NodeId(1), 1.0), first_ends);
        }
    }

    /// A frame locked onto survives what would have kept the receiver from locking: its RTS at 1 Mb/s at 0 dB.
    #[test]
    fn a_locked_frame_survives_interference_by_the_curve() {
        let mut radio = curved();
        let mut whole = 0;
        for round in 0..1000 {
            let start = round * 10_000;
            let frame = |from, power, start: u64, length: u64, rate: u64| {
                let end = at(start + length);
                let bits = rate * (length - 192);
                Arrival { from: NodeId(from), power, end, bits, decodable: true, sensed: true }
            };
            // 352 us at 1 Mb/s, overlapped from 20 us on by as strong a signal.
            radio.begin(at(start), &frame(1, 1.0, start, 352, 1));
            radio.begin(at(start + 20), &frame(2, 1.0, start + 20, 304, 1));
            assert_eq!(radio.end(at(start + 324), NodeId(2), 1.0), Ending::Overlapped);
            assert_eq!(radio.end(at(start + 352), NodeId(1), 1.0), Ending::Whole);
            // 6336 us at 2 Mb/s, overlapped for 304 us of its payload.
            radio.begin(at(start + 1000), &frame(1, 1.0, start + 1000, 6336, 2));
            radio.begin(at(start + 2000), &frame(2, 1.0, start + 2000, 304, 1));
            radio.end(at(start + 2304), NodeId(2), 1.0);
            match radio.end(at(start + 7336), NodeId(1), 1.0) {
                Ending::Whole => whole += 1,
                ending => assert_eq!(ending, Ending::Garbled),
            }
        }
        assert!((865..=920).contains(&whole), "0.89 of them: {whole}"); // +- 3 standard deviations
    }

    /// Two that end together before the time that locking takes: each is judged with the other on the air.
    #[test]
    fn what_ends_together_is_judged_together() {
        for order in [[(1, 1.0), (2, 0.5)], [(2, 0.5), (1, 1.0)]] {
            let config = AirConfig {
                error_curve: ErrorCurve::None,
                lock_time: Dur::from_us(400),
                ..AirConfig::default()
            };
            let mut radio = radio_with(config);
            radio.begin(at(0), &arrival(1, 1.0, 300));
            radio.begin(at(10), &arrival(2, 0.5, 300)); // 3 dB below
            for (from, power) in order {
                assert_eq!(radio.end(at(300), NodeId(from), power), Ending::Overlapped, "{order:?}");
            }
        }
    }

    /// Bit errors in the PLCP header leave no EIFS and free the receiver at its end.
    #[test]
    fn a_lost_header_frees_the_receiver() {
        let mut radio = curved();
        radio.begin(at(0), &arrival(1, 1.0, 5000));
        radio.begin(at(10), &arrival(2, 100.0, 500));
        assert_eq!(radio.end(at(500), NodeId(2), 100.0), Ending::Overlapped);
        radio.begin(at(600), &arrival(3, 16.0, 1000));
        assert_eq!(radio.end(at(1000), NodeId(3), 16.0), Ending::Whole);
        assert_eq!(radio.end(at(5000), NodeId(1), 1.0), Ending::Overlapped);
    }

    #[test]
    fn a_sum_of_powers_leaves_nothing_behind() {
        let mut sum = Sum::default();
        let powers = [3.652e-10, 1.559e-11, 1e-9, 0.28, 7.3e-13];
        powers.iter().for_each(|&power| sum.add(power));
        powers.iter().rev().for_each(|&power| sum.take(power));
        assert_eq!(sum, Sum::default());
    }
}
