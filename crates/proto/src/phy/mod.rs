//! The physical layer's formats: what a frame is sent with ([`TxVector`]), how long it lasts and where its parts lie
//! ([`Sections`]). DSSS and HR/DSSS (IEEE 802.11-2020 clauses 15, 16), OFDM (17, 18), HT (19), VHT (21), and HE of one
//! user (802.11ax-2021 clause 27). Nothing here has a state.

mod airtime;
mod channel;
mod mcs;
mod mode;
mod modulation;
#[cfg(test)]
mod tests;
mod vector;

pub use airtime::{LONGEST_PPDU, Sections};
pub use channel::{Band, Width};
pub use mcs::{DurationRule, Generation, GuardInterval, McsVector};
pub use mode::{MODES, Mode};
pub use modulation::{CodeRate, Constellation, Modulation};
pub use vector::{Dsss, DsssRate, Ofdm, OfdmRate, PLCP, Preamble, TxVector};
