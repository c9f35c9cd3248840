//! Which of several signals that begin at one instant is the first at a listener.
//!
//! Time on the air is counted from the sender, and yet propagation delays decide this where receivers keep what came
//! first (reception `ns2`): a station counts its slots from the end of the last frame that it heard, so they begin later
//! the farther away that frame was sent; its signal then takes its own way. Of two that arrive together the one that left
//! first is the first.

use std::cmp::Ordering;

use multihop_proto::units::NodeId;

use super::Network;
use super::driver::senses;
use super::world::Transmission;
use crate::air::{Arrival, Link, Radios};

/// How much later than others a station begins to send in a slot, as the way of light \[mm\].
type Lag = (NodeId, u64);

/// Stations that begin to send together, and who hears more than one of them.
#[derive(Debug, Default)]
pub(super) struct Together {
    pub(super) starting: Vec<NodeId>,
    /// Of each node how many of the signals reach it; all zero outside of the instant.
    reached: Vec<u32>,
    /// None where they do not matter.
    lags: Vec<Lag>,
    /// Signals that are not alone at their listeners.
    meeting: Vec<Beginning>,
}

impl Together {
    /// Nobody sends yet.
    pub(super) fn new(nodes: usize) -> Self {
        Self { reached: vec![0; nodes], ..Self::default() }
    }
}

/// A signal at one of its listeners, and when it arrived and left, counted from the slot \[mm\].
#[derive(Debug)]
struct Beginning {
    listener: NodeId,
    arrival: Arrival,
    order: (u64, u64),
}

impl Beginning {
    /// Which of two a listener takes first. Without lags, or if all that is the same, the stronger, and of equally strong
    /// ones the shorter.
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.arrival, &other.arrival);
        let stronger = || b.power.total_cmp(&a.power).then(a.end.cmp(&b.end));
        self.order.cmp(&other.order).then_with(stronger)
    }
}

impl Network {
    /// Finds out who hears several of those that are about to send, and, where it matters, by how much they lag.
    pub(super) fn overlap(&mut self, together: &mut Together) {
        let meet = self.count_signals(together);
        let Together { starting, lags, .. } = together;
        lags.clear();
        if meet && matches!(self.radios, Radios::Ns2 { .. }) {
            // Who sends hears nothing of it.
            let heard = |place| !starting.contains(&self.links.at(place).to);
            if starting.iter().any(|&from| self.links.range(from).0.any(heard)) {
                lags.extend(starting.iter().map(|&station| (station, self.lag(station))));
            }
        }
    }

    /// Counts of each node how many of the signals reach it; returns whether several reach any.
    pub(super) fn count_signals(&mut self, together: &mut Together) -> bool {
        let (mut meet, now) = (false, self.world.now);
        for &from in &together.starting {
            for link in self.links.begin(from, now) {
                let reached = &mut together.reached[link.to.index()];
                *reached += 1;
                meet |= *reached > 1;
            }
        }
        meet
    }

    /// Several signals begin at once. A listener of more than one takes them in an order that the senders' numbers do not
    /// change ([`Beginning::cmp`]).
    pub(super) fn begin_signals(&mut self, together: &mut Together) {
        let Together { starting, reached, lags, meeting } = together;
        for &from in &*starting {
            let Transmission::Beginning(frame) = self.world.on_air[from.index()] else { continue };
            let (end, bits) = (self.world.now + frame.airtime, frame.size.bits());
            for place in self.links.range(from).0 {
                let Link { to, power, sensed, decodable } = self.links.at(place);
                let arrival = Arrival { from, power, end, bits, decodable, sensed };
                if reached[to.index()] == 1 {
                    reached[to.index()] = 0;
                    self.begin_at(to, &arrival);
                } else {
                    let lag = lags.iter().find(|(lagging, _)| *lagging == from);
                    let order = lag.map_or((0, 0), |&(_, lag)| (lag + self.way(from, to), lag));
                    meeting.push(Beginning { listener: to, arrival, order });
                }
            }
        }
        meeting.sort_by(Beginning::cmp);
        for Beginning { listener, arrival, .. } in meeting.drain(..) {
            reached[listener.index()] = 0;
            self.begin_at(listener, &arrival);
        }
    }

    /// A signal begins at one of its listeners.
    #[inline]
    fn begin_at(&mut self, listener: NodeId, arrival: &Arrival) {
        let heard = self.radios.begin(listener, self.world.now, arrival);
        if let Some(sensed) = senses(heard, arrival.end) {
            self.sense(listener, sensed);
        }
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
