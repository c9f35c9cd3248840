//! Loss detection: what makes a sender take a segment for lost. One file per detector; [`LossDetector`] is the contract.

mod adtcp;
mod config;
mod contract;
mod counters;
mod dcr;
mod dup_acks;
mod k_sack;
mod sack;

pub use adtcp::Adtcp;
pub use config::{DcrConfig, KSackConfig, LossDetectorKind};
pub use contract::{AckInfo, CustomLossDetector, Evidence, Input, LossDecision, LossDetector};
pub use counters::Counters;
pub use dcr::Dcr;
pub use k_sack::KSack;
pub use sack::Scoreboard;

pub(crate) use crate::contract::DUP_THRESH;
