//! Ad hoc on-demand distance vector routing: RFC 3561, and where ns-2.35 departs from it.

mod config;
mod counters;
mod deadlines;
mod failure;
mod hello;
mod losses;
mod machine;
mod messages;
mod numbers;
mod outlet;
mod reboot;
mod reply;
mod request;
mod search;
mod seen;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use config::*;
pub use counters::Counters;
pub use machine::Aodv;
pub use table::{Route, State, Table};
pub use wire::{Message, Reply, Request, Unreachable, emit, parse, size};
