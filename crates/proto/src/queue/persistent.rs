//! What becomes of a frame that has exhausted its MAC retries.
//!
//! Source: Ohzahata and Kawashima, "Evaluation of a Queue Management Method for TCP Communications over
//! Multi-hop Wireless Links", section 2 and Figure 1. The queue hands a *copy* of its head to the MAC; the
//! original stays. On success it is deleted. When the MAC reaches its limit the copy is forgotten, the original
//! stays at the head, and the next backlogged queue has its turn. Order within a class never changes and no
//! packet is lost on a link. A failed turn consumes no deficit.

use super::classes::Queued;
use super::config::OnGiveUp;

/// Whether the queue keeps `entry`, which the MAC has just given up.
#[inline]
#[must_use]
pub const fn keeps(rule: OnGiveUp, keep_limit: Option<u32>, entry: &Queued) -> bool {
    match (rule, keep_limit) {
        (OnGiveUp::Drop, _) => false,
        (OnGiveUp::Keep, None) => true,
        (OnGiveUp::Keep, Some(limit)) => entry.kept < limit,
    }
}
