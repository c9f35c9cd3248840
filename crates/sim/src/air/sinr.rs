//! A physical reception model: the sum of all interference decides.
//!
//! A receiver locks onto a signal if it is above the receive threshold and its ratio to noise plus interference
//! reaches `sinr-threshold` when it begins. It loses the frame if the ratio falls below that at any time. A later
//! signal whose own ratio reaches the `capture` ratio takes the receiver over. What was never locked onto leaves
//! no EIFS: the station has only sensed energy.

use multihop_proto::units::{NodeId, SimTime};

use super::config::AirConfig;
use super::radio::{Arrival, Ending, Heard};

/// One node's receiver.
#[derive(Clone, Debug)]
pub struct SinrRadio {
    noise: f64,
    threshold: f64,
    capture: f64,
    /// Signals on the air here: how many, and the sum of their powers \[W\].
    signals: u32,
    sum: f64,
    /// The signal locked onto, its power, and whether it is lost.
    locked: Option<(NodeId, f64, SimTime)>,
    lost: bool,
    sending: SimTime,
}

impl SinrRadio {
    /// A silent receiver.
    #[must_use]
    pub fn new(config: &AirConfig) -> Self {
        Self {
            noise: config.noise.get(),
            threshold: config.sinr_threshold.ratio(),
            capture: config.capture.ratio(),
            signals: 0,
            sum: 0.0,
            locked: None,
            lost: false,
            sending: SimTime::ZERO,
        }
    }

    /// See [`super::Radios::transmit`].
    pub fn transmit(&mut self, _now: SimTime, end: SimTime) -> Option<SimTime> {
        self.sending = end;
        // A radio that turns to sending lets go of what it was receiving.
        self.locked = None;
        None
    }

    /// See [`super::Radios::begin`].
    pub fn begin(&mut self, now: SimTime, arrival: &Arrival) -> Heard {
        self.signals += 1;
        self.sum += arrival.power;
        let quiet = if arrival.sensed { Heard::Busy } else { Heard::Nothing };
        if self.sending > now {
            return quiet;
        }
        let ratio = self.ratio(arrival.power);
        match self.locked {
            Some((_, power, _)) => {
                self.lost |= self.ratio(power) < self.threshold;
                if arrival.decodable && ratio >= self.capture {
                    self.lock(arrival);
                }
            }
            None if arrival.decodable && ratio >= self.threshold => self.lock(arrival),
            None => {}
        }
        quiet
    }

    /// See [`super::Radios::end`].
    pub fn end(&mut self, now: SimTime, from: NodeId, power: f64) -> Ending {
        self.signals -= 1;
        // No rounding may be left behind when the air falls silent.
        self.sum = if self.signals == 0 { 0.0 } else { self.sum - power };
        match self.locked {
            Some((owner, _, end)) if owner == from && end == now => {
                self.locked = None;
                if self.lost { Ending::Garbled } else { Ending::Whole }
            }
            _ => Ending::Overlapped,
        }
    }

    fn lock(&mut self, arrival: &Arrival) {
        self.locked = Some((arrival.from, arrival.power, arrival.end));
        self.lost = false;
    }

    /// Ratio of one of the present signals to noise and all others.
    fn ratio(&self, power: f64) -> f64 {
        power / (self.noise + (self.sum - power).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::{Decibel, Power};

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    fn arrival(from: u32, power: f64, end: u64) -> Arrival {
        Arrival { from: NodeId(from), power, end: at(end), decodable: power >= 1.0, sensed: power >= 0.1 }
    }

    fn radio() -> SinrRadio {
        SinrRadio::new(&AirConfig {
            noise: Power::new(0.001),
            sinr_threshold: Decibel::new(4.0),
            capture: Decibel::new(10.0),
            ..AirConfig::default()
        })
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
    }

    #[test]
    fn energy_alone_leaves_nothing() {
        let mut radio = radio();
        assert_eq!(radio.begin(at(0), &arrival(1, 0.5, 100)), Heard::Busy);
        assert_eq!(radio.begin(at(5), &arrival(2, 0.01, 80)), Heard::Nothing);
        assert_eq!(radio.end(at(100), NodeId(1), 0.5), Ending::Overlapped);
    }
}
