//! Nodes, each with an instant: until when something is waited for, or holds.

use crate::units::{NodeId, SimTime};

/// Nodes and their instants, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines(Vec<(NodeId, SimTime)>);

impl Deadlines {
    /// Adds a node.
    pub(super) fn add(&mut self, node: NodeId, at: SimTime) {
        self.0.push((node, at));
    }

    /// Takes a node out.
    pub(super) fn remove(&mut self, node: NodeId) {
        self.0.retain(|&(other, _)| other != node);
    }

    /// Gives a node another instant, if it is here.
    pub(super) fn put_off(&mut self, node: NodeId, at: SimTime) {
        if let Some((_, own)) = self.0.iter_mut().find(|(other, _)| *other == node) {
            *own = at;
        }
    }

    /// Whether a node is here.
    pub(super) fn has(&self, node: NodeId) -> bool {
        self.0.iter().any(|&(other, _)| other == node)
    }

    /// Whether a node is here, and its instant is still to come.
    #[inline]
    pub(super) fn lasts(&self, node: NodeId, now: SimTime) -> bool {
        self.0.iter().any(|&(other, at)| other == node && now < at)
    }

    /// The first instant.
    pub(super) fn next(&self) -> SimTime {
        self.0.iter().map(|&(_, at)| at).min().unwrap_or(SimTime::MAX)
    }

    /// Takes out the first node whose instant has come.
    pub(super) fn take_due(&mut self, now: SimTime) -> Option<NodeId> {
        let index = self.0.iter().position(|&(_, at)| at <= now)?;
        Some(self.0.remove(index).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_due_in_the_order_in_which_they_came() {
        let at = |ms| SimTime::ZERO + crate::units::Dur::from_ms(ms);
        let mut waits = Deadlines::default();
        assert_eq!(waits.next(), SimTime::MAX);
        for (node, ms) in [(1, 5), (2, 3), (3, 9)] {
            waits.add(NodeId(node), at(ms));
        }
        assert_eq!(waits.next(), at(3));
        assert!(waits.lasts(NodeId(2), at(2)) && !waits.lasts(NodeId(2), at(3)) && waits.has(NodeId(2)));
        assert_eq!(waits.take_due(at(2)), None);
        waits.put_off(NodeId(2), at(4));
        waits.put_off(NodeId(7), at(0));
        assert_eq!(
            waits.take_due(at(5)),
            Some(NodeId(1)),
            "it came first, though the other was due before it"
        );
        assert_eq!(waits.take_due(at(5)), Some(NodeId(2)));
        assert_eq!(waits.take_due(at(5)), None);
        waits.remove(NodeId(3));
        assert!(!waits.has(NodeId(3)) && waits.next() == SimTime::MAX);
    }
}
