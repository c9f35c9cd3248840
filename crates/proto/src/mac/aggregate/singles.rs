//! Neighbours of an older amendment: they know no block ack, and number all frames of a station together.

use super::number::after;
use crate::units::NodeId;

/// Those neighbours, and the next number of a frame to each.
#[derive(Debug, Default)]
pub(in crate::mac) struct Singles(Vec<(NodeId, u16)>);

impl Singles {
    /// A neighbour is one of them.
    pub(in crate::mac) fn add(&mut self, node: NodeId) {
        self.0.push((node, 0));
    }

    /// Whether a neighbour is one of them.
    pub(in crate::mac) fn has(&self, node: NodeId) -> bool {
        self.0.iter().any(|&(single, _)| single == node)
    }

    /// The number of the next frame to a neighbour, if it is one of them.
    pub(super) fn number(&mut self, node: NodeId) -> Option<u16> {
        let (_, next) = self.0.iter_mut().find(|(single, _)| *single == node)?;
        let number = *next;
        *next = after(number, 1);
        Some(number)
    }
}
