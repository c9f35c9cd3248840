//! The route cache: what a node knows of the ways through the network, and how long it believes it.

use super::config::{CacheKind, DsrConfig};
use super::links::LinkGraph;
use super::paths::Paths;
use crate::units::{Dur, NodeId, SimTime};

/// Nodes of the longest route: 15 hops.
pub(super) const MOST_NODES: usize = 16;
/// Weight of the mean age of broken routes in the adaptive timeout (Marina & Das 2001).
const ADAPTIVE_WEIGHT: f64 = 1.25;

#[derive(Clone, Debug)]
enum Kind {
    Paths(Paths),
    Links(LinkGraph),
}

/// How old routes were when they broke.
#[derive(Clone, Copy, Debug, Default)]
struct Broken {
    count: u64,
    ages: Dur,
    last: SimTime,
}

/// The cache of one node.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    me: NodeId,
    kind: Kind,
    timeout: Dur,
    adapts: bool,
    negative: Dur,
    broken: Broken,
    /// Links that are not believed, and until when.
    refused: Vec<((NodeId, NodeId), SimTime)>,
}

impl Cache {
    pub(super) fn new(me: NodeId, config: &DsrConfig) -> Self {
        Self {
            me,
            kind: match config.cache {
                CacheKind::Path => Kind::Paths(Paths::new(config.cache_paths, config.cache_seen)),
                CacheKind::Link => Kind::Links(LinkGraph::new(config.cache_seen)),
            },
            timeout: config.cache_timeout,
            adapts: config.cache_adapts,
            negative: config.negative_cache,
            broken: Broken::default(),
            refused: Vec::new(),
        }
    }

    /// Takes in a path that begins at this node, as far as it can be believed; says whether that is news. A path that
    /// visits a node twice is none. `asked`: it answers a search, or is in use here.
    pub(super) fn learn(&mut self, now: SimTime, path: &[NodeId], asked: bool) -> bool {
        self.refused.retain(|&(_, until)| now < until);
        let refused = |link: &[NodeId]| self.refused.iter().any(|&((from, to), _)| link == [from, to]);
        let good = path.windows(2).position(refused).map_or(path.len(), |link| link + 1);
        let path = &path[..good.min(MOST_NODES)];
        if path.len() < 2 || path[0] != self.me || visits_twice(path) {
            return false;
        }
        match &mut self.kind {
            Kind::Paths(paths) => paths.learn(now, path, asked),
            Kind::Links(links) => links.learn(now, path),
        }
    }

    /// The shortest way to `destination` that is known, both ends included. `use_it`: for a packet of this node.
    pub(super) fn find(&mut self, now: SimTime, destination: NodeId, use_it: bool) -> Option<Vec<NodeId>> {
        self.expire(now);
        let found = match &mut self.kind {
            Kind::Paths(paths) => paths.find(destination, use_it),
            Kind::Links(links) => links.find(self.me, destination),
        };
        found.filter(|path| (2..=MOST_NODES).contains(&path.len()))
    }

    /// A link is broken, in this direction.
    pub(super) fn cut(&mut self, now: SimTime, link: (NodeId, NodeId)) {
        let broken = &mut self.broken;
        let mut tell = |learnt: SimTime| {
            broken.count += 1;
            broken.ages += now.saturating_since(learnt);
            broken.last = now;
        };
        match &mut self.kind {
            Kind::Paths(paths) => paths.cut(link, tell),
            Kind::Links(links) => links.cut(link).into_iter().for_each(&mut tell),
        }
        if self.negative > Dur::ZERO {
            self.refused.retain(|&(other, until)| other != link && now < until);
            self.refused.push((link, now + self.negative));
        }
    }

    /// How long a route is believed now; zero for ever.
    pub(super) fn timeout(&self, now: SimTime) -> Dur {
        if !self.adapts || self.broken.count == 0 {
            return self.timeout;
        }
        let mean = self.broken.ages.mul_f64(ADAPTIVE_WEIGHT / self.broken.count as f64);
        mean.max(now.saturating_since(self.broken.last)).max(Dur::from_ns(1))
    }

    fn expire(&mut self, now: SimTime) {
        let timeout = self.timeout(now);
        if timeout == Dur::ZERO || now < SimTime::ZERO + timeout {
            return;
        }
        let oldest = SimTime::ZERO + (now.saturating_since(SimTime::ZERO) - timeout);
        match &mut self.kind {
            Kind::Paths(paths) => paths.expire(oldest),
            Kind::Links(links) => links.expire(oldest),
        }
    }
}

/// Whether a path visits a node twice.
pub(super) fn visits_twice(path: &[NodeId]) -> bool {
    path.iter().enumerate().any(|(place, node)| path[..place].contains(node))
}
