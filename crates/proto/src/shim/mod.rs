//! Shims stand between TCP and IP at either end of a connection. All that is meant for TCP meets the shim first, the
//! retransmission timeout included, and all that TCP sends passes it.

mod adtcp;
mod atcp;
pub mod config;
mod contract;
mod counters;
mod ebsn;
mod elfn;
mod eln;
mod enic;
mod freeze_tcp;
mod holes;
mod split_tcp;
mod tcp_bus;
mod tcp_f;
#[cfg(test)]
mod tests;

pub use adtcp::{AdtcpReceiver, AdtcpSender};
pub use atcp::Atcp;
pub use config::{Beginning, ShimConfig, ShimKind};
pub use contract::{Action, CustomShim, Input, Shim, Verdict};
pub use counters::Counters;
pub use ebsn::Ebsn;
pub use elfn::Elfn;
pub use eln::Eln;
pub use enic::Enic;
pub use freeze_tcp::FreezeTcp;
pub use split_tcp::SplitTcp;
pub use tcp_bus::TcpBus;
pub use tcp_f::TcpF;
