//! A node: MAC, queue, routing and transport endpoints composed. The layers meet here and nowhere else.

mod contract;
mod endpoint;
mod hosts;
mod net;
mod receive;
mod relay;
mod relays;
mod stack;
#[cfg(test)]
mod tests;
mod transport;

pub use crate::endpoint::{AnyTransport, App};
pub use contract::{Action, Input, Timer};
pub use endpoint::{Endpoint, Order};
pub use hosts::Hosts;
pub use net::{IfIndex, Interface, Links, Origin};
pub use relays::Relays;
pub use stack::Node;
