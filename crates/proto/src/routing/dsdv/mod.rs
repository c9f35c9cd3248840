//! Destination-sequenced distance vector routing: Perkins and Bhagwat, SIGCOMM 1994.

mod machine;
mod table;
#[cfg(test)]
mod tests;
mod wire;

pub use machine::Dsdv;
pub use table::{INFINITY, Route, Table};
pub use wire::{Line, emit, parse, size};
