//! The energy meter: how long every radio spends in each state, and what that costs.
//!
//! A radio is in one state at any time, so that the times of all states sum to the time that has passed, to the
//! nanosecond: down, dozing, sending, receiving what is meant for it, overhearing whatever else it senses, or idle; of
//! several that hold at once, the first of these (but what a dozing radio still sends it sends).

use multihop_proto::units::range::{Checked, within};
use multihop_proto::units::{Dur, NodeId, Power, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a radio draws in each state. With this section, energy is metered. Defaults are the data sheet's of an ORiNOCO
/// card at 5 V: 285 mA sending, 185 mA receiving, 9 mA dozing; a card that listens to nothing draws what it draws when
/// it receives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EnergyConfig {
    /// While it sends.
    pub transmit: Power,
    /// While frames for it, or for all, arrive.
    pub receive: Power,
    /// While it senses any other signal. Default: as `receive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhear: Option<Power>,
    /// While the medium is idle. Default: as `receive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Power>,
    /// While its MAC has it doze.
    pub doze: Power,
}

impl Default for EnergyConfig {
    fn default() -> Self {
        Self {
            transmit: Power::new(1.425),
            receive: Power::new(0.925),
            overhear: None,
            idle: None,
            doze: Power::new(0.045),
        }
    }
}

impl EnergyConfig {
    /// Checks the ranges of the values.
    ///
    /// # Errors
    /// The first value out of its range.
    pub fn check(&self) -> Checked {
        let Self { transmit, receive, overhear, idle, doze } = self;
        let powers =
            [("transmit", Some(transmit)), ("receive", Some(receive)), ("overhear", overhear.as_ref())];
        for (key, power) in powers.into_iter().chain([("idle", idle.as_ref()), ("doze", Some(doze))]) {
            power.map_or(Ok(()), |&power| within(key, power, Power::new(0.0), Power::new(1e6)))?;
        }
        Ok(())
    }
}

/// What a radio does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioState {
    /// Its node is down.
    Down,
    /// Its MAC has it doze.
    Doze,
    /// It sends.
    Transmit,
    /// A frame for it, or for all, arrives that it can decode.
    Receive,
    /// It senses another signal.
    Overhear,
    /// None of these.
    Idle,
}

impl RadioState {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Down, Self::Doze, Self::Transmit, Self::Receive, Self::Overhear, Self::Idle];
}

/// Time spent in each state, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateTimes(pub [Dur; 6]);

impl StateTimes {
    /// Time spent in a state.
    #[must_use]
    pub const fn of(&self, state: RadioState) -> Dur {
        self.0[state as usize]
    }

    /// Between an earlier reading and this one.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|state| self.0[state] - earlier.0[state]))
    }

    /// Together with another's.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|state| self.0[state] + other.0[state]))
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> Dur {
        self.0.iter().fold(Dur::ZERO, |sum, &time| sum + time)
    }

    /// What it costs \[J\]; a node that is down draws nothing.
    #[must_use]
    pub fn joules(&self, config: &EnergyConfig) -> f64 {
        let power = |state| match state {
            RadioState::Down => 0.0,
            RadioState::Doze => config.doze.get(),
            RadioState::Transmit => config.transmit.get(),
            RadioState::Receive => config.receive.get(),
            RadioState::Overhear => config.overhear.unwrap_or(config.receive).get(),
            RadioState::Idle => config.idle.unwrap_or(config.receive).get(),
        };
        RadioState::ALL.iter().map(|&state| power(state) * self.of(state).as_secs_f64()).sum()
    }
}

/// The meters of all radios.
#[derive(Clone, Debug)]
pub struct EnergyMeter(Vec<Radio>);

/// One radio: until when which signals last, and what has been written down.
#[derive(Clone, Copy, Debug, Default)]
struct Radio {
    times: StateTimes,
    since: SimTime,
    down: bool,
    dozing: bool,
    sending: SimTime,
    receiving: SimTime,
    sensing: SimTime,
}

impl EnergyMeter {
    /// Radios that are up and idle.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self(vec![Radio::default(); nodes])
    }

    /// A node begins to send until `end`.
    pub fn sends(&mut self, node: NodeId, now: SimTime, end: SimTime) {
        self.at(node, now).sending = end;
    }

    /// A signal that it senses begins at a node, for it (or for all) or for others.
    pub fn hears(&mut self, node: NodeId, now: SimTime, end: SimTime, mine: bool) {
        let radio = self.at(node, now);
        // Who sleeps through the beginning cannot receive the rest.
        let deaf = radio.dozing || radio.down;
        let until = if mine && !deaf { &mut radio.receiving } else { &mut radio.sensing };
        *until = end.max(*until);
    }

    /// A radio begins to doze, or wakes.
    pub fn doze(&mut self, node: NodeId, now: SimTime, dozing: bool) {
        let radio = self.at(node, now);
        radio.dozing = dozing;
        radio.miss();
    }

    /// A node goes down, or comes back. What it was sending is cut.
    pub fn power(&mut self, node: NodeId, now: SimTime, up: bool) {
        let radio = self.at(node, now);
        (radio.down, radio.dozing, radio.sending) = (!up, false, now);
        radio.miss();
    }

    /// The times of a node until now.
    #[must_use]
    pub fn read(&self, node: NodeId, now: SimTime) -> StateTimes {
        let mut radio = self.0[node.index()];
        radio.write_down(now);
        radio.times
    }

    fn at(&mut self, node: NodeId, now: SimTime) -> &mut Radio {
        let radio = &mut self.0[node.index()];
        radio.write_down(now);
        radio
    }
}

impl Radio {
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

    fn at(us: u64) -> SimTime {
        SimTime::from_us(us)
    }

    /// Microseconds down, dozing, sending, receiving, overhearing, idle.
    fn spent(meter: &EnergyMeter, now: u64) -> [u64; 6] {
        meter.read(A, at(now)).0.map(|time| time.as_ns() / 1000)
    }

    #[test]
    fn of_signals_that_overlap_the_first_state_counts_and_nothing_counts_twice() {
        let mut meter = EnergyMeter::new(1);
        meter.hears(A, at(10), at(100), false);
        meter.hears(A, at(40), at(60), true);
        assert_eq!(spent(&meter, 45), [0, 0, 0, 5, 30, 10]);
        meter.sends(A, at(50), at(55));
        meter.hears(A, at(90), at(95), false);
        assert_eq!(spent(&meter, 200), [0, 0, 5, 15, 70, 110]);
    }

    #[test]
    fn what_begins_before_it_wakes_is_never_received() {
        let mut meter = EnergyMeter::new(1);
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
    fn energy_is_power_times_time() {
        let config = EnergyConfig { idle: Some(Power::new(0.0)), ..EnergyConfig::default() };
        let second = Dur::from_secs(1);
        let joules = StateTimes([second; 6]).joules(&config);
        assert!((joules - (1.425 + 0.925 + 0.925 + 0.045)).abs() < 1e-12, "{joules}");
    }

    proptest! {
        /// Whatever happens, and however often it is read: the times of the states sum to the time that has passed.
        #[test]
        fn the_times_sum_to_the_span(
            steps in prop::collection::vec((0..50_u64, 0..200_u64, 0..6_u8), 0..60),
        ) {
            let mut meter = EnergyMeter::new(1);
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
                prop_assert_eq!(meter.read(A, now).total(), now - SimTime::ZERO);
            }
        }
    }
}
