//! At which rate a data frame goes. With 802.11b [`Arf`] by what was acknowledged, [`Snr`] by what was heard; from 802.11n on
//! [`Minstrel`] by what became of MPDUs.

mod arf;
pub mod config;
mod control;
pub mod minstrel;
mod snr;
#[cfg(test)]
mod tests;

pub use arf::Arf;
pub use config::{ArfConfig, LADDER, MinstrelConfig, RateControlKind, SnrConfig};
pub use control::{RateControl, RateCounters};
pub use minstrel::{Attempt, Minstrel};
pub use snr::Snr;
