//! Routing: which neighbour is the next hop. [`Routing`] is the contract; one folder or file a protocol.

pub mod aodv;
mod awaited;
pub mod buffer;
pub mod config;
mod contract;
pub mod dsdv;
pub mod dsr;
pub mod fixed;
mod forecast;
pub mod frn;
pub mod multipath;
mod set;
#[cfg(test)]
mod tests;

pub use awaited::Awaited;
pub use config::*;
pub use contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
pub use set::AnyRouting;
