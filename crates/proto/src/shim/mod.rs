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
mod fits;
mod freeze_tcp;
mod holes;
mod set;
mod split_tcp;
mod tcp_bus;
mod tcp_f;
#[cfg(test)]
mod tests;

pub use adtcp::{AdtcpConfig, AdtcpReceiver, AdtcpSender, SignCounters};
pub use atcp::{Atcp, AtcpConfig, AtcpCounters, BackOff, Reconnect, Retransmit};
pub use config::{ShimConfig, ShimKind};
pub use contract::{Action, Beginning, Input, Shim, Verdict};
pub use counters::Counters;
pub use ebsn::Ebsn;
pub use elfn::{Elfn, ElfnConfig, Probe, Restore};
pub use eln::Eln;
pub use enic::{Enic, EnicConfig};
pub use freeze_tcp::{FreezeTcp, FreezeTcpConfig};
pub use set::{AnyShim, NoShim, counter_names};
pub use split_tcp::{SplitEndsConfig, SplitTcp};
pub use tcp_bus::{TcpBus, TcpBusConfig};
pub use tcp_f::{TcpF, TcpFConfig};
