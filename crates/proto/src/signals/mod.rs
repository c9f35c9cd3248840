//! The notifier: what a node says of broken routes to the ends of the flows that pass it. The same for every routing
//! protocol: it looks at what is lost, at give-ups and at the notices of routing.

pub mod config;
mod contract;
mod notifier;
mod tcp_bus_relay;
mod tcp_f_relay;
#[cfg(test)]
mod tests;

pub use config::{SignalsConfig, Unreachable};
pub use contract::{Action, Input, Loss, Verdict};
pub use notifier::{Counters, Flows, Notifier};
