//! The link: all that a node has below its network layer.
//!
//! [`Link`] is an interface queue with a MAC behind it, or one from outside ([`CustomLink`]) that keeps its packets
//! itself.

pub mod contract;
mod machine;

pub use contract::{Action, CustomLink, End, Input};
pub use machine::Link;
