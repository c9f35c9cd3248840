//! The nodes of a network by number, and by the stations that their radios are.

use std::ops::{Deref, DerefMut};

use multihop_proto::contract::Stations;
use multihop_proto::node::{IfIndex, Interface, Node};
use multihop_proto::units::NodeId;

/// All nodes, and the radios that they have beside their first ones.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// The node and the interface of each station that is not the first of its node.
    further: Vec<(NodeId, IfIndex)>,
}

impl Nodes {
    /// Nodes with these radios.
    pub(super) fn new(nodes: Vec<Node>, stations: &Stations) -> Self {
        let radios = |node| stations.of(node).zip(0..).skip(1).map(move |(_, place)| (node, IfIndex(place)));
        let further = (0..nodes.len() as u32).map(NodeId).flat_map(radios).collect(); // node counts are 32-bit
        Self { nodes, further }
    }

    /// How many stations there are.
    pub(super) const fn stations(&self) -> usize {
        self.nodes.len() + self.further.len()
    }

    /// The node of a station.
    #[inline(always)]
    pub(super) fn node_of(&self, station: NodeId) -> NodeId {
        if station.index() < self.nodes.len() { station } else { self.place(station).0 }
    }

    /// The node of a station, and which of its interfaces that is.
    #[inline(always)]
    pub(super) fn station(&mut self, station: NodeId) -> (&mut Node, IfIndex) {
        if station.index() < self.nodes.len() {
            return (&mut self.nodes[station.index()], IfIndex::FIRST);
        }
        let (node, which) = self.place(station);
        (&mut self.nodes[node.index()], which)
    }

    /// The interface that a station is.
    #[inline(always)]
    pub(super) fn interface(&mut self, station: NodeId) -> &mut Interface {
        let (node, which) = self.station(station);
        node.interface_mut(which)
    }

    #[inline(never)]
    fn place(&self, station: NodeId) -> (NodeId, IfIndex) {
        self.further[station.index() - self.nodes.len()]
    }
}

impl Deref for Nodes {
    type Target = [Node];

    #[inline(always)]
    fn deref(&self) -> &[Node] {
        &self.nodes
    }
}

impl DerefMut for Nodes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }
}
