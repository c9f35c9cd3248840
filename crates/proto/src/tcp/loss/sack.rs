//! Loss detection by the scoreboard of SACK (RFC 6675 §5).

use super::config::{Loss, SackRule};
use super::contract::{Evidence, Input, LossDecision, LossDetector};
use crate::contract::DUP_THRESH;

/// The detector of RFC 6675.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sack;

impl LossDetector for Sack {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        if input.may_show_a_loss() && is_lost(seen) { LossDecision::Lost } else { LossDecision::Wait }
    }

    fn observes_all_acks(&self) -> bool {
        false
    }
}

/// Three duplicate ACKs, or IsLost (RFC 6675 §5 steps 1 and 2); in ns-2 the duplicates alone. With FACK more than three
/// segments to the last byte that SACK tells of.
pub(super) fn is_lost(seen: &Evidence<'_>) -> bool {
    let told = match seen.sack_rule {
        SackRule::Rfc6675 => seen.scoreboard.is_lost(seen.una, seen.segment),
        SackRule::Fack => seen.scoreboard.forward(seen.una) - seen.una > u64::from(DUP_THRESH) * seen.segment,
        SackRule::Ns2 => false,
    };
    (seen.dupacks >= DUP_THRESH || told) && seen.is_news_by(Loss::Sack)
}
