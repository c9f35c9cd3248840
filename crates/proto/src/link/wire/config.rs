//! What a wired link is like.

use crate::queue::{LimitRule, OnGiveUp, QueueConfig};
use crate::units::{Bitrate, Bytes, Dur};

/// One direction of a wired link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireConfig {
    /// Rate at which packets leave.
    pub rate: Bitrate,
    /// Time between the last bit's departure and the packet's arrival.
    pub delay: Dur,
    /// Bytes that the link adds to each packet while it is sent.
    pub overhead: Bytes,
    /// Probability that a data packet is lost on the way.
    pub loss: f64,
    /// Probability that a data packet is held back on the way, so that others overtake it.
    pub late: f64,
    /// By how much.
    pub late_by: Dur,
}

impl WireConfig {
    /// The queue of one end: that of the node, but for how many packets it holds, `limit`, the one being sent included;
    /// none: as the node's. A wire never gives a packet up, so none is kept.
    #[must_use]
    pub fn queue(node: &QueueConfig, limit: Option<u32>) -> QueueConfig {
        let mut queue = QueueConfig { on_give_up: OnGiveUp::Drop, ..node.clone() };
        if let Some(limit) = limit {
            (queue.limit, queue.limit_rule) = (limit.saturating_sub(1), LimitRule::UpTo);
        }
        queue
    }
}
