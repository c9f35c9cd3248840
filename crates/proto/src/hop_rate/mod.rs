//! Hop-by-hop rate control (Monks, Sinha & Bharghavan, MoMuC 2000): each node sends the segments of a flow at a rate
//! that it learns from the next one.

pub mod config;
mod machine;
#[cfg(test)]
mod tests;
mod wire;

pub use config::HopRateConfig;
pub use machine::{Action, Counters, HopRate, Input};
pub use wire::Note;
