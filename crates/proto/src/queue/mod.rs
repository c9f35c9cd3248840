//! The interface queue, between network layer and MAC: classes × service × what happens on give-up.
//!
//! [`Queue`] composes [`ClassTable`] (which packets wait where), [`RoundRobin`] (whose turn it is) and the rule of
//! [`persistent`] (what becomes of a frame that exhausted its MAC retries).

mod classes;
pub mod config;
mod contract;
mod counters;
mod holds;
mod machine;
pub mod persistent;
mod round_robin;
#[cfg(test)]
mod tests;

pub use classes::{ClassTable, Queued};
pub use config::{ClassBy, LimitRule, OnGiveUp, Overflow, QueueConfig, Service};
pub use contract::{Action, Input};
pub use counters::Counters;
pub use machine::Queue;
pub use round_robin::RoundRobin;
