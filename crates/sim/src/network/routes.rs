//! Static routes: shortest paths by hops over the links that can decode each other.

use multihop_proto::routing::fixed::RouteTable;
use multihop_proto::units::NodeId;

use crate::air::Links;
use crate::scenario::Flow;

/// Next hops towards every node that a flow starts or ends at. Of several shortest paths the one whose next hop
/// has the first name is taken (shorter names first), so that the order of the nodes does not matter.
#[must_use]
pub(super) fn shortest_paths(links: &Links, names: &[&str], flows: &[Flow]) -> RouteTable {
    let mut table = RouteTable::new(names.len());
    let mut ends: Vec<NodeId> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    ends.sort_unstable();
    ends.dedup();
    for destination in ends {
        table.set(destination, towards(links, names, destination));
    }
    table
}

fn towards(links: &Links, names: &[&str], destination: NodeId) -> Box<[NodeId]> {
    let mut hops = vec![u32::MAX; names.len()];
    let mut next = vec![NodeId::BROADCAST; names.len()];
    hops[destination.index()] = 0;
    let mut ring = vec![destination];
    while !ring.is_empty() {
        let mut outer = Vec::new();
        for &here in &ring {
            for link in links.decodable(here) {
                let there = link.to.index();
                if hops[there] == u32::MAX {
                    hops[there] = hops[here.index()] + 1;
                    outer.push(link.to);
                }
                let order = |node: NodeId| (names[node.index()].len(), names[node.index()]);
                let nearer = hops[there] == hops[here.index()] + 1;
                if nearer && (next[there] == NodeId::BROADCAST || order(here) < order(next[there])) {
                    next[there] = here;
                }
            }
        }
        ring = outer;
    }
    next.into_boxed_slice()
}
