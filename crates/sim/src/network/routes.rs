//! Static routes: tables of the best paths.

use multihop_proto::routing::fixed::RouteTable;
use multihop_proto::routing::multipath::PathTable;
use multihop_proto::units::NodeId;

use crate::check::paths::Costs;
use crate::scenario::Flow;

/// Next hops on the best paths towards these nodes.
pub(super) fn best_paths(costs: &Costs<'_>, known: &[NodeId]) -> RouteTable {
    let mut table = RouteTable::new(costs.nodes());
    for &destination in known {
        table.set(destination, costs.towards(destination));
    }
    table
}

/// All next hops of shortest paths towards these nodes, first names first.
pub(super) fn all_shortest_paths(costs: &Costs<'_>, known: &[NodeId]) -> PathTable {
    let nodes = costs.nodes();
    let mut table = PathTable::new(nodes);
    for &destination in known {
        let hops = costs.hops(destination);
        let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); nodes];
        for here in (0..).map(NodeId).take(nodes).filter(|here| hops[here.index()] != u32::MAX) {
            for there in costs.neighbours(here) {
                if hops[there.index()] == hops[here.index()] + 1 {
                    next[there.index()].push(here);
                }
            }
        }
        for list in &mut next {
            list.sort_unstable_by_key(|node| costs.rank(*node));
        }
        table.set(destination, next.into_iter().map(Vec::into_boxed_slice).collect());
    }
    table
}

/// All nodes at which a flow starts or ends.
pub(super) fn ends(flows: &[Flow]) -> Vec<NodeId> {
    let mut ends: Vec<NodeId> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}
