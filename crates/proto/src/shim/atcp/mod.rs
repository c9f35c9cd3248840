//! ATCP (Liu & Singh, IEEE JSAC 2001), as it is or modified.

mod config;
mod machine;
mod probes;

pub use config::{AtcpConfig, BackOff, Reconnect, Retransmit};
pub use machine::{Atcp, AtcpCounters};
