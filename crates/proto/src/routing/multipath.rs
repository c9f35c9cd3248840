//! Static routing over several shortest paths in turn: the part of TORA (Park & Corson, INFOCOM 1997) that TCP feels. A
//! node that knows several next hops gives each the next packet, so that packets of one flow overtake each other.
//!
//! Not modelled: how TORA finds and mends its paths. They are computed once, as those of [`super::fixed`].

use std::sync::Arc;

use super::contract::{Action, Decision, Input, Provenance, Routing};
use crate::contract::Cx;
use crate::units::{NodeId, SimTime};
use crate::wire::{Packet, PacketId};

/// The next hops of each node towards one destination, the preferred first.
type Column = Box<[Box<[NodeId]>]>;

/// All next hops of all nodes towards the destinations that flows use.
#[derive(Clone, Debug, Default)]
pub struct PathTable {
    /// By destination.
    columns: Vec<Option<Column>>,
}

impl PathTable {
    /// An empty table for `nodes` nodes.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { columns: vec![None; nodes] }
    }

    /// Sets the next hops of every node towards `destination`.
    pub fn set(&mut self, destination: NodeId, next_hops: Column) {
        self.columns[destination.index()] = Some(next_hops);
    }

    /// Next hops from `node` towards `destination`.
    #[must_use]
    pub fn next_hops(&self, node: NodeId, destination: NodeId) -> &[NodeId] {
        let column = self.columns.get(destination.index()).and_then(Option::as_ref);
        column.and_then(|column| column.get(node.index())).map_or(&[], |hops| hops)
    }
}

/// One node's view of the shared table.
#[derive(Clone, Debug)]
pub struct Multipath {
    me: NodeId,
    table: Arc<PathTable>,
    /// Packets sent to each destination: whose turn it is.
    turns: Vec<u64>,
    /// Most next hops used.
    paths: usize,
    spread: u64,
}

impl Multipath {
    /// The routes of node `me`, over at most so many next hops at a time.
    #[must_use]
    pub fn new(me: NodeId, table: Arc<PathTable>, paths: u32) -> Self {
        let turns = vec![0; table.columns.len()];
        Self { me, table, turns, paths: paths as usize, spread: 0 }
    }

    /// The neighbour to which the next packet for `destination` goes.
    fn turn(&self, destination: NodeId) -> Option<NodeId> {
        let hops = self.table.next_hops(self.me, destination);
        let hops = &hops[..hops.len().min(self.paths)];
        let turn = *self.turns.get(destination.index())?;
        let place = turn.checked_rem(hops.len() as u64)?;
        hops.get(place as usize).copied() // below their number
    }

    /// The neighbour to which a packet for `destination` goes; the one after it goes to the next.
    pub fn take_turn(&mut self, destination: NodeId) -> Option<NodeId> {
        let to = self.turn(destination)?;
        self.turns[destination.index()] += 1;
        self.spread += u64::from(self.table.next_hops(self.me, destination)[0] != to);
        Some(to)
    }

    /// Packets that went another way than the preferred one.
    #[must_use]
    pub const fn spread(&self) -> u64 {
        self.spread
    }
}

impl Routing for Multipath {
    fn known(&mut self, _now: SimTime, packet: &Packet, _provenance: Provenance) -> Option<NodeId> {
        self.take_turn(packet.destination)
    }

    fn next_hop(&self, _now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.turn(destination)
    }

    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        _out: &mut Vec<Action>,
    ) -> Decision {
        provenance.decide(self.take_turn(cx.packets[packet].destination))
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        input.refuse_message(cx, out);
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell("multipath.spread", self.spread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::DropReason;

    /// Node 0 reaches node 3 through 1, 2 and 4; node 1 through no other node.
    fn at(me: u32, paths: u32) -> Multipath {
        let hops = |list: &[u32]| list.iter().copied().map(NodeId).collect::<Box<[NodeId]>>();
        let mut table = PathTable::new(5);
        table.set(NodeId(3), [hops(&[1, 2, 4]), hops(&[3]), hops(&[3]), hops(&[]), hops(&[3])].into());
        Multipath::new(NodeId(me), Arc::new(table), paths)
    }

    #[test]
    fn packets_take_the_next_hops_in_turn() {
        for (paths, expected) in [(1, vec![1, 1, 1, 1]), (2, vec![1, 2, 1, 2]), (9, vec![1, 2, 4, 1])] {
            let mut routes = at(0, paths);
            let taken: Vec<u32> = (0..4).filter_map(|_| routes.take_turn(NodeId(3))).map(|to| to.0).collect();
            let aside = taken.iter().filter(|&&to| to != 1).count() as u64;
            assert_eq!((taken, routes.spread()), (expected, aside), "{paths}");
        }
    }

    #[test]
    fn asking_changes_nothing() {
        let mut routes = at(0, 2);
        assert_eq!(
            (routes.next_hop(SimTime::ZERO, NodeId(3)), routes.next_hop(SimTime::ZERO, NodeId(3))),
            (Some(NodeId(1)), Some(NodeId(1)))
        );
        routes.take_turn(NodeId(3));
        assert_eq!(routes.next_hop(SimTime::ZERO, NodeId(3)), Some(NodeId(2)));
    }

    #[test]
    fn without_a_way_it_refuses_and_kept_packets_stay() {
        let mut routes = at(0, 2);
        for destination in [NodeId(4), NodeId(99)] {
            assert_eq!(
                Provenance::Here.decide(routes.take_turn(destination)),
                Decision::Refused(DropReason::NoRoute)
            );
            assert_eq!(Provenance::Kept(NodeId(1)).decide(routes.take_turn(destination)), Decision::Stays);
        }
        assert_eq!(Provenance::Here.decide(at(1, 2).take_turn(NodeId(3))), Decision::To(NodeId(3)));
    }
}
