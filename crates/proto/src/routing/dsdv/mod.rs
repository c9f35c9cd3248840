//! Destination-sequenced distance vector routing: Perkins and Bhagwat, SIGCOMM 1994.

mod machine;
mod table;
#[cfg(test)]
mod tests;

pub use machine::Dsdv;
pub use table::{INFINITY, Route, Table};
