//! What stands in a relay, between network layer and queue: agents that see the packets of a flow pass by.

mod contract;
mod counters;
mod eln;
mod gaps;
mod i_tcp;
mod setup;
mod snoop;
mod splice;
mod split_tcp;
#[cfg(test)]
mod tests;

pub use contract::{Action, Agent, Input, Proxy, Towards, Verdict};
pub use counters::Counters;
pub use eln::Eln;
pub use i_tcp::{ITcp, ITcpConfig};
pub use setup::{AgentKind, AgentSetup};
pub use snoop::{Snoop, SnoopConfig};
pub use split_tcp::{SplitTcp, SplitTcpConfig};
