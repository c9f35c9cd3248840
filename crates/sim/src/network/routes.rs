//! Static routes: shortest paths by hops over the links that can decode each other.

use multihop_proto::node::Node;
use multihop_proto::routing::Routing;
use multihop_proto::routing::fixed::RouteTable;
use multihop_proto::routing::frn::FARTHEST;
use multihop_proto::routing::multipath::PathTable;
use multihop_proto::units::NodeId;

use crate::air::Links;
use crate::scenario::Flow;

/// Next hops towards every node that a flow starts or ends at. Of several shortest paths the one whose next hop
/// has the first name is taken (shorter names first), so that the order of the nodes does not matter.
#[must_use]
pub(super) fn shortest_paths(links: &Links, names: &[&str], flows: &[Flow]) -> RouteTable {
    let mut table = RouteTable::new(names.len());
    let ranks = ranks(names);
    for destination in ends(flows) {
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

/// All next hops of shortest paths towards every node that a flow starts or ends at, first names first.
#[must_use]
pub(super) fn all_shortest_paths(links: &Links, names: &[&str], flows: &[Flow]) -> PathTable {
    let mut table = PathTable::new(names.len());
    let ranks = ranks(names);
    for destination in flows.iter().flat_map(|flow| [flow.from, flow.to]) {
        let hops = distances(links, names.len(), destination);
        let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); names.len()];
        for here in (0..).map(NodeId).take(names.len()).filter(|here| hops[here.index()] != u32::MAX) {
            for link in links.decodable(here) {
                if hops[link.to.index()] == hops[here.index()] + 1 {
                    next[link.to.index()].push(here);
                }
            }
        }
        for list in &mut next {
            list.sort_unstable_by_key(|node| ranks[node.index()]);
        }
        table.set(destination, next.into_iter().map(Vec::into_boxed_slice).collect());
    }
    table
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

/// Gives every node the table that long exchange of FRN's control packets would leave it: of all its neighbours, in the
/// order of their names, the relays that each takes to every end of a flow.
pub(super) fn install_tables(nodes: &mut [Node], links: &Links, names: &[&str], flows: &[Flow]) {
    let ends = ends(flows);
    let hops: Vec<Vec<u32>> = ends.iter().map(|&end| distances(links, names.len(), end)).collect();
    let ranks = ranks(names);
    for (node, me) in nodes.iter_mut().zip((0..).map(NodeId)) {
        let Routing::Frn(frn) = node.routing_mut() else { continue };
        let mut neighbours: Vec<NodeId> = links.decodable(me).iter().map(|link| link.to).collect();
        neighbours.sort_unstable_by_key(|neighbour| ranks[neighbour.index()]);
        for neighbour in neighbours {
            let relays = ends.iter().zip(&hops).filter_map(|(&end, hops)| {
                let count = u8::try_from(hops[neighbour.index()]).ok()?;
                (count <= FARTHEST).then_some((end, count))
            });
            frn.table_mut().install(neighbour, relays);
        }
    }
}

/// All nodes at which a flow starts or ends.
fn ends(flows: &[Flow]) -> Vec<NodeId> {
    let mut ends: Vec<NodeId> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Hops from every node to a destination, as the links are now; `u32::MAX` where there is no way.
fn distances(links: &Links, count: usize, destination: NodeId) -> Vec<u32> {
    let mut hops = vec![u32::MAX; count];
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
            }
        }
        ring = outer;
    }
    hops
}

fn towards(links: &Links, ranks: &[u32], destination: NodeId) -> Box<[NodeId]> {
    let hops = distances(links, ranks.len(), destination);
    let mut next = vec![NodeId::BROADCAST; ranks.len()];
    let order = |node: NodeId| ranks[node.index()];
    for here in (0..).map(NodeId).take(ranks.len()).filter(|here| hops[here.index()] != u32::MAX) {
        for link in links.decodable(here) {
            let there = link.to.index();
            let nearer = hops[there] == hops[here.index()] + 1;
            if nearer && (next[there] == NodeId::BROADCAST || order(here) < order(next[there])) {
                next[there] = here;
            }
        }
    }
    next.into_boxed_slice()
}
