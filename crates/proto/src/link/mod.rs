//! The link: all that a node has below its network layer.
//!
//! [`Link`] is an interface queue with a MAC behind it, or one that keeps its packets itself ([`PacketLink`]): the
//! slotted one of the Flexible Radio Network ([`frn`]), or one from outside. Wired links ([`wire`]) stand beside it.

mod air_meter;
mod categories;
mod config;
pub mod contract;
mod custom;
pub mod frn;
mod machine;
mod queues;
mod set;
#[cfg(test)]
mod tests;
pub mod wire;

pub use config::{LinkConfig, LinkKind};
pub use contract::{Action, End, Input, PacketLink};
pub use custom::CustomPacketLink;
pub use machine::Link;
pub use set::{AnyPacketLink, LinkChoice};
