//! What was lost on the way to a relay: gaps in the stream that passes, as far as its own queue is not to blame.

use crate::contract::NodeState;

/// Gaps kept at a time, as the original keeps eight runs between them.
const MOST: usize = 8;

/// The gaps of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    /// First and last byte (not included) of each, lowest first.
    gaps: Vec<(u64, u64)>,
    /// First byte beyond all that has passed; none: nothing has.
    top: Option<u64>,
}

/// Whether the queue is so nearly full that a loss says nothing of the air.
pub(super) const fn is_congested(node_state: &NodeState) -> bool {
    node_state.queue_free <= 1
}

impl Gaps {
    /// Bytes pass on their way to the destination.
    pub(super) fn passed(&mut self, node_state: &NodeState, start: u64, end: u64) {
        let top = *self.top.get_or_insert(start);
        if start > top && !is_congested(node_state) && self.gaps.len() < MOST {
            self.gaps.push((top, start));
        }
        self.top = Some(top.max(end));
        let around = |(from, to): (u64, u64)| [(from, to.min(start)), (from.max(end), to)];
        self.gaps = self.gaps.drain(..).flat_map(around).filter(|(from, to)| from < to).collect();
        self.gaps.truncate(MOST);
    }

    /// Everything below has arrived; returns whether what follows stands in a gap.
    pub(super) fn acknowledged(&mut self, ack: u64) -> bool {
        self.gaps.retain(|&(_, to)| to > ack);
        self.gaps.first().is_some_and(|&(from, _)| from <= ack)
    }
}
