//! Destination-sequenced distance vector routing: Perkins and Bhagwat, SIGCOMM 1994.

mod counters;
mod machine;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use counters::Counters;
pub use machine::Dsdv;
pub use table::{INFINITY, Route, Table};
pub use wire::{Line, emit, parse, size};
