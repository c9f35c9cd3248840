//! Protocol machines of `multihop`: pure functions of their inputs.
//!
//! Nothing in this crate reads a clock, a file, a thread or the operating system's randomness. Each machine has
//! one verb, `handle(cx, input, out)`, complete when it returns; [`node`] composes them.
#![forbid(unsafe_code)]

#[macro_use]
mod dispatch;

pub mod arp;
pub mod atp;
pub mod contract;
pub mod endpoint;
pub mod hop_rate;
pub mod link;
pub mod mac;
pub mod node;
pub mod proxy;
pub mod queue;
pub mod routing;
pub mod shim;
pub mod signals;
pub mod tcp;
#[cfg(test)]
mod testing;
pub mod udp;
pub mod units;
pub mod wire;
