//! Which of several signals that begin at one instant is the first at a listener.
//!
//! Time on the air is counted from the sender, and yet propagation delays decide this where receivers keep what came
//! first (reception `ns2`): a station counts its slots from the end of the last frame that it heard, so they begin later
//! the farther away that frame was sent; its signal then takes its own way. Of two that arrive together the one that left
//! first is the first.

use std::cmp::Ordering;

use multihop_proto::units::NodeId;

use super::Network;
use crate::air::{Arrival, Radios};

/// How much later than others a station begins to send in a slot, as the way of light \[mm\].
pub(super) type Lag = (NodeId, u64);

impl Network {
    /// The lags of stations that are about to send; none where they do not matter.
    pub(super) fn lags(&mut self, starting: &[NodeId]) -> Vec<Lag> {
        match self.radios {
            Radios::Ns2(_) => starting.iter().map(|&station| (station, self.lag(station))).collect(),
            Radios::Sinr(_) => Vec::new(),
        }
    }

    /// Signals that begin at this instant, each with its listener, in the order in which listeners take them. Without
    /// lags, or if all that is the same, the stronger is the first, and of equally strong ones the shorter.
    pub(super) fn in_order(
        &mut self,
        arrivals: Vec<(NodeId, Arrival)>,
        lags: &[Lag],
    ) -> impl Iterator<Item = (NodeId, Arrival)> + use<> {
        let mut keyed: Vec<_> = arrivals
            .into_iter()
            .map(|(listener, arrival)| {
                let lag = lags.iter().find(|(from, _)| *from == arrival.from);
                let left = lag.map_or(0, |(_, lag)| *lag);
                let arrived = lag.map_or(0, |(from, lag)| lag + self.way(*from, listener));
                ((arrived, left), listener, arrival)
            })
            .collect();
        keyed.sort_by(|(one, _, a), (other, _, b)| one.cmp(other).then(stronger(a, b)));
        keyed.into_iter().map(|(_, listener, arrival)| (listener, arrival))
    }

    /// How far from a station the last frame that it heard was sent \[mm\]; 0 if that was its own. Of two that ended
    /// together the farther one fell silent there last.
    fn lag(&mut self, station: NodeId) -> u64 {
        let now = self.world.now;
        let (heard, _) = self.links.begin(station, now);
        let others: Vec<NodeId> = heard.iter().filter(|link| link.sensed).map(|link| link.to).collect();
        let over = |node: &NodeId| Some(self.radios.sent_until(*node)).filter(|&end| end <= now);
        let last = others.iter().filter_map(over).max();
        if last <= over(&station) {
            return 0;
        }
        let silent = others.iter().copied().filter(|node| over(node) == last);
        let silent: Vec<NodeId> = silent.collect();
        silent.into_iter().map(|node| self.way(node, station)).max().unwrap_or(0)
    }

    /// The distance between two nodes \[mm\]; 0 if nodes have no places.
    fn way(&mut self, one: NodeId, other: NodeId) -> u64 {
        let now = self.world.now;
        match (self.links.place(one, now), self.links.place(other, now)) {
            (Some(one), Some(other)) => libm::round(one.distance(&other) * 1000.0) as u64, // far below 2^53
            _ => 0,
        }
    }
}

fn stronger(a: &Arrival, b: &Arrival) -> Ordering {
    b.power.total_cmp(&a.power).then(a.end.cmp(&b.end))
}
