//! Address resolution: which node asks for the link-layer address of a next hop, and what waits meanwhile (RFC 826).

pub mod config;
mod machine;
#[cfg(test)]
mod tests;
pub mod wire;

pub use config::{ArpConfig, ArpKind};
pub use machine::{Action, Arp, Counters, Input};
