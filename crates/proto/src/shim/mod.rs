//! Shims stand between TCP and IP at either end of a connection. All that is meant for TCP meets the shim first, the
//! retransmission timeout included, and all that TCP sends passes it.

mod contract;

pub use contract::{Action, CustomShim, Input, Shim, Verdict};
