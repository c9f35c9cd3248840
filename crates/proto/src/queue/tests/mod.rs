//! Time lines of the interface queue, and one contract suite over every configuration of it.

mod contract;
mod keep;
mod overflow;
mod rig;
mod service;
