//! The ways to try rates, and which of them a configuration means.

use super::super::config::{MinstrelHtConfig, MinstrelHtVersion};
use super::super::table::Table;
use super::contract::Sampling;
use super::counted::Counted;
use super::timed::Timed;
use crate::mac::rate::contract::Attempt;
use crate::units::{Rng, SimTime};

dispatch! {
    /// One way to try rates.
    #[derive(Clone, Debug)]
    pub(in crate::mac::rate::minstrel_ht) enum AnySampling: Sampling {
        /// By time.
        Timed(Timed),
        /// By frames.
        Counted(Counted),
    }

    fn refill(&mut self, table: &Table, rng: &mut Rng);
    fn next(&mut self, now: SimTime, table: &Table, rng: &mut Rng) -> Option<Attempt>;
}

impl AnySampling {
    /// That of a configuration, which tries a rate at once.
    #[must_use]
    pub(in crate::mac::rate::minstrel_ht) fn new(
        config: &MinstrelHtConfig,
        now: SimTime,
        table: &Table,
    ) -> Self {
        match config.version {
            MinstrelHtVersion::Linux2021 => Self::Timed(Timed::new(now, config.sample)),
            MinstrelHtVersion::Ns3 => Self::Counted(Counted::new(table)),
        }
    }
}
