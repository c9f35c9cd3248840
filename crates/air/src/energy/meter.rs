//! The energy meter by the clock: how long every radio spends in each state.
//!
//! A radio is in one state at any time, so that the times of all states sum to the time that has passed, to the
//! nanosecond: down, dozing, sending, receiving what is meant for it, overhearing whatever else it senses, or idle; of
//! several that hold at once, the first of these (but what a dozing radio still sends it sends).

use multihop_proto::units::{Dur, NodeId, SimTime};

use super::charged::Charged;
use super::{Accounting, EnergyConfig, RadioState, StateTimes};

/// The meters of all radios.
///
/// Without `[energy]` frames are not metered, for that would cost time at each. What is drawn follows all the same for
/// a card that draws as much idle as receiving, from when a radio is off and for how long it sends.
#[derive(Clone, Debug)]
pub struct EnergyMeter {
    radios: Radios,
    wake_up: Dur,
    frames: bool,
}

#[derive(Clone, Debug)]
enum Radios {
    /// By the clock.
    Clock(Vec<Radio>),
    /// By ns-2's rules.
    Ns2(Vec<Charged>),
}

/// One radio: until when which signals last, and what has been written down.
#[derive(Clone, Copy, Debug, Default)]
struct Radio {
    times: StateTimes,
    since: SimTime,
    down: bool,
    dozing: bool,
    /// When it began to doze, and what waking will take is over.
    dozes_from: SimTime,
    sending: SimTime,
    receiving: SimTime,
    sensing: SimTime,
}

impl EnergyMeter {
    /// Radios that are up and idle; frames are metered if `config` is given.
    #[must_use]
    pub fn new(nodes: usize, config: Option<&EnergyConfig>) -> Self {
        let frames = config.is_some();
        let EnergyConfig { accounting, wake_up, .. } = config.cloned().unwrap_or_default();
        let radios = match accounting {
            Accounting::Clock => Radios::Clock(vec![Radio::default(); nodes]),
            Accounting::Ns2 => Radios::Ns2(vec![Charged::default(); nodes]),
        };
        Self { radios, wake_up, frames }
    }

    /// Whether it counts frames.
    #[must_use]
    pub const fn meters_frames(&self) -> bool {
        self.frames
    }

    /// A node begins to send until `end`.
    pub fn sends(&mut self, node: NodeId, now: SimTime, end: SimTime) {
        match &mut self.radios {
            Radios::Clock(radios) => radios[node.index()].at(now).sending = end,
            Radios::Ns2(radios) => radios[node.index()].charge(RadioState::Transmit, now, end),
        }
    }

    /// A signal that it senses begins at a node, for it (or for all) or for others.
    pub fn hears(&mut self, node: NodeId, now: SimTime, end: SimTime, mine: bool) {
        match &mut self.radios {
            Radios::Clock(radios) => radios[node.index()].at(now).hears(end, mine),
            Radios::Ns2(radios) => {
                let state = if mine { RadioState::Receive } else { RadioState::Overhear };
                radios[node.index()].charge(state, now, end);
            }
        }
    }

    /// A radio begins to doze, or wakes.
    pub fn doze(&mut self, node: NodeId, now: SimTime, dozing: bool) {
        match &mut self.radios {
            Radios::Clock(radios) => {
                let radio = radios[node.index()].at(now);
                (radio.dozing, radio.dozes_from) = (dozing, now + self.wake_up);
                radio.miss();
            }
            Radios::Ns2(radios) if dozing => radios[node.index()].doze(now, now + self.wake_up),
            Radios::Ns2(radios) => radios[node.index()].switch(None, now),
        }
    }

    /// A node goes down, or comes back. What it was sending is cut.
    pub fn power(&mut self, node: NodeId, now: SimTime, up: bool) {
        match &mut self.radios {
            Radios::Clock(radios) => {
                let radio = radios[node.index()].at(now);
                (radio.down, radio.dozing, radio.sending) = (!up, false, now);
                radio.miss();
            }
            Radios::Ns2(radios) => radios[node.index()].switch((!up).then_some(RadioState::Down), now),
        }
    }

    /// What a battery has paid for until now: by ns-2's rules idle time counts with the next frame.
    #[must_use]
    pub fn paid(&self, node: NodeId, now: SimTime) -> StateTimes {
        match &self.radios {
            Radios::Clock(radios) => radios[node.index()].read(now),
            Radios::Ns2(radios) => radios[node.index()].charged(now),
        }
    }

    /// The times of a node until now. `sent` is for how long it has sent, by its link: where frames are not metered,
    /// the rest counts as idle.
    #[must_use]
    pub fn read(&self, node: NodeId, now: SimTime, sent: Dur) -> StateTimes {
        let times = match &self.radios {
            Radios::Clock(radios) => radios[node.index()].read(now),
            Radios::Ns2(radios) => radios[node.index()].read(now),
        };
        if self.frames { times } else { times.sending(sent) }
    }
}

impl Radio {
    fn at(&mut self, now: SimTime) -> &mut Self {
        self.write_down(now);
        self
    }

