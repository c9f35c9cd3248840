//! The nodes of a network by number, and by the stations that their radios are.

use std::ops::{Deref, DerefMut};

use multihop_proto::contract::Stations;
use multihop_proto::mac::Sensed;
use multihop_proto::node::{IfIndex, Input, Interface, Node, Timer};
use multihop_proto::units::NodeId;

use super::Network;
use crate::kernel::Event;

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
        self.nodes[node.index()].interface(which)
    }

    /// The interface that a station is, to let it act.
    #[inline(always)]
    pub(super) fn interface(&mut self, station: NodeId) -> &mut Interface {
        let (node, which) = self.station(station);
        node.interface_mut(which)
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
    #[cold]
    #[inline(never)]
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

    /// This transmission ends, and all others of this instant. A node may receive several of them, by different radios, so they
    /// end in the order of their senders' names. Returns how many others there are.
    #[cold]
    pub(super) fn end_together(&mut self, first: NodeId) -> u64 {
        self.together(
            first,
            |event| if let Event::End(it) = event { Some(it) } else { None },
            Self::end_transmission,
        )
    }

    /// The next step of this node is due, and those of all other nodes at this instant. Two of them may have copies of a packet
    /// whose life is over, and the last of these is the one that is lost, so they go in the order of their names. Returns how
    /// many others there are.
    #[inline(never)]
    pub(super) fn step_together(&mut self, first: NodeId) -> u64 {
        let due = |event| if let Event::Sequence(it) = event { Some(it) } else { None };
        self.together(first, due, |network, station| network.fire(station, Timer::Sequence))
    }

    /// Does to a station what its event asks for, and to all others with such an event at this instant, by name.
    fn together(
        &mut self,
        first: NodeId,
        such: impl Fn(Event) -> Option<NodeId>,
        act: impl Fn(&mut Self, NodeId),
    ) -> u64 {
        let mut all = std::mem::take(&mut self.at_once);
        all.push(first);
        loop {
            let (time, key) = self.world.timers.earliest();
            let also = (time == self.world.now).then(|| such(self.world.timers.event(key))).flatten();
            let Some(station) = also else { break };
            self.world.timers.take(key);
            all.push(station);
        }
        if all.len() > 1 {
            // The radios of one node have their numbers in their order.
            all.sort_unstable_by_key(|&station| (self.ranks[self.nodes.node_of(station).index()], station));
        }
        for &station in &all {
            act(self, station);
            if !self.world.after.is_empty() {
                self.finish_event();
            }
        }
        let others = all.len() as u64 - 1;
        all.clear();
        self.at_once = all;
        others
    }
}
