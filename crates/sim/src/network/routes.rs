//! Static routes: best paths by hops or by ETX over the links whose ends can decode each other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use multihop_proto::node::Node;
use multihop_proto::routing::Routing;
use multihop_proto::routing::config::Metric;
use multihop_proto::routing::fixed::RouteTable;
use multihop_proto::routing::frn::FARTHEST;
use multihop_proto::routing::multipath::PathTable;
use multihop_proto::units::NodeId;

use crate::air::{ETX, Links, etx};
use crate::scenario::Flow;

/// How good the paths over some links are.
pub(super) struct Costs<'a> {
    links: &'a Links,
    ranks: &'a [u32],
    /// ETX of each link that loses frames, by its ends, where that counts.
    lossy: HashMap<(NodeId, NodeId), u64>,
}

/// How far a node is from a destination: the metric, in parts of a hop without losses, then hops. The least is the best.
type Distance = (u64, u32);

impl<'a> Costs<'a> {
    /// The costs by a metric; the nodes have these places in the order of their names.
    pub(super) fn by(metric: Metric, links: &'a Links, ranks: &'a [u32]) -> Self {
        let lossy = match metric {
            Metric::Hops => HashMap::new(),
            Metric::Etx => etx(links.losses()),
        };
        Self { links, ranks, lossy }
    }

    /// The nodes from which frames reach a node, and which its acknowledgements reach.
    fn neighbours(&self, here: NodeId) -> impl Iterator<Item = NodeId> {
        let both = move |there: &NodeId| {
            !self.links.are_listed() || self.links.decodable(*there).iter().any(|link| link.to == here)
        };
        self.links.decodable(here).iter().map(|link| link.to).filter(both)
    }

    /// How far each node is from a destination, as the links are now; none where there is no way.
    fn distances(&self, destination: NodeId) -> Vec<Option<Distance>> {
        if self.lossy.is_empty() {
            let distance = |hops: u32| (hops != u32::MAX).then(|| (u64::from(hops) * ETX, hops));
            return hops(self, destination).into_iter().map(distance).collect();
        }
        let mut found: Vec<Option<Distance>> = vec![None; self.ranks.len()];
        let mut open = BinaryHeap::from([Reverse(((0, 0), destination))]);
        while let Some(Reverse((distance, here))) = open.pop() {
            if found[here.index()].is_some() {
                continue;
            }
            found[here.index()] = Some(distance);
            for there in self.neighbours(here).filter(|there| found[there.index()].is_none()) {
                open.push(Reverse((self.beyond(distance, there, here), there)));
            }
        }
        found
    }

    /// How far a node is that sends to one at this distance.
    fn beyond(&self, (cost, hops): Distance, from: NodeId, to: NodeId) -> Distance {
        let link = self.lossy.get(&(from, to)).copied().unwrap_or(ETX);
        (cost.saturating_add(link), hops + 1)
    }

    /// The next hop of each node towards a destination.
    fn towards(&self, destination: NodeId) -> Box<[NodeId]> {
        let distances = self.distances(destination);
        let mut next = vec![NodeId::BROADCAST; self.ranks.len()];
        let order = |node: NodeId| self.ranks[node.index()];
        for (here, distance) in (0..).map(NodeId).zip(&distances) {
            let Some(distance) = *distance else { continue };
            for there in self.neighbours(here) {
                let on_best = distances[there.index()] == Some(self.beyond(distance, there, here));
                let place = &mut next[there.index()];
                if on_best && (*place == NodeId::BROADCAST || order(here) < order(*place)) {
                    *place = here;
                }
            }
        }
        next.into_boxed_slice()
    }

    /// The nodes of the best path, both ends among them; none if there is no path.
    pub(super) fn path(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let next = self.towards(to);
        let mut path = vec![from];
        while let Some(&here) = path.last().filter(|&&here| here != to) {
            match next[here.index()] {
                NodeId::BROADCAST => return Vec::new(),
                there => path.push(there),
            }
        }
        path
    }
}

/// Next hops on the best paths towards every node that a flow starts or ends at.
pub(super) fn best_paths(costs: &Costs<'_>, flows: &[Flow]) -> RouteTable {
    let mut table = RouteTable::new(costs.ranks.len());
    for destination in ends(flows) {
        table.set(destination, costs.towards(destination));
    }
    table
}

