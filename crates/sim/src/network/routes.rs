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
    let ranks = ranks(names);
    for destination in ends {
        table.set(destination, towards(links, &ranks, destination));
    }
    table
}

/// The nodes of the path that [`shortest_paths`] would give, both ends among them; none if there is no path.
#[must_use]
pub(super) fn shortest_path(links: &Links, ranks: &[u32], from: NodeId, to: NodeId) -> Vec<NodeId> {
    let next = towards(links, ranks, to);
    let mut path = vec![from];
    while let Some(&here) = path.last().filter(|&&here| here != to) {
        match next[here.index()] {
            NodeId::BROADCAST => return Vec::new(),
            there => path.push(there),
        }
    }
    path
}

/// Places of the nodes in the order of their names, shorter ones first: compared once, not at every link.
pub(super) fn ranks(names: &[&str]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_unstable_by_key(|&node| (names[node].len(), names[node]));
    let mut ranks = vec![0; names.len()];
    for (node, rank) in order.into_iter().zip(0..) {
        ranks[node] = rank;
    }
    ranks
}

fn towards(links: &Links, ranks: &[u32], destination: NodeId) -> Box<[NodeId]> {
    let mut hops = vec![u32::MAX; ranks.len()];
    let mut next = vec![NodeId::BROADCAST; ranks.len()];
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
                let order = |node: NodeId| ranks[node.index()];
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
