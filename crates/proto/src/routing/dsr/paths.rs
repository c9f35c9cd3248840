//! A cache of whole paths from this node: two lists, of what was asked for and of what was seen.

use crate::units::{NodeId, SimTime};

/// A path, this node first.
#[derive(Clone, Debug)]
struct Path {
    nodes: Vec<NodeId>,
    learnt: SimTime,
}

/// Places for paths. A new path takes the first empty place, or else the places in turn.
#[derive(Clone, Debug)]
struct List {
    places: Vec<Option<Path>>,
    limit: usize,
    next: usize,
}

impl List {
    fn put(&mut self, path: Path) {
        match self.places.iter().position(Option::is_none) {
            Some(empty) => self.places[empty] = Some(path),
            None if self.places.len() < self.limit => self.places.push(Some(path)),
            None => {
                self.next %= self.limit;
                self.places[self.next] = Some(path);
                self.next += 1;
            }
        }
    }

    /// What `nodes` adds to the list: nothing if it is in a path already, which is young again then.
    fn learn(&mut self, now: SimTime, nodes: &[NodeId]) -> bool {
        let mut paths = self.places.iter_mut().flatten();
        if let Some(path) = paths.find(|path| path.nodes.starts_with(nodes)) {
            path.learnt = now;
            return false;
        }
        let new = Path { nodes: nodes.to_vec(), learnt: now };
        match self.places.iter_mut().flatten().find(|path| nodes.starts_with(&path.nodes)) {
            Some(shorter) => *shorter = new,
            None => self.put(new),
        }
        true
    }

    /// The shortest way to `destination`, as its place and its length; of equal ones the first.
    fn find(&self, destination: NodeId) -> Option<(usize, usize)> {
        let ends = self.places.iter().enumerate().filter_map(|(place, path)| {
            let hops = path.as_ref()?.nodes.iter().position(|&node| node == destination)?;
            Some((place, hops))
        });
        ends.min_by_key(|&(_, hops)| hops)
    }

    fn part(&self, (place, hops): (usize, usize)) -> Option<&[NodeId]> {
        self.places.get(place)?.as_ref()?.nodes.get(..=hops)
    }

    /// Cuts what leads over a link; tells when each path that is cut was learnt.
    fn cut(&mut self, (from, to): (NodeId, NodeId), tell: &mut impl FnMut(SimTime)) {
        for place in &mut self.places {
            let Some(path) = place else { continue };
            if let Some(link) = path.nodes.windows(2).position(|link| link == [from, to]) {
                tell(path.learnt);
                path.nodes.truncate(link + 1);
                if link == 0 {
                    *place = None;
                }
            }
        }
    }

    fn expire(&mut self, oldest: SimTime) {
        for place in &mut self.places {
            if place.as_ref().is_some_and(|path| path.learnt < oldest) {
                *place = None;
            }
        }
    }
}

/// The cache.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    asked: List,
    seen: List,
}

impl Paths {
    pub(super) fn new(asked: u32, seen: u32) -> Self {
        let list = |limit: u32| List { places: Vec::new(), limit: limit as usize, next: 0 };
        Self { asked: list(asked), seen: list(seen) }
    }

    /// Takes in a path from this node; says whether that is news.
    pub(super) fn learn(&mut self, now: SimTime, nodes: &[NodeId], asked: bool) -> bool {
        let list = if asked { &mut self.asked } else { &mut self.seen };
        list.learn(now, nodes)
    }

    /// The shortest way to `destination`; one of those asked for if there are several. With `use_it` it is one of those
    /// from now on.
    pub(super) fn find(&mut self, destination: NodeId, use_it: bool) -> Option<Vec<NodeId>> {
        let (asked, seen) = (self.asked.find(destination), self.seen.find(destination));
        match (asked, seen) {
            (Some(own), other) if other.is_none_or(|(_, hops)| own.1 <= hops) => {
                self.asked.part(own).map(<[NodeId]>::to_vec)
            }
            (_, Some(other)) => {
                let found = self.seen.part(other).map(<[NodeId]>::to_vec)?;
                if use_it && let Some(path) = self.seen.places[other.0].take() {
                    self.asked.learn(path.learnt, &path.nodes);
                }
                Some(found)
            }
            _ => None,
        }
    }

    /// A link is broken; tells when each path over it was learnt.
    pub(super) fn cut(&mut self, link: (NodeId, NodeId), mut tell: impl FnMut(SimTime)) {
        self.asked.cut(link, &mut tell);
        self.seen.cut(link, &mut tell);
    }

    /// Forgets what was learnt before.
    pub(super) fn expire(&mut self, oldest: SimTime) {
        self.asked.expire(oldest);
        self.seen.expire(oldest);
    }
}
