//! Links between nodes that may have several radios: which stations they have, and what reaches which node by any of
//! them.

use multihop_proto::units::NodeId;

use super::Links;
use crate::link::Link;

impl Links {
    /// The node of a station.
    pub(super) fn node_of(&self, station: NodeId) -> NodeId {
        self.stations.as_ref().map_or(station, |stations| stations.node_of(station))
    }

    /// The stations of a node.
    pub(super) fn stations_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let further = self.stations.iter().flat_map(move |stations| stations.of(node).skip(1));
        std::iter::once(node).chain(further)
    }

    /// The pairs of stations that may hear each other, of two nodes.
    pub fn pairs(&self, from: NodeId, to: NodeId) -> Vec<(NodeId, NodeId)> {
        let Some(stations) = &self.stations else { return vec![(from, to)] };
        let mut pairs = Vec::new();
        for here in stations.of(from) {
            let meet = stations.of(to).filter(|&there| stations.meet(here, there));
            pairs.extend(meet.map(|there| (here, there)));
        }
        pairs
    }

    /// What the radios of `from` reach of each other node, for each pair of stations.
    pub fn radio_links(&self, from: NodeId) -> impl Iterator<Item = Link> {
        let all = self.stations_of(from).flat_map(|station| self.listeners(station));
        all.map(|link| Link { to: self.node_of(link.to), ..*link })
    }

    /// Nodes that can decode what any radio of `from` sends, each once.
    pub fn reached(&self, from: NodeId) -> impl Iterator<Item = NodeId> {
        let decodable = move |station| self.decodable(station).iter().map(|link| self.node_of(link.to));
        self.stations_of(from).enumerate().flat_map(move |(place, station)| {
            let earlier = move |to: &NodeId| {
                self.stations_of(from).take(place).any(|it| decodable(it).any(|other| other == *to))
            };
            decodable(station).filter(move |to| !earlier(to))
        })
    }

    /// The channel on which a node sends to another, if channels are told apart: that of its first radio that shares
    /// one.
    #[must_use]
    pub fn channel(&self, from: NodeId, to: NodeId) -> Option<u16> {
        let stations = self.stations.as_ref()?;
        stations.of(from).find(|&here| stations.peer(here, to).is_some()).map(|here| stations.channel(here))
    }

    /// The channels that the radios of two nodes share, the one of [`Links::channel`] first; none where channels are
    /// not told apart.
    #[must_use]
    pub fn channels(&self, from: NodeId, to: NodeId) -> Vec<u16> {
        let used = self.channel(from, to);
        let shared = self
            .stations
            .iter()
            .flat_map(|stations| self.pairs(from, to).into_iter().map(|(here, _)| stations.channel(here)));
        used.into_iter().chain(shared.filter(|&channel| Some(channel) != used)).collect()
    }

    /// Whether a node has a radio on a channel; all have where channels are not told apart.
    #[must_use]
    pub fn is_on(&self, node: NodeId, channel: Option<u16>) -> bool {
        let (Some(stations), Some(channel)) = (&self.stations, channel) else { return true };
        stations.of(node).any(|station| stations.channel(station) == channel)
    }

    /// Whether two nodes have radios on the same channel.
    pub(super) fn share_channel(&self, one: NodeId, other: NodeId) -> bool {
        self.stations.as_ref().is_none_or(|stations| stations.share_channel(one, other))
    }
}
