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

/// A signal at one of its listeners, and when it arrived and left, counted from the slot \[mm\].
pub(super) struct Beginning {
    pub(super) listener: NodeId,
    pub(super) arrival: Arrival,
    order: (u64, u64),
}

impl Beginning {
    /// Which of two a listener takes first. Without lags, or if all that is the same, the stronger, and of equally strong
    /// ones the shorter.
    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.arrival, &other.arrival);
        let stronger = || b.power.total_cmp(&a.power).then(a.end.cmp(&b.end));
        self.order.cmp(&other.order).then_with(stronger)
    }
}

impl Network {
    /// The lags of stations that are about to send; none where they do not matter.
    pub(super) fn lags(&mut self, starting: &[NodeId], lags: &mut Vec<Lag>) {
        lags.clear();
        let (mut heard, now) = (false, self.world.now);
        for &from in starting {
            let (listeners, _) = self.links.begin(from, now);
            heard |= listeners.iter().any(|link| !starting.contains(&link.to)); // who sends hears nothing of it
        }
        if heard && matches!(self.radios, Radios::Ns2(_)) {
            lags.extend(starting.iter().map(|&station| (station, self.lag(station))));
        }
    }

    /// A signal begins at a listener.
    pub(super) fn beginning(&mut self, listener: NodeId, arrival: Arrival, lags: &[Lag]) -> Beginning {
        let lag = lags.iter().find(|(from, _)| *from == arrival.from);
        let order = lag.map_or((0, 0), |&(from, lag)| (lag + self.way(from, listener), lag));
        Beginning { listener, arrival, order }
    }

    /// How far from a station the last frame that it heard was sent \[mm\]; 0 if that was its own. Of two that ended
    /// together the farther one fell silent there last.
    fn lag(&mut self, station: NodeId) -> u64 {
        let now = self.world.now;
        let over = |radios: &Radios, node| Some(radios.sent_until(node)).filter(|&end| end <= now);
        let (range, _) = self.links.range(station);
        let mut last = over(&self.radios, station);
        let mut lag = 0;
        for index in range {
            let link = self.links.at(index);
            let ended = over(&self.radios, link.to);
            if link.sensed && ended.is_some() && ended >= last && (ended > last || lag > 0) {
                let way = self.way(link.to, station);
                lag = if ended > last { way } else { lag.max(way) };
                last = ended;
            }
        }
        lag
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
