//! Window rules: how the congestion window reacts. One file a rule; [`Congestion`] is the state they share, and
//! [`WindowRule`] the contract.

mod contract;
mod fixed;
mod newreno;
mod reno;
mod state;
mod tahoe;

pub use contract::{Acked, CustomWindow, WindowRule};
pub use state::{Congestion, LossResponse, PartialAck};
