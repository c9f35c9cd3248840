//! Window rules: how the congestion window reacts. One file a rule; [`Congestion`] is the state they share, and
//! [`WindowRule`] the contract.

mod contract;
mod fixed;
mod newreno;
mod reno;
mod set;
mod state;
mod tahoe;
#[cfg(test)]
mod tests;

pub use contract::{Acked, WindowRule};
pub use fixed::Fixed;
pub use newreno::NewReno;
pub use reno::Reno;
pub use set::{AnyWindowRule, Bounded};
pub use state::{Congestion, LossResponse, PartialAck};
pub use tahoe::Tahoe;