/// All next hops of shortest paths towards every node that a flow starts or ends at, first names first.
pub(super) fn all_shortest_paths(costs: &Costs<'_>, flows: &[Flow]) -> PathTable {
    let nodes = costs.ranks.len();
    let mut table = PathTable::new(nodes);
    for destination in ends(flows) {
        let hops = hops(costs, destination);
        let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); nodes];
        for here in (0..).map(NodeId).take(nodes).filter(|here| hops[here.index()] != u32::MAX) {
            for there in costs.neighbours(here) {
                if hops[there.index()] == hops[here.index()] + 1 {
                    next[there.index()].push(here);
                }
            }
        }
        for list in &mut next {
            list.sort_unstable_by_key(|node| costs.ranks[node.index()]);
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
pub(super) fn install_tables(nodes: &mut [Node], costs: &Costs<'_>, flows: &[Flow]) {
    let ends = ends(flows);
    let hops: Vec<Vec<u32>> = ends.iter().map(|&end| hops(costs, end)).collect();
    for (node, me) in nodes.iter_mut().zip((0..).map(NodeId)) {
        let Routing::Frn(frn) = node.routing_mut() else { continue };
        let mut neighbours: Vec<NodeId> = costs.neighbours(me).collect();
        neighbours.sort_unstable_by_key(|neighbour| costs.ranks[neighbour.index()]);
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
fn hops(costs: &Costs<'_>, destination: NodeId) -> Vec<u32> {
    let mut hops = vec![u32::MAX; costs.ranks.len()];
    hops[destination.index()] = 0;
    let mut ring = vec![destination];
    while !ring.is_empty() {
        let mut outer = Vec::new();
        for &here in &ring {
            for there in costs.neighbours(here) {
                if hops[there.index()] == u32::MAX {
                    hops[there.index()] = hops[here.index()] + 1;
                    outer.push(there);
                }
            }
        }
        ring = outer;
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air::{Link, LinkTable, ListedLink};

    /// Links between nodes 0, 1, 2 …, each with what it loses in its own direction.
    fn links(nodes: usize, listed: &[(u32, u32, f64)]) -> Links {
        let one = |&(from, to, loss): &(u32, u32, f64)| ListedLink {
            from: NodeId(from),
            link: Link { to: NodeId(to), power: 1.0, sensed: true, decodable: true },
            loss,
        };
        Links::listed(nodes, LinkTable::new(nodes, listed.iter().map(one)))
    }

    fn both(one: u32, other: u32, loss: f64) -> [(u32, u32, f64); 2] {
        [(one, other, loss), (other, one, loss)]
    }

    fn path(links: &Links, metric: Metric, ends: (u32, u32)) -> Vec<u32> {
        let nodes: Vec<u32> = (0..4).collect();
        let found = Costs::by(metric, links, &nodes).path(NodeId(ends.0), NodeId(ends.1));
        found.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn a_way_around_a_lossy_link_is_better_by_etx() {
        // Directly 1 / 0.3² = 11.1 transmissions, over two hops 2 / 0.9² = 2.5.
        let all = [both(0, 2, 0.7), both(0, 1, 0.1), both(1, 2, 0.1)].concat();
        let links = links(4, &all);
        assert_eq!(path(&links, Metric::Hops, (0, 2)), [0, 2]);
        assert_eq!(path(&links, Metric::Etx, (0, 2)), [0, 1, 2]);
        assert_eq!(path(&links, Metric::Etx, (2, 0)), [2, 1, 0]);
        assert_eq!(path(&links, Metric::Etx, (0, 3)), [0; 0], "nothing leads there");
    }

    #[test]
    fn equal_costs_are_settled_by_hops_and_then_by_names() {
        // One hop of ETX 2 against two of ETX 1; then two ways of the same links in another order.
        let all = [both(0, 2, 0.0), both(0, 1, 0.0), both(1, 2, 0.0)].concat();
        let halved = all.iter().map(|&(a, b, _)| (a, b, if (a, b) == (0, 2) { 0.5 } else { 0.0 }));
        assert_eq!(path(&links(4, &halved.collect::<Vec<_>>()), Metric::Etx, (0, 2)), [0, 2]);
        let two = [both(0, 2, 0.1), both(2, 3, 0.3), both(0, 1, 0.3), both(1, 3, 0.1)].concat();
        assert_eq!(path(&links(4, &two), Metric::Etx, (0, 3)), [0, 1, 3]);
    }

    /// The MAC needs the acknowledgement: what is heard in one direction alone is no way.
    #[test]
    fn a_link_of_one_direction_carries_no_path() {
        let listed = [&both(0, 1, 0.0)[..], &both(1, 2, 0.0), &[(0, 2, 0.0)]].concat();
        let links = links(4, &listed);
        for metric in [Metric::Hops, Metric::Etx] {
            assert_eq!(path(&links, metric, (0, 2)), [0, 1, 2]);
            assert_eq!(path(&links, metric, (2, 0)), [2, 1, 0]);
        }
    }

    #[test]
    fn a_link_that_never_delivers_is_taken_where_there_is_no_other() {
        let all = [both(0, 2, 1.0), both(0, 1, 0.9), both(1, 2, 0.9)].concat();
        assert_eq!(path(&links(4, &all), Metric::Etx, (0, 2)), [0, 1, 2]);
        assert_eq!(path(&links(4, &both(0, 2, 1.0)), Metric::Etx, (0, 2)), [0, 2]);
    }
}