    fn read(mut self, now: SimTime) -> StateTimes {
        self.write_down(now);
        self.times
    }

    fn hears(&mut self, end: SimTime, mine: bool) {
        // The node that sleeps through the beginning cannot receive the rest.
        let deaf = self.dozing || self.down;
        let until = if mine && !deaf { &mut self.receiving } else { &mut self.sensing };
        *until = end.max(*until);
    }

    /// Accounts for the time until now, during which no signal has begun.
    fn write_down(&mut self, now: SimTime) {
        let mut spend = |until: SimTime, state: RadioState| {
            let until = until.min(now);
            if until > self.since {
                self.times.0[state as usize] += until - self.since;
                self.since = until;
            }
        };
        if self.down {
            spend(now, RadioState::Down);
        }
        spend(self.sending, RadioState::Transmit);
        if self.dozing {
            spend(self.dozes_from, RadioState::Idle);
            spend(now, RadioState::Doze);
        }
        spend(self.receiving, RadioState::Receive);
        spend(self.sensing, RadioState::Overhear);
        spend(now, RadioState::Idle);
    }

    /// What was being received is lost to it: its rest is a signal like others.
    fn miss(&mut self) {
        self.sensing = self.sensing.max(self.receiving);
        self.receiving = self.since;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: NodeId = NodeId(0);

    /// One radio, metered by the clock, that wakes at once.
    fn one() -> EnergyMeter {
        EnergyMeter::new(1, Some(&EnergyConfig { wake_up: Dur::ZERO, ..EnergyConfig::default() }))
    }

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    /// Microseconds down, dozing, sending, receiving, overhearing, idle.
    fn spent(meter: &EnergyMeter, now: u64) -> [u64; 6] {
        meter.read(A, at(now), Dur::ZERO).0.map(|time| time.as_ns() / 1000)
    }

    #[test]
    fn of_signals_that_overlap_the_first_state_counts_and_nothing_counts_twice() {
        let mut meter = one();
        meter.hears(A, at(10), at(100), false);
        meter.hears(A, at(40), at(60), true);
        assert_eq!(spent(&meter, 45), [0, 0, 0, 5, 30, 10]);
        meter.sends(A, at(50), at(55));
        meter.hears(A, at(90), at(95), false);
        assert_eq!(spent(&meter, 200), [0, 0, 5, 15, 70, 110]);
    }

    #[test]
    fn what_begins_before_it_wakes_is_never_received() {
        let mut meter = one();
        meter.hears(A, at(0), at(10), true);
        meter.doze(A, at(5), true);
        meter.hears(A, at(20), at(50), true);
        meter.doze(A, at(30), false);
        meter.power(A, at(60), false);
        meter.hears(A, at(65), at(90), true);
        meter.power(A, at(70), true);
        assert_eq!(spent(&meter, 100), [10, 25, 0, 5, 40, 20]);
    }

    #[test]
    fn waking_costs_idle_time_and_a_short_doze_gains_nothing() {
        let wake_up = Dur::from_us(25);
        let mut meter = EnergyMeter::new(1, Some(&EnergyConfig { wake_up, ..EnergyConfig::default() }));
        meter.doze(A, at(10), true);
        meter.hears(A, at(20), at(50), false);
        meter.doze(A, at(60), false);
        assert_eq!(spent(&meter, 60), [0, 25, 0, 0, 0, 35]);
        meter.doze(A, at(60), true);
        meter.doze(A, at(80), false);
        assert_eq!(spent(&meter, 100), [0, 25, 0, 0, 0, 75]);
    }

    #[test]
    fn untold_of_frames_it_takes_what_was_sent_from_idle_time() {
        let mut meter = EnergyMeter::new(1, None);
        assert!(!meter.meters_frames() && one().meters_frames());
        meter.power(A, at(40), false);
        let read = |meter: &EnergyMeter, sent| {
            meter.read(A, at(100), Dur::from_us(sent)).0.map(|time| time.as_ns() / 1000)
        };
        assert_eq!(read(&meter, 25), [60, 0, 25, 0, 0, 15]);
        meter.power(A, at(90), true);
        assert_eq!(read(&meter, 25), [50, 0, 25, 0, 0, 25]);
    }

    proptest! {
        /// Whatever happens, and however often it is read: the times of the states sum to the time that has passed.
        #[test]
        fn the_times_sum_to_the_span(
            steps in prop::collection::vec((0..50_u64, 0..200_u64, 0..6_u8), 0..60),
        ) {
            let mut meter = one();
            let mut now = SimTime::ZERO;
            for (wait, length, what) in steps {
                now += Dur::from_ns(wait);
                let end = now + Dur::from_ns(length);
                match what {
                    0 => meter.sends(A, now, end),
                    1 | 2 => meter.hears(A, now, end, what == 1),
                    3 => meter.doze(A, now, length % 2 == 0),
                    4 => meter.power(A, now, length % 2 == 0),
                    _ => {}
                }
                prop_assert_eq!(meter.read(A, now, Dur::ZERO).total(), now - SimTime::ZERO);
            }
        }
    }
}
