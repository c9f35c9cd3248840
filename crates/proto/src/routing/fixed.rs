//! Static routing: next hops computed before the run, the same for all time.

use std::sync::Arc;

use super::contract::{Action, Decision, Input, Provenance, Routing};
use crate::contract::Cx;
use crate::units::{NodeId, SimTime};
use crate::wire::{Packet, PacketId};

/// Next hops of all nodes towards the destinations that flows use.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    /// By destination: the next hop of each node (`NodeId::BROADCAST` = none).
    columns: Vec<Option<Box<[NodeId]>>>,
}

impl RouteTable {
    /// An empty table for `nodes` nodes.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { columns: vec![None; nodes] }
    }

    /// Sets the next hop of every node towards `destination`.
    pub fn set(&mut self, destination: NodeId, next_hops: Box<[NodeId]>) {
        self.columns[destination.index()] = Some(next_hops);
    }

    /// Next hop from `node` towards `destination`.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, node: NodeId, destination: NodeId) -> Option<NodeId> {
        let hop = *self.columns.get(destination.index())?.as_ref()?.get(node.index())?;
        (hop != NodeId::BROADCAST).then_some(hop)
    }
}

/// One node's view of the shared table.
#[derive(Clone, Debug)]
pub struct FixedRoutes {
    me: NodeId,
    table: Arc<RouteTable>,
}

impl FixedRoutes {
    /// The routes of node `me`.
    #[must_use]
    pub const fn new(me: NodeId, table: Arc<RouteTable>) -> Self {
        Self { me, table }
    }
}

impl Routing for FixedRoutes {
    #[inline]
    fn known(&mut self, _now: SimTime, packet: &Packet, _provenance: Provenance) -> Option<NodeId> {
        self.table.next_hop(self.me, packet.destination)
    }

    fn next_hop(&self, _now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.table.next_hop(self.me, destination)
    }

    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        _out: &mut Vec<Action>,
    ) -> Decision {
        provenance.decide(self.table.next_hop(self.me, cx.packets[packet].destination))
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        input.refuse_message(cx, out);
    }
}
