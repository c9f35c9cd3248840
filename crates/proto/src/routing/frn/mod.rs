//! Routing of the Flexible Radio Network: a table of all next hops to every destination, from control packets that
//! every node sends in a fixed cycle, over neighbours that have been heard often enough.
//!
//! Source: T. Yuki, master's thesis, Osaka University 2004, sections 2.1 and 2.2.2, tables 1 to 4.

mod config;
mod machine;
mod reliability;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use config::FrnRoutingConfig;
pub use machine::FrnRouting;
pub use reliability::Reliability;
pub use table::{ConfigurationTable, FARTHEST};
pub use wire::{Line, emit, parse, size};
