//! The reception rule of ns-2 2.35: thresholds, pairwise capture, no sum of interference.
//!
//! The first signal above the sense threshold owns the receiver, decodable or not. A later one that is weaker by the
//! capture ratio is ignored; any other overlap destroys both, and the one that lasts longer owns the receiver from then
//! on. A stronger late signal captures nothing. So it is of signals that begin at one instant, in the order in which
//! they are told.

use multihop_proto::units::{NodeId, SimTime};

use super::radio::{Arrival, Ending, SignalStart};

/// One node's receiver: small, for it is touched by every signal that reaches the node.
#[derive(Clone, Debug)]
pub struct Ns2Radio {
    /// Transmitter, power and end of the signal that owns the receiver.
    owner: NodeId,
    power: f64,
    end: SimTime,
    /// Whether the owner cannot be received: too weak, overlapped, or missed.
    lost: bool,
    /// End of the node's own transmission; it dozes as if it were sending for ever.
    sending: SimTime,
}

impl Ns2Radio {
    /// A silent receiver.
    #[must_use]
    pub const fn silent() -> Self {
        Self { owner: NodeId::BROADCAST, power: 0.0, end: SimTime::ZERO, lost: false, sending: SimTime::ZERO }
    }

    /// See [`super::Radios::transmit`].
    #[inline]
    pub fn transmit(&mut self, now: SimTime, end: SimTime) -> Option<SimTime> {
        self.sending = end;
        if self.end <= now {
            return None;
        }
        self.lost = true;
        (self.end > end).then_some(self.end)
    }

    /// See [`super::Radios::fall_asleep`].
    pub fn fall_asleep(&mut self, now: SimTime) {
        self.transmit(now, SimTime::MAX);
    }

    /// See [`super::Radios::wake`].
    pub fn wake(&mut self, now: SimTime) -> SimTime {
        self.sending = now;
        self.end
    }

    /// See [`super::Radios::sent_until`].
    pub const fn sent_until(&self) -> SimTime {
        self.sending
    }

    /// See [`super::Radios::receiving_until`]. Headers are not told apart here.
    pub fn receiving_until(&self, now: SimTime) -> SimTime {
        if self.lost || self.sending > now { SimTime::ZERO } else { self.end }
    }

    /// See [`super::Radios::last_heard`].
    #[inline]
    pub fn last_heard(&self) -> Option<NodeId> {
        (self.end > self.sending).then_some(self.owner)
    }

    /// See [`super::Radios::begin`]; `capture` is the ratio at which a later signal is ignored.
    #[inline]
    pub fn begin(&mut self, now: SimTime, arrival: &Arrival, capture: f64) -> SignalStart {
        if self.end <= now {
            self.own(arrival);
            self.lost = !arrival.decodable;
            return self.while_sending(now, arrival.end);
        }
        if self.power >= arrival.power * capture && self.sending != SimTime::MAX {
            return SignalStart::Captured;
        }
        if self.lost && arrival.end <= self.end {
            return SignalStart::Nothing; // the MAC knows that what is heard is lost, and until when
        }
        self.lost = true;
        if arrival.end > self.end {
            self.own(arrival);
        }
        if self.sending >= self.end { SignalStart::Nothing } else { SignalStart::Lost(self.end) }
    }

    /// See [`super::Radios::end`].
    #[inline]
    pub fn end(&mut self, now: SimTime, from: NodeId) -> Ending {
        if self.owner != from || self.end != now {
            return Ending::Overlapped;
        }
        if self.lost || self.sending > now { Ending::Overlapped } else { Ending::Whole }
    }

    #[inline]
    fn own(&mut self, arrival: &Arrival) {
        self.owner = arrival.from;
        self.power = arrival.power;
        self.end = arrival.end;
    }

    fn is_sending(&self, now: SimTime) -> bool {
        self.sending > now
    }

