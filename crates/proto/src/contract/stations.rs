//! The radios of a network: the node of each, and the channel to which it is tuned.

use std::collections::{BTreeMap, BTreeSet};

use crate::units::NodeId;

/// All radios. Each is a station of the air, with an address of its own: the first radio of a node has the node's
/// number, and further radios have the numbers after those of all nodes. So in a network with one radio a node a
/// station is a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stations {
    nodes: usize,
    /// The channel of each station.
    channels: Vec<u16>,
    /// The node of each station that is not the first of its node, in order.
    owners: Vec<NodeId>,
    /// The channels that pairs of nodes use for each other, where a plan says so; the lower number first.
    planned: BTreeMap<(NodeId, NodeId), u16>,
}

impl Stations {
    /// The stations of nodes that have radios on these channels, at least one each.
    ///
    /// # Panics
    /// If a node has none.
    #[must_use]
    pub fn new<'a>(radios: impl Iterator<Item = &'a [u16]> + Clone) -> Self {
        let mut channels: Vec<u16> = radios.clone().map(|own| own[0]).collect();
        let nodes = channels.len();
        let mut owners = Vec::new();
        for (own, node) in radios.zip(0..) {
            channels.extend(&own[1..]);
            owners.extend(own[1..].iter().map(|_| NodeId(node)));
        }
        Self { nodes, channels, owners, planned: BTreeMap::new() }
    }

    /// The same, and pairs of nodes that use these channels for each other.
    #[must_use]
    pub fn with_links(mut self, planned: impl Iterator<Item = ((NodeId, NodeId), u16)>) -> Self {
        self.planned
            .extend(planned.map(|((one, other), channel)| ((one.min(other), one.max(other)), channel)));
        self
    }

    /// How many stations there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.channels.len()
    }

    /// Whether every node has one radio and all are tuned to the same channel: then a station is a node, and each may
    /// hear each other.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.owners.is_empty() && self.channels.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Whether any node has several radios.
    #[must_use]
    pub const fn are_several(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The node of a station.
    #[inline]
    #[must_use]
    pub fn node_of(&self, station: NodeId) -> NodeId {
        match station.index().checked_sub(self.nodes) {
            Some(place) if !station.is_broadcast() => self.owners[place],
            _ => station,
        }
    }

    /// The channel of a station.
    #[must_use]
    pub fn channel(&self, station: NodeId) -> u16 {
        self.channels[station.index()]
    }

    /// The stations of a node, in the order of its radios.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let [begin, end] = [node, NodeId(node.0 + 1)]
            .map(|node| self.owners.partition_point(|&owner| owner < node) + self.nodes);
        std::iter::once(node).chain((begin as u32..end as u32).map(NodeId)) // node counts are 32-bit
    }

    /// The radio of a node to which a station sends what is for that node: it is on the same channel, and a plan says
    /// of no other channel that the two nodes use it.
    #[must_use]
    pub fn peer(&self, station: NodeId, node: NodeId) -> Option<NodeId> {
        let own = self.node_of(station);
        let planned = self.planned.get(&(own.min(node), own.max(node)));
        if planned.is_some_and(|&channel| channel != self.channel(station)) {
            return None;
        }
        self.of(node).find(|&other| self.meet(station, other))
    }

    /// All channels, in order.
    #[must_use]
    pub fn channels(&self) -> BTreeSet<u16> {
        self.channels.iter().copied().collect()
    }

    /// Whether one station may hear another: they are tuned to the same channel, and belong to different nodes.
    #[must_use]
    pub fn meet(&self, one: NodeId, other: NodeId) -> bool {
        self.channel(one) == self.channel(other) && self.node_of(one) != self.node_of(other)
    }

    /// Whether two nodes have radios on the same channel.
    #[must_use]
    pub fn share_channel(&self, one: NodeId, other: NodeId) -> bool {
        self.of(one).any(|here| self.of(other).any(|there| self.meet(here, there)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_radios_come_after_all_nodes() {
        let radios: [&[u16]; 3] = [&[1, 6], &[6], &[11, 1, 6]];
        let stations = Stations::new(radios.into_iter());
        assert_eq!((stations.count(), stations.is_plain()), (6, false));
        let of = |node| stations.of(NodeId(node)).map(|station| station.0).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![0, 3], vec![1], vec![2, 4, 5]]);
        let owners: Vec<u32> = (0..6).map(|station| stations.node_of(NodeId(station)).0).collect();
        assert_eq!(owners, [0, 1, 2, 0, 2, 2]);
        assert_eq!(stations.node_of(NodeId::BROADCAST), NodeId::BROADCAST);
        assert!(stations.meet(NodeId(3), NodeId(1)) && !stations.meet(NodeId(0), NodeId(1)));
        assert!(!stations.meet(NodeId(0), NodeId(3)), "a node does not hear itself");
        assert!(
            stations.share_channel(NodeId(0), NodeId(2)) && !stations.share_channel(NodeId(0), NodeId(0))
        );
    }

    #[test]
    fn one_channel_for_all_is_plain() {
        let one: [&[u16]; 2] = [&[6], &[6]];
        assert!(Stations::new(one.into_iter()).is_plain());
        let other: [&[u16]; 2] = [&[6], &[1]];
        assert!(!Stations::new(other.into_iter()).is_plain());
    }
}
