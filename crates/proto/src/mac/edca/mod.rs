//! Enhanced distributed channel access: four access categories in a station (IEEE 802.11-2020 §10.23.2).
//!
//! [`Edca`] is the MAC; [`DscpMap`] says which user priority a packet has, [`EdcaConfig`] the parameters of each
//! category.

mod config;
mod dscp_map;
mod parked;
mod station;
#[cfg(test)]
mod tests;

pub use config::{CategoryConfig, EdcaConfig, Parameters, Protection};
pub use dscp_map::DscpMap;
pub use station::Edca;
