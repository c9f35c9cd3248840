//! With which neighbours frames are aggregated: with those of an older amendment there is no block ack agreement.

use super::peer::Peer;
use super::station::Aggregation;

impl Aggregation {
    /// Whether frames to a neighbour, or from it, are aggregated.
    pub(in crate::mac) fn aggregates(&self, with: Peer) -> bool {
        self.rules.aggregates(with.priority.category()) && !self.singles.has(with.node)
    }

    /// The most numbers that may be under way to a neighbour, or from it.
    pub(super) fn window(&self, with: Peer) -> u16 {
        if self.aggregates(with) { self.config.window } else { 1 }
    }
}
