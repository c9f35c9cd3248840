//! Loss detection: what makes a sender take a segment for lost. One file per detector; [`LossDetector`] is the
//! contract.

mod adtcp;
pub(in crate::tcp) mod config;
mod contract;
mod counters;
pub(in crate::tcp) mod dcr;
mod dup_acks;
pub(in crate::tcp) mod k_sack;
pub(in crate::tcp) mod rack;
mod sack;
mod scoreboard;
mod set;
#[cfg(test)]
mod tests;

pub use adtcp::Adtcp;
pub use config::{Loss, LossDetectorKind, SackRule};
pub use contract::{AckInfo, Evidence, Input, LossDecision, LossDetector, Marking, Trigger};
pub use counters::{Counters, RackCounters};
pub use dcr::{Dcr, DcrConfig};
pub use dup_acks::DupAcks;
pub use k_sack::{KSack, KSackConfig};
pub use rack::{Rack, RackConfig};
pub use sack::Sack;
pub use scoreboard::Scoreboard;
pub use set::AnyLossDetector;

pub(crate) use crate::contract::DUP_THRESH;
