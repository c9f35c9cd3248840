//! What becomes of a frame that has exhausted its MAC retries.
//!
//! Source: Ohzahata and Kawashima, "Evaluation of a Queue Management Method for TCP Communications over
//! Multi-hop Wireless Links", section 2 and Figure 1. The queue hands a *copy* of its head to the MAC; the
//! original stays. On success it is deleted. When the MAC reaches its limit the copy is forgotten, the original
//! stays at the head, and the next backlogged queue has its turn. Order within a class never changes and no
//! packet is lost on a link. A failed turn consumes no deficit.

use super::classes::Queued;
use super::config::{OnGiveUp, QueueConfig};

/// What becomes of a packet that the MAC has given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepRule {
    keeps: bool,
    /// How often one packet is kept; none: without limit.
    limit: Option<u32>,
}

impl KeepRule {
    pub(super) const fn new(config: &QueueConfig) -> Self {
        Self { keeps: matches!(config.on_give_up, OnGiveUp::Keep), limit: config.keep_limit }
    }

    /// Whether the queue keeps `entry`, which the MAC has just given up.
    #[inline]
    pub(super) fn keeps(self, entry: &Queued) -> bool {
        self.keeps && self.limit.is_none_or(|limit| entry.kept < limit)
    }
}
