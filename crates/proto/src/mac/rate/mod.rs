//! Which of the rates of IEEE 802.11b a data frame goes at: [`Arf`] by what was acknowledged, [`Snr`] by what was heard.

mod arf;
pub mod config;
mod control;
mod snr;
#[cfg(test)]
mod tests;

pub use arf::Arf;
pub use config::{ArfConfig, LADDER, RateControlKind, SnrConfig};
pub use control::{RateControl, RateCounters};
pub use snr::Snr;
