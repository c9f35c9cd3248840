//! What stands in a relay, between network layer and queue: agents that see the packets of a flow pass by.

pub mod config;
mod contract;
mod counters;
mod i_tcp;
mod splice;
mod split_tcp;
#[cfg(test)]
mod tests;

pub use contract::{Action, CustomProxy, Input, Proxy, Towards, Verdict};
pub use counters::Counters;
pub use i_tcp::ITcp;
pub use split_tcp::SplitTcp;
