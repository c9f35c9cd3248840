//! ATP, the ad hoc transport protocol (Sundaresan, Anantharaman, Hsieh & Sivakumar, `MobiHoc` 2003): a transport of its
//! own. Every node on the way writes into a packet how long it would take it to pass one on; the receiver says from
//! time to time what the slowest needed, and what is missing; the sender sends at that rate. There is no window, no
//! timeout and no clock of ACKs.

pub mod config;
mod counters;
mod meter;
mod sink;
mod source;
#[cfg(test)]
mod tests;
mod wire;

pub use config::AtpConfig;
pub use counters::Counters;
pub use meter::Meter;
pub use sink::Sink;
pub use source::{Action, Input, Rate, Source, State};
pub use wire::{Body, Header, MOST_BLOCKS};
