//! A wired link between two nodes: a queue, a rate and a delay in each direction, both at the same time.

mod config;
mod machine;
#[cfg(test)]
mod tests;

pub use config::WireConfig;
pub use machine::{Action, Counters, Input, Wire};
