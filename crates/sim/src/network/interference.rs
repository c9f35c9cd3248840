//! What interfered with a frame. Nothing is noted for it while frames are on the air: when one was lost, the ends of
//! the others' latest transmissions say which node had been sending meanwhile.

use std::cmp::Reverse;

use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use super::spans::Spans;
use super::stations::Nodes;
use crate::air::Links;
use crate::probe::Interferer;

/// How strong a signal is where a frame ends \[W\], the receiver's own above all; of equally strong ones the first by
/// name: numbers must not matter.
type Strength = (f64, Reverse<u32>);

/// A transmission that overlapped a frame at its addressee.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    station: NodeId,
    begin: SimTime,
    end: SimTime,
    strength: Strength,
}

/// What was on the air until now.
pub(super) struct Interference<'a, S> {
    now: SimTime,
    /// Time that a signal takes to every listener.
    delay: Dur,
    nodes: &'a Nodes,
    links: &'a mut Links,
    /// When the latest transmission of a station left it whole, or will.
    sent_until: S,
    /// When the latest transmissions of each station arrived, where that is kept.
    arrivals: &'a [Spans],
}

impl<S: Fn(NodeId) -> SimTime> Interference<'_, S> {
    /// The strongest transmission that overlapped a frame which ends now at a node; the node's own is stronger than
    /// all.
    pub(super) fn strongest(&mut self, frame: &Frame, at: NodeId) -> Option<Interferer> {
        let since = self.now - frame.airtime;
        if (self.sent_until)(at) > since {
            return Some(self.own(at));
        }
        let strongest = match self.links.around(at, self.now) {
            Some(near) => self.strongest_of((frame, at), since, near.into_iter()),
            None => self.strongest_of((frame, at), since, self.nodes.all_stations()),
        };
        strongest.map(|station| self.by(frame.from, station))
    }

    /// Whose signal is the strongest where the frame ends, of those that have been sending since.
    #[inline]
    fn strongest_of(
        &self,
        (frame, at): (&Frame, NodeId),
        since: SimTime,
        stations: impl Iterator<Item = NodeId>,
    ) -> Option<NodeId> {
        let mut strongest = None;
        for other in stations {
            if (self.sent_until)(other) + self.delay <= since || other == frame.from {
                continue;
            }
            if let Some(link) = self.links.between(other, at).filter(|_| self.has_arrived(other, since)) {
                let strength = (link.power, Reverse(self.nodes.rank(other)));
                if strongest.is_none_or(|(best, _)| strength > best) {
                    strongest = Some((strength, other));
                }
            }
        }
        strongest.map(|(_, station)| station)
    }

    /// The transmissions that overlapped a frame which ends now at its addressee.
    pub(super) fn overlaps(&mut self, frame: &Frame) -> Vec<Overlap> {
        let at = frame.to;
        let since = self.now - frame.airtime;
        let mut found = Vec::new();
        let near = self.links.around(at, self.now).unwrap_or_else(|| self.nodes.all_stations().collect());
        for station in near.into_iter().chain([at]) {
            if station == frame.from {
                continue;
            }
            let power = match station == at {
                true => Some(f64::INFINITY),
                false => self.links.between(station, at).map(|link| link.power),
            };
            let Some(power) = power else { continue };
            let strength = (power, Reverse(self.nodes.rank(station)));
            let spans = self.arrivals[station.index()].within(since, self.now);
            found.extend(spans.map(|(begin, end)| Overlap { station, begin, end, strength }));
        }
        found
    }

    /// Whose transmission a frame of this sender met in a time, of those that overlapped it: the strongest one's.
    pub(super) fn met(
        &self,
        from: NodeId,
        overlaps: &[Overlap],
        (begin, end): (SimTime, SimTime),
    ) -> Option<Interferer> {
        let within = overlaps.iter().filter(|it| it.begin < end && it.end > begin);
        let strongest = within.max_by(|one, other| {
            let (a, b) = (one.strength, other.strength);
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        })?;
        let own = strongest.strength.0 == f64::INFINITY;
        Some(if own { self.own(strongest.station) } else { self.by(from, strongest.station) })
    }

    /// Whether a transmission of a station has been arriving since. With a propagation delay the latest may have left
    /// only, and which is asked first of those that end or begin at this very instant must not matter.
    fn has_arrived(&self, station: NodeId, since: SimTime) -> bool {
        let spans = self.arrivals.get(station.index());
        spans.is_none_or(|spans| spans.within(since, self.now).next().is_some())
    }

    /// The receiver itself, whether it faded on its way to the sender or not.
    fn own(&self, station: NodeId) -> Interferer {
        Interferer { node: self.nodes.node_of(station), hidden: false }
    }

    /// Another station, which the sender may not hear.
    fn by(&self, from: NodeId, station: NodeId) -> Interferer {
        let hidden = self.links.between(station, from).is_none_or(|link| !link.sensed);
        Interferer { node: self.nodes.node_of(station), hidden }
    }
}

impl Network {
    /// What was on the air until now.
    pub(super) fn interference(&mut self) -> Interference<'_, impl Fn(NodeId) -> SimTime> {
        let Self { world, nodes, links, radios, dozes, .. } = self;
        let (now, delay, arrivals) = (world.now, world.delay, world.arrivals.as_slice());
        let sent_until = |station| dozes.sent_until(station, radios.sent_until(station));
        Interference { now, delay, nodes, links, sent_until, arrivals }
    }
}
