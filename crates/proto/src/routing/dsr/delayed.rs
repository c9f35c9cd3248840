//! Answers from the cache that wait, so that the initiator hears the shortest first (RFC 4728 §8.2.5).

use crate::units::{NodeId, SimTime};

/// A reply that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The route that it tells, from the initiator to the target.
    pub(super) route: Vec<NodeId>,
    /// The way that the request came, from the initiator to this node.
    pub(super) path: Vec<NodeId>,
}

/// The answers that wait, and when they go.
#[derive(Debug, Default)]
pub(super) struct DelayedAnswers(Vec<(SimTime, Answer)>);

impl DelayedAnswers {
    pub(super) fn put(&mut self, at: SimTime, answer: Answer) {
        self.0.push((at, answer));
    }

    /// When the next one goes.
    pub(super) fn next(&self) -> SimTime {
        self.0.iter().map(|&(at, _)| at).min().unwrap_or(SimTime::MAX)
    }

    /// Takes out those whose time has come.
    pub(super) fn take_due(&mut self, now: SimTime) -> Vec<Answer> {
        self.0.extract_if(.., |(at, _)| *at <= now).map(|(_, answer)| answer).collect()
    }

    /// A link is broken: no answer tells of it, or goes over it.
    pub(super) fn cut(&mut self, (from, to): (NodeId, NodeId)) {
        let over = |path: &[NodeId], link: [NodeId; 2]| path.windows(2).any(|two| two == link);
        self.0.retain(|(_, answer)| !over(&answer.route, [from, to]) && !over(&answer.path, [to, from]));
    }

    /// A packet goes along this route: its first node needs no answer that is not shorter.
    pub(super) fn forget_no_better(&mut self, route: &[NodeId]) {
        self.0.retain(|(_, Answer { route: told, .. })| {
            told.len() < route.len() || told.first() != route.first() || told.last() != route.last()
        });
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
