//! Static routes: tables of the best paths.

use multihop_proto::node::Node;
use multihop_proto::routing::AnyRouting;
use multihop_proto::routing::fixed::RouteTable;
use multihop_proto::routing::frn::FARTHEST;
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

/// Gives every node the table that long exchange of FRN's control packets would leave it: of all its neighbours, in the
/// order of their names, the relays that each takes to these nodes.
pub(super) fn install_tables(nodes: &mut [Node], costs: &Costs<'_>, known: &[NodeId]) {
    let hops: Vec<Vec<u32>> = known.iter().map(|&end| costs.hops(end)).collect();
    for (node, me) in nodes.iter_mut().zip((0..).map(NodeId)) {
        let AnyRouting::Frn(frn) = node.routing_mut() else { continue };
        let mut neighbours: Vec<NodeId> = costs.neighbours(me).collect();
        neighbours.sort_unstable_by_key(|neighbour| costs.rank(*neighbour));
        for neighbour in neighbours {
            let relays = known.iter().zip(&hops).filter_map(|(&end, hops)| {
                let count = u8::try_from(hops[neighbour.index()]).ok()?;
                (count <= FARTHEST).then_some((end, count))
            });
            frn.table_mut().install(neighbour, relays);
        }
    }
}

/// All nodes at which a flow starts or ends.
pub(super) fn ends(flows: &[Flow]) -> Vec<NodeId> {
    let mut ends: Vec<NodeId> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}
