//! The retry chain: at which rates a frame goes until an answer comes.
//!
//! ```text
//!   best rate ──all tries failed──► second best ──► safest ──► a new chain
//! ```

use super::config::{MinstrelHtConfig, MinstrelHtVersion};
use super::table::Table;
use crate::mac::rate::contract::Attempt;

/// Stages of the chain.
const STAGES: usize = 3;
/// Mean back-off before each try \[s\]: half of a window of 15 slots of 9 us, which doubles.
const SLOTS: f64 = 7.5 * 9e-6;

/// Rates, and how often each is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    stages: [(usize, u32); STAGES],
    stage: usize,
    /// Tries that are left at this stage.
    left: u32,
    /// RTS goes before all rates but the first.
    protects: bool,
}

impl Chain {
    /// That of the present statistics.
    #[must_use]
    pub(super) fn new(table: &Table, config: &MinstrelHtConfig) -> Self {
        let stages = table.used().map(|rung| (rung, tries(table, rung, config)));
        let protects = config.version == MinstrelHtVersion::Linux2021;
        Self { stages, stage: 0, left: stages[0].1, protects }
    }

    /// The same, from the second best on.
    #[must_use]
    pub(super) fn below_the_best(table: &Table, config: &MinstrelHtConfig) -> Self {
        let whole = Self::new(table, config);
        Self { stage: 1, left: whole.stages[1].1, ..whole }
    }

    /// The next try.
    #[must_use]
    pub(super) const fn attempt(&self) -> Attempt {
        let fallback = self.stage > 0 && self.protects;
        Attempt { fallback, ..Attempt::at(self.stages[self.stage].0) }
    }

    /// A try failed. Whether there is another one.
    pub(super) const fn fail(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return true;
        }
        self.stage += 1;
        if self.stage == STAGES {
            return false;
        }
        self.left = self.stages[self.stage].1;
        true
    }
}

/// How often a rate is tried: once or twice if it mostly fails, else twice and as often as fits the time of a stage.
fn tries(table: &Table, rung: usize, config: &MinstrelHtConfig) -> u32 {
    let share = table.share(rung);
    if share < 0.1 {
        return 1;
    }
    if share < 0.2 {
        return 2.min(config.tries);
    }
    let (mut tries, mut slots) = (0, SLOTS);
    let mut whole = 0.0;
    while tries < config.tries {
        whole += table.exchange(rung) + slots;
        if tries >= 2 && whole > config.stage.as_secs_f64() {
            break;
        }
        tries += 1;
        slots *= 2.0;
    }
    tries
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Estimate;
    use super::super::table::{Cost, Group};
    use super::*;
    use crate::units::Dur;

    /// Tries of a rate that brings through so many of a hundred MPDUs, and whose frames take so many milliseconds.
    fn tries_of(acked: u32, ms: f64, most: u32) -> u32 {
        let mut table = Table::new(
            Estimate::Smooth,
            &[Cost { group: Group::default(), packet: 0.0, preamble: 0.0, overhead: ms / 1e3 }],
        );
        table.note(0, 100, acked);
        table.update();
        let config = MinstrelHtConfig { tries: most, stage: Dur::from_ms(6), ..MinstrelHtConfig::default() };
        tries(&table, 0, &config)
    }

    #[test]
    fn a_rate_that_mostly_fails_is_tried_once_or_twice() {
        assert_eq!([9, 10, 19, 20].map(|acked| tries_of(acked, 0.1, 7)), [1, 2, 2, 6]);
        assert_eq!(tries_of(15, 0.1, 1), 1, "never more than configured");
    }

    /// Back-offs of 67.5, 135 and 270 us stand before the first three tries; those of the first six are 4.3 ms.
    #[test]
    fn other_rates_are_tried_twice_and_as_often_as_fits_the_stage() {
        assert_eq!([10.0, 1.9, 1.8, 0.1].map(|ms| tries_of(100, ms, 7)), [2, 2, 3, 6]);
        assert_eq!([10.0, 0.1].map(|ms| tries_of(100, ms, 1)), [1, 1]);
    }
}
