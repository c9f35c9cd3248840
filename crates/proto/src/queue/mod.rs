//! The interface queue, between network layer and MAC: classes × service × what happens on give-up.
//!
//! [`Queue`] composes what is held ([`ClassTable`], the packets in service), whose turn it is ([`Turns`]), how much it
//! holds and which packet is lost, active queue management ([`aqm`]), and the rule of `persistent` (what becomes of a
//! frame that exhausted its MAC retries).

mod admit;
pub mod airtime;
pub mod aqm;
mod atp_sojourn;
mod classes;
pub mod codel;
pub mod config;
mod contract;
mod counters;
mod flow_queues;
mod holds;
pub mod link_red;
mod machine;
mod managed;
mod meter;
mod order;
mod persistent;
pub mod pie;
mod reading;
pub mod red;
mod round_robin;
mod set;
mod store;
mod taken;
#[cfg(test)]
mod tests;
mod turns;
mod waiting;

pub use airtime::{AirtimeConfig, AirtimeTurns};
pub use aqm::{Aqm, Arriving, Leaving, Served, Verdict};
pub use atp_sojourn::Sojourn;
pub use classes::{ClassTable, Queued};
pub use codel::{CoDel, CoDelConfig, Root};
pub use config::{
    AqmBy, AqmKind, ClassBy, LimitRule, OnGiveUp, Overflow, QueueConfig, RoutingOrder, Service,
};
pub use contract::{Action, Input};
pub use counters::Counters;
pub use flow_queues::FlowQueues;
pub use link_red::{LinkRed, LinkRedConfig};
pub use machine::Queue;
pub use pie::{Pie, PieConfig};
pub use red::{Red, RedConfig, RedUnit};
pub use round_robin::RoundRobin;
pub use set::{AnyAqm, AnyTurns, Tail};
pub use turns::Turns;
