//! Best paths by hops or by ETX over the links whose ends can decode each other.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use multihop_proto::routing::config::Metric;
use multihop_proto::units::NodeId;

use crate::air::{ETX, Links, etx};

/// How good the paths over some links are.
pub(crate) struct Costs<'a> {
    links: &'a Links,
    ranks: &'a [u32],
    /// ETX of each link that loses frames, by its ends, where that counts.
    lossy: HashMap<(NodeId, NodeId), u64>,
}

/// How far a node is from a destination: the metric, in parts of a hop without losses, then hops. The least is the
/// best.
type Distance = (u64, u32);

impl<'a> Costs<'a> {
    /// The costs by a metric; the nodes have these places in the order of their names.
    pub(crate) fn by(metric: Metric, links: &'a Links, ranks: &'a [u32]) -> Self {
        let lossy = match metric {
            Metric::Hops => HashMap::new(),
            Metric::Etx => etx(links.losses()),
        };
        Self { links, ranks, lossy }
    }

    /// The nodes from which frames reach a node, and which its acknowledgements reach; and those with a wire to it.
    pub(crate) fn neighbours(&self, here: NodeId) -> impl Iterator<Item = NodeId> {
        let by_radio = self.radio_neighbours(here).filter(move |&there| !self.links.is_wired(here, there));
        by_radio.chain(self.links.wired(here))
    }

    fn radio_neighbours(&self, here: NodeId) -> impl Iterator<Item = NodeId> {
        let both = move |there: &NodeId| {
            !self.links.are_listed() || self.links.reached(*there).any(|node| node == here)
        };
        self.links.reached(here).filter(both)
    }

    /// How far each node is from a destination, as the links are now; none where there is no way.
    fn distances(&self, destination: NodeId) -> Vec<Option<Distance>> {
        if self.lossy.is_empty() {
            let distance = |hops: u32| (hops != u32::MAX).then(|| (u64::from(hops) * ETX, hops));
            return self.hops(destination).into_iter().map(distance).collect();
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
    pub(crate) fn towards(&self, destination: NodeId) -> Box<[NodeId]> {
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
    pub(crate) fn path(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
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

    /// Hops from every node to a destination, as the links are now; `u32::MAX` where there is no way.
    pub(crate) fn hops(&self, destination: NodeId) -> Vec<u32> {
        let mut hops = vec![u32::MAX; self.ranks.len()];
        hops[destination.index()] = 0;
        let mut ring = vec![destination];
        while !ring.is_empty() {
            let mut outer = Vec::new();
            for &here in &ring {
                for there in self.neighbours(here) {
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

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.ranks.len()
    }

    /// The place of a node in the order of names.
    pub(crate) fn rank(&self, node: NodeId) -> u32 {
        self.ranks[node.index()]
    }

    /// Whether any link loses frames by what is known beforehand, and losses count.
    pub(crate) fn is_lossy(&self) -> bool {
        !self.lossy.is_empty()
    }

    /// Transmissions that the links of a path need on average for one frame, by the losses of both directions.
    pub(crate) fn etx(&self, path: &[NodeId]) -> f64 {
        let losses;
        let lossy = if self.lossy.is_empty() {
            losses = etx(self.links.losses());
            &losses
        } else {
            &self.lossy
        };
        let links = path.windows(2).map(|ends| lossy.get(&(ends[0], ends[1])).copied().unwrap_or(ETX));
        links.sum::<u64>() as f64 / ETX as f64
    }
}

/// Places of the nodes in the order of their names, shorter ones first: compared once, not at every link.
pub(crate) fn ranks(names: &[&str]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_unstable_by_key(|&node| (names[node].len(), names[node]));
    let mut ranks = vec![0; names.len()];
    for (node, rank) in order.into_iter().zip(0..) {
        ranks[node] = rank;
    }
    ranks
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
        Links::listed(nodes, LinkTable::new(nodes, listed.iter().map(one)), None)
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
