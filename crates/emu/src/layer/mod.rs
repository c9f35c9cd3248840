//! What stands between the TCP of a host and the network: the shims of the simulator that have a form for Linux.

mod atcp;
mod closing;
mod contract;
mod forged;
mod held;
mod layers;
mod steered;
#[cfg(test)]
mod tests;

pub(crate) use contract::{HostEvent, Output, Times, Verdict};
pub(crate) use layers::{Layers, is_there, is_told, unheard};
