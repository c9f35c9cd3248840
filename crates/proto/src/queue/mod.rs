//! The interface queue, between network layer and MAC: classes × service × what happens on give-up.
//!
//! [`Queue`] composes [`ClassTable`] (which packets wait where), [`RoundRobin`] (whose turn it is) and the rule of
//! [`persistent`] (what becomes of a frame that exhausted its MAC retries).

pub mod aqm;
mod atp_sojourn;
mod classes;
pub mod config;
mod contract;
mod counters;
mod holds;
pub mod link_red;
mod machine;
mod managed;
pub mod persistent;
mod reading;
pub mod red;
mod round_robin;
mod set;
#[cfg(test)]
mod tests;

pub use aqm::{Aqm, Arriving, Leaving, Served, Verdict};
pub use atp_sojourn::Sojourn;
pub use classes::{ClassTable, Queued};
pub use config::{AqmKind, ClassBy, LimitRule, OnGiveUp, Overflow, QueueConfig, RoutingOrder, Service};
pub use contract::{Action, Input};
pub use counters::Counters;
pub use link_red::{LinkRed, LinkRedConfig};
pub use machine::Queue;
pub use red::{Red, RedConfig, RedUnit};
pub use round_robin::RoundRobin;
pub use set::{AnyAqm, Tail};
