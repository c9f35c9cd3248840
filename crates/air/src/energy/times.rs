//! The time that a radio spends in each state.

use multihop_proto::units::Dur;

use super::config::EnergyConfig;
use super::state::RadioState;

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

    /// So much of the idle time was spent sending.
    #[must_use]
    pub fn sending(mut self, sent: Dur) -> Self {
        let sent = sent.min(self.of(RadioState::Idle));
        self.0[RadioState::Idle as usize] = self.of(RadioState::Idle) - sent;
        self.0[RadioState::Transmit as usize] += sent;
        self
    }

    /// What it costs \[J\].
    #[must_use]
    pub fn joules(&self, config: &EnergyConfig) -> f64 {
        RadioState::ALL.iter().map(|&state| config.power(state) * self.of(state).as_secs_f64()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Card, EnergyConfig};
    use super::*;
    use multihop_proto::units::Power;

    #[test]
    fn energy_is_power_times_time() {
        let second = Dur::from_secs(1);
        let joules = |config: EnergyConfig| StateTimes([second; 6]).joules(&config);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(joules(EnergyConfig::default()), 1.425 + 3.0 * 0.925 + 0.045);
        near(joules(EnergyConfig { card: Card::Ns2, ..EnergyConfig::default() }), 0.660 + 2.0 * 0.395);
        let own = EnergyConfig {
            receive: Some(Power::new(0.5)),
            idle: Some(Power::new(0.1)),
            ..EnergyConfig::default()
        };
        near(joules(own), 1.425 + 2.0 * 0.5 + 0.1 + 0.045);
    }
}
