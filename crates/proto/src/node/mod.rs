//! A node: MAC, queue, routing and transport endpoints composed. The layers meet here and nowhere else.

mod counters;
mod hop_rate;
mod host;
mod hosts;
mod inbox;
mod interface;
mod interfaces;
mod link;
mod links;
mod net;
mod network;
mod notify;
mod outbox;
mod packet_link;
mod relay;
mod relays;
mod resolve;
mod service;
mod signal;
mod sinks;
mod stack;
#[cfg(test)]
mod tests;
mod wire;
mod wires;

pub use crate::endpoint::{AnyTransport, App};
pub use host::{Endpoint, Order};
pub use hosts::Hosts;
pub use interface::Interface;
pub use interfaces::IfIndex;
pub use links::Links;
pub use relays::Relays;
pub use stack::{Action, Input, Node, Timer};
