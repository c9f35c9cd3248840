//! Loss judgement: what makes a sender believe that a segment is lost. One file a judgement; [`Judge`] is the contract.

mod adtcp;
mod config;
mod contract;
mod counters;
mod dcr;
mod dup_acks;
mod k_sack;
mod sack;

pub use adtcp::Adtcp;
pub use config::{DcrConfig, JudgeKind, KSackConfig};
pub use contract::{CustomJudge, Evidence, Input, Judge, Judgement, Said};
pub use counters::Counters;
pub use dcr::Dcr;
pub use k_sack::KSack;
pub use sack::Scoreboard;

pub(crate) use crate::port::DUP_THRESH;
