//! Three duplicate ACKs (RFC 5681 §3.2); after a loss not again until more than what was outstanding then has been
//! acknowledged (RFC 6582 §3.2).

use super::contract::{Evidence, Input, LossDecision, LossDetector};
use crate::contract::DUP_THRESH;

/// The detector of RFC 5681.
#[derive(Clone, Copy, Debug, Default)]
pub struct DupAcks;

impl LossDetector for DupAcks {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        if input.may_show_a_loss() && is_lost(seen) { LossDecision::Lost } else { LossDecision::Wait }
    }

    fn observes_all_acks(&self) -> bool {
        false
    }
}

fn is_lost(seen: &Evidence<'_>) -> bool {
    seen.dupacks == DUP_THRESH && seen.is_news(seen.recover.is_none_or(|mark| seen.una > mark))
}
