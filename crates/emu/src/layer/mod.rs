//! What stands between the TCP of a host and the network: the shims of the simulator that have a form for Linux.

mod atcp;
mod forged;

use multihop_proto::shim::ShimConfig;

pub(crate) use atcp::{Layers, Said, Verdict};

/// Whether this shim has a form for Linux.
pub(crate) fn is_there(shim: &ShimConfig) -> bool {
    Layers::new(shim).is_some()
}
