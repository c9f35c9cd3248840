//! Routing: which neighbour is the next hop. [`Routing`] is the contract; one folder or file a protocol.

pub mod aodv;
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

pub use config::*;
pub use contract::{Action, Awaited, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
pub use set::{AnyRouting, Shared};
