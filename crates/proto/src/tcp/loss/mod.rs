//! Loss judgement: what makes a sender believe that a segment is lost. One file a judgement; [`Judge`] is the contract.

mod contract;
mod dup_acks;
mod sack;

pub use contract::{CustomJudge, Evidence, Input, Judge, Judgement, Said};
pub use sack::Scoreboard;

/// Duplicate ACKs that signal a loss (RFC 5681 §3.2, RFC 6675 DupThresh).
pub const DUP_THRESH: u32 = 3;
