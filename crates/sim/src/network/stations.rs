//! The nodes of a network by number, and by the stations that their radios are.

use std::ops::{Deref, DerefMut};

use multihop_proto::contract::Stations;
use multihop_proto::mac::Sensed;
use multihop_proto::node::{IfIndex, Input, Interface, Node, Timer};
use multihop_proto::units::NodeId;

use super::Network;

/// All nodes, and the radios that they have beside their first ones.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// The node and the interface of each station that is not the first of its node.
    further: Vec<(NodeId, IfIndex)>,
    /// Places of the nodes in the order of their names.
    ranks: Vec<u32>,
}

impl Nodes {
    /// Nodes with these radios, and these places in the order of their names.
    pub(super) fn new(nodes: Vec<Node>, stations: &Stations, ranks: Vec<u32>) -> Self {
        let radios = |node| stations.of(node).zip(0..).skip(1).map(move |(_, place)| (node, IfIndex(place)));
        let further = (0..nodes.len() as u32).map(NodeId).flat_map(radios).collect(); // node counts are 32-bit
        Self { nodes, further, ranks }
    }

    /// How many stations there are.
    pub(super) const fn stations(&self) -> usize {
        self.nodes.len() + self.further.len()
    }

    /// All stations.
    pub(super) fn all_stations(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.stations() as u32).map(NodeId) // node counts are 32-bit
    }

    /// The node of a station.
    #[inline(always)]
    pub(super) fn node_of(&self, station: NodeId) -> NodeId {
        if station.index() < self.nodes.len() { station } else { self.further(station).0 }
    }

    /// The node of a station, and which of its interfaces that is.
    #[inline(always)]
    pub(super) fn station(&mut self, station: NodeId) -> (&mut Node, IfIndex) {
        if station.index() < self.nodes.len() {
            return (&mut self.nodes[station.index()], IfIndex::FIRST);
        }
        let (node, which) = self.further(station);
        (&mut self.nodes[node.index()], which)
    }

    /// The place of a station's node in the order of names.
    pub(super) fn rank(&self, station: NodeId) -> u32 {
        self.ranks[self.node_of(station).index()]
    }

    /// The places of all nodes in the order of their names.
    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The stations of a node, in the order of its radios.
    pub(super) fn stations_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let [begin, end] = [node, NodeId(node.0 + 1)]
            .map(|node| self.further.partition_point(|&(owner, _)| owner < node) + self.nodes.len());
        std::iter::once(node).chain((begin as u32..end as u32).map(NodeId)) // node counts are 32-bit
    }

    /// The interface that a station is, to read it.
    pub(super) fn interface_of(&self, station: NodeId) -> &Interface {
        let place = station.index().checked_sub(self.nodes.len());
        let (node, which) = place.map_or((station, IfIndex::FIRST), |place| self.further[place]);
        self.nodes[node.index()].links().interface(which)
    }

    /// The interface that a station is, to let it act.
    #[inline(always)]
    pub(super) fn interface(&mut self, station: NodeId) -> &mut Interface {
        let (node, which) = self.station(station);
        node.links_mut().interface_mut(which)
    }

    /// The node of a station that is not its first, and which of its interfaces that is.
    #[inline(never)]
    pub(super) fn further(&self, station: NodeId) -> (NodeId, IfIndex) {
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

impl Network {
    /// A timer of a station fires.
    #[inline(always)]
    pub(super) fn fire(&mut self, station: NodeId, timer: Timer) {
        if station.index() < self.nodes.len() {
            return self.tell(station, Input::Timer(IfIndex::FIRST, timer));
        }
        self.fire_further(station, timer);
    }

    /// A station hears of the frame that it is receiving, if it minds that.
    pub(super) fn tell_reception(&mut self, station: NodeId) {
        if self.nodes.interface(station).minds_reception() {
            let until = self.radios.receiving_until(station, self.world.now);
            self.sense(station, Sensed::Receiving(until));
        }
    }

    /// A timer fires of a station that is not the first of its node.
    #[inline(never)]
    fn fire_further(&mut self, station: NodeId, timer: Timer) {
        let (node, which) = self.nodes.further(station);
        self.tell(node, Input::Timer(which, timer));
    }
}
