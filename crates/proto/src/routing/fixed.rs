//! Static routing: next hops computed before the run, the same for all time.

use std::sync::Arc;

use super::contract::{Action, Decision, Input, Provenance};
use crate::contract::{Cx, Sink, drop_packet};
use crate::units::NodeId;
use crate::wire::DropReason;

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

    /// The neighbour to which packets for `destination` go.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.table.next_hop(self.me, destination)
    }

    /// Where a packet for `destination` goes.
    #[must_use]
    pub fn route(&self, destination: NodeId, provenance: Provenance) -> Decision {
        match (self.next_hop(destination), provenance) {
            (Some(to), _) => Decision::To(to),
            (None, Provenance::Kept(_)) => Decision::Stays,
            (None, _) => Decision::Refused(DropReason::NoRoute),
        }
    }

    /// Takes one input; only messages matter, as nobody here speaks a routing protocol.
    pub fn handle<S: Sink<Action>>(cx: &mut Cx<'_>, input: Input, out: &mut S) {
        if let Input::Message { packet, .. } = input {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Unclaimed)));
        }
    }
}
