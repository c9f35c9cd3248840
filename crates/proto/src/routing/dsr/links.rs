//! A cache of links: what is known of the network, and the shortest path through it (RFC 4728 §4.1).

use std::collections::{BTreeMap, VecDeque};

use crate::units::{NodeId, SimTime};

/// The cache. Links of a node stand in the order in which they were learnt, so that of several shortest paths the one
/// over the links known first is taken, whatever the nodes' numbers.
#[derive(Clone, Debug)]
pub(super) struct LinkGraph {
    links: BTreeMap<NodeId, Vec<(NodeId, SimTime)>>,
    /// The order of learning, for the limit.
    order: VecDeque<(NodeId, NodeId)>,
    limit: usize,
}

impl LinkGraph {
    pub(super) const fn new(limit: u32) -> Self {
        Self { links: BTreeMap::new(), order: VecDeque::new(), limit: limit as usize }
    }

    /// Takes in the links of a path; says whether one of them is news.
    pub(super) fn learn(&mut self, now: SimTime, nodes: &[NodeId]) -> bool {
        let mut news = false;
        for link in nodes.windows(2) {
            let (from, to) = (link[0], link[1]);
            let from_here = self.links.entry(from).or_default();
            match from_here.iter_mut().find(|(node, _)| *node == to) {
                Some((_, learnt)) => *learnt = now,
                None => {
                    news = true;
                    from_here.push((to, now));
                    self.order.push_back((from, to));
                }
            }
        }
        while self.order.len() > self.limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.remove(oldest);
        }
        news
    }

    /// The shortest path.
    pub(super) fn find(&self, from: NodeId, destination: NodeId) -> Option<Vec<NodeId>> {
        let mut before = BTreeMap::from([(from, from)]);
        let mut ring = VecDeque::from([from]);
        while let Some(here) = ring.pop_front() {
            for &(there, _) in self.links.get(&here).into_iter().flatten() {
                if before.contains_key(&there) {
                    continue;
                }
                before.insert(there, here);
                if there == destination {
                    let mut path = vec![there];
                    while let Some(&node) = path.last().filter(|&&node| node != from) {
                        path.push(*before.get(&node)?);
                    }
                    path.reverse();
                    return Some(path);
                }
                ring.push_back(there);
            }
        }
        None
    }

    /// A link is broken; returns when it was learnt.
    pub(super) fn cut(&mut self, link: (NodeId, NodeId)) -> Option<SimTime> {
        self.order.retain(|other| *other != link);
        self.remove(link)
    }

    /// Forgets what was learnt before.
    pub(super) fn expire(&mut self, oldest: SimTime) {
        for (&from, links) in &mut self.links {
            let order = &mut self.order;
            links.retain(|&(to, learnt)| {
                if learnt < oldest {
                    order.retain(|other| *other != (from, to));
                }
                learnt >= oldest
            });
        }
    }

    fn remove(&mut self, (from, to): (NodeId, NodeId)) -> Option<SimTime> {
        let links = self.links.get_mut(&from)?;
        let place = links.iter().position(|&(node, _)| node == to)?;
        Some(links.remove(place).1)
    }
}
