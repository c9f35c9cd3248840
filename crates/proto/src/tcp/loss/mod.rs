//! Loss judgement: what makes a sender believe that a segment is lost. Duplicate ACKs are counted by the sender
//! itself; [`Scoreboard`] is what SACK adds.

mod sack;

pub use sack::Scoreboard;

/// Duplicate ACKs that signal a loss (RFC 5681 §3.2, RFC 6675 DupThresh).
pub const DUP_THRESH: u32 = 3;
