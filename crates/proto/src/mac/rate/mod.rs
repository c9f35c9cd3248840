//! At which rate a data frame goes: [`Arf`] by what was acknowledged, [`Snr`] by what was heard, [`Minstrel`] by what
//! became of frames, [`MinstrelHt`] of MPDUs.

mod arf;
pub mod config;
mod contract;
#[cfg(test)]
mod contract_tests;
mod control;
pub mod minstrel;
pub mod minstrel_ht;
mod older;
mod set;
mod snr;
#[cfg(test)]
mod tests;

pub use arf::Arf;
pub use config::{
    ArfConfig, DSSS_RATES, MinstrelConfig, MinstrelHtConfig, MinstrelHtVersion, RateControlKind, SnrConfig,
};
pub use contract::{Attempt, LeastRatio, RateRule};
pub use control::{RateControl, RateCounters};
pub use minstrel::Minstrel;
pub use minstrel_ht::MinstrelHt;
pub use set::AnyRateRule;
pub use snr::{Criterion, Snr};