    /// What begins during the own transmission is missed; if it outlasts that, its rest is noise.
    #[inline]
    fn while_sending(&mut self, now: SimTime, end: SimTime) -> SignalStart {
        if self.is_sending(now) {
            self.lost = true;
            return if self.sending >= end { SignalStart::Nothing } else { SignalStart::Lost(end) };
        }
        if self.lost { SignalStart::Lost(end) } else { SignalStart::Busy }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::AirConfig;
    use super::*;
    use proptest::prelude::*;

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    fn arrival(from: u32, power: f64, end: u64) -> Arrival {
        let (tx, size) = Arrival::UNREAD;
        Arrival {
            from: NodeId(from),
            power,
            end: at(end),
            tx,
            size,
            parted: false,
            decodable: power >= 1.0,
            sensed: true,
        }
    }

    const fn radio() -> Ns2Radio {
        Ns2Radio::silent()
    }

    fn begin(radio: &mut Ns2Radio, now: SimTime, arrival: &Arrival) -> SignalStart {
        radio.begin(now, arrival, AirConfig::default().capture.ratio())
    }

    #[test]
    fn a_lone_frame_is_received() {
        let mut radio = radio();
        assert_eq!(begin(&mut radio, at(0), &arrival(1, 1.0, 100)), SignalStart::Busy);
        assert_eq!(radio.end(at(100), NodeId(1)), Ending::Whole);
    }

    #[test]
    fn a_late_weak_signal_is_captured_and_a_late_strong_one_destroys_both() {
        let mut radio = radio();
        begin(&mut radio, at(0), &arrival(1, 16.0, 100));
        assert_eq!(begin(&mut radio, at(10), &arrival(2, 1.0, 200)), SignalStart::Captured);
        assert_eq!(radio.end(at(100), NodeId(1)), Ending::Whole);
        begin(&mut radio, at(300), &arrival(2, 1.0, 400));
        assert_eq!(begin(&mut radio, at(310), &arrival(1, 16.0, 350)), SignalStart::Lost(at(400)));
        assert_eq!(radio.end(at(350), NodeId(1)), Ending::Overlapped);
        assert_eq!(radio.end(at(400), NodeId(2)), Ending::Overlapped);
    }

    #[test]
    fn the_longer_of_two_overlapping_signals_owns_the_receiver() {
        let mut radio = radio();
        begin(&mut radio, at(0), &arrival(1, 1.0, 100));
        assert_eq!(begin(&mut radio, at(50), &arrival(2, 1.0, 300)), SignalStart::Lost(at(300)));
        assert_eq!(begin(&mut radio, at(150), &arrival(3, 0.05, 200)), SignalStart::Captured);
        assert_eq!(begin(&mut radio, at(300), &arrival(4, 1.0, 400)), SignalStart::Busy);
    }

    #[test]
    fn a_signal_too_weak_to_decode_still_owns_the_receiver() {
        let mut radio = radio();
        assert_eq!(begin(&mut radio, at(0), &arrival(1, 0.5, 100)), SignalStart::Lost(at(100)));
        assert_eq!(
            begin(&mut radio, at(10), &arrival(2, 4.0, 60)),
            SignalStart::Nothing,
            "all that has been said"
        );
        assert_eq!(radio.end(at(60), NodeId(2)), Ending::Overlapped);
    }

    #[test]
    fn of_signals_that_begin_together_the_first_told_is_the_first() {
        let strong = [(1, Ending::Whole), (2, Ending::Overlapped)];
        for (first, ending) in strong {
            let mut radio = radio();
            for from in [first, 3 - first] {
                begin(&mut radio, at(0), &arrival(from, if from == 1 { 16.0 } else { 1.0 }, 100));
            }
            assert_eq!(radio.end(at(100), NodeId(first)), ending, "{first}");
        }
    }

    proptest! {
        /// What is lost and lasts no longer is not said again: a listener knows it.
        #[test]
        fn what_is_not_said_is_known(steps in prop::collection::vec((0..40u64, 1..200u64, 0..5u32, any::<bool>()), 60)) {
            let (mut radio, mut now, mut known) = (radio(), 0, None);
            for (pause, length, strength, sends) in steps {
                now += pause;
                let end = now + length;
                if sends && strength == 0 {
                    known = radio.transmit(at(now), at(end)).or(known);
                    continue;
                }
                let power = libm::pow(4.0, f64::from(strength)) / 16.0;
                match begin(&mut radio, at(now), &arrival(end as u32, power, end)) {
                    SignalStart::Lost(until) => known = Some(until),
                    SignalStart::Busy => known = None,
                    SignalStart::Captured => {}
                    SignalStart::Nothing => prop_assert!(radio.sending >= radio.end || known == Some(radio.end)),
                }
            }
        }
    }

    #[test]
    fn sending_is_deaf() {
        let mut radio = radio();
        begin(&mut radio, at(0), &arrival(1, 1.0, 100));
        assert_eq!(radio.transmit(at(50), at(80)), Some(at(100)));
        assert_eq!(radio.end(at(100), NodeId(1)), Ending::Overlapped);
        radio.transmit(at(200), at(300));
        assert_eq!(begin(&mut radio, at(250), &arrival(2, 1.0, 290)), SignalStart::Nothing);
        assert_eq!(radio.end(at(290), NodeId(2)), Ending::Overlapped);
        assert_eq!(begin(&mut radio, at(295), &arrival(2, 1.0, 390)), SignalStart::Lost(at(390)));
    }
}
