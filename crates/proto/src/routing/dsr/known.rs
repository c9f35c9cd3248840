//! What a node believes of routes, and what it has told the layers above.

use super::cache::Cache;
use super::config::{DsrConfig, Learn};
use crate::contract::{Notice, Sink};
use crate::routing::contract::Action;
use crate::units::{NodeId, SimTime};

/// The routes of one node. It tells when a destination that is watched becomes reachable or unreachable.
#[derive(Debug)]
pub(super) struct Known {
    me: NodeId,
    learn: Learn,
    cache: Cache,
    /// Destinations of packets that were here, and whether there is a route to them.
    watched: Vec<(NodeId, bool)>,
    lost: u64,
}

impl Known {
    /// Nothing is known.
    pub(super) fn new(me: NodeId, config: &DsrConfig) -> Self {
        Self { me, learn: config.learn, cache: Cache::new(me, config), watched: Vec::new(), lost: 0 }
    }

    /// The shortest way to a destination, both ends included. `use_it`: for a packet of this node.
    pub(super) fn find(&mut self, now: SimTime, destination: NodeId, use_it: bool) -> Option<Vec<NodeId>> {
        self.cache.find(now, destination, use_it)
    }

    /// The same; asking changes nothing.
    pub(super) fn way_to(&self, now: SimTime, destination: NodeId) -> Option<Vec<NodeId>> {
        self.cache.clone().find(now, destination, false)
    }

    /// How often a destination became unreachable.
    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }

    /// The node wants to know when there is a route to a destination, or none any more. `has`: whether there is one.
    pub(super) fn watch(&mut self, destination: NodeId, has: bool) {
        if !self.watched.iter().any(|&(node, _)| node == destination) {
            self.watched.push((destination, has));
        }
    }

    /// Learns a path that begins at this node. `asked`: it answers a search, or is in use here.
    pub(super) fn learn(
        &mut self,
        now: SimTime,
        path: &[NodeId],
        asked: bool,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        if self.cache.learn(now, path, asked) {
            self.tell_changes(now, out);
        }
    }

    /// Learns from a path on which this node has the place `here`: the part that leads on, and maybe the one back.
    pub(super) fn learn_along(
        &mut self,
        now: SimTime,
        path: &[NodeId],
        here: usize,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        let onward = path.get(here..).unwrap_or_default();
        let back = path.iter().take(here + 1).rev().copied();
        self.learn_both(now, onward, back, out);
    }

    /// Learns from the route of a packet that the neighbour `from` sent to another node.
    pub(super) fn learn_overheard(
        &mut self,
        now: SimTime,
        path: &[NodeId],
        from: NodeId,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        if let Some(here) = path.iter().position(|&node| node == self.me) {
            return self.learn_along(now, path, here, out);
        }
        let Some(there) = path.iter().position(|&node| node == from) else { return };
        let onward: Vec<NodeId> = std::iter::once(self.me).chain(path[there..].iter().copied()).collect();
        let back = std::iter::once(self.me).chain(path[..=there].iter().rev().copied());
        self.learn_both(now, &onward, back, out);
    }

    /// Learns from a reply to another node, if this one is on its route.
    pub(super) fn learn_reply(
        &mut self,
        now: SimTime,
        initiator: NodeId,
        reply: &[NodeId],
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        let path: Vec<NodeId> = std::iter::once(initiator).chain(reply.iter().copied()).collect();
        if let Some(here) = path.iter().position(|&node| node == self.me) {
            self.learn_along(now, &path, here, out);
        }
    }

    fn learn_both(
        &mut self,
        now: SimTime,
        onward: &[NodeId],
        back: impl Iterator<Item = NodeId>,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        let mut news = self.cache.learn(now, onward, false);
        if self.learn == Learn::Both {
            news |= self.cache.learn(now, &back.collect::<Vec<_>>(), false);
        }
        if news {
            self.tell_changes(now, out);
        }
    }

    /// A link is broken: nothing leads over it any more.
    pub(super) fn cut(
        &mut self,
        now: SimTime,
        link: (NodeId, NodeId),
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        self.cache.cut(now, link);
        self.tell_changes(now, out);
    }

    fn tell_changes(&mut self, now: SimTime, out: &mut (impl Sink<Action> + ?Sized)) {
        for (destination, had) in &mut self.watched {
            let path = self.cache.find(now, *destination, false);
            match (&path, *had) {
                (Some(path), false) => out.put(found(path, *destination)),
                (None, true) => {
                    self.lost += 1;
                    out.put(Action::Notice(Notice::RouteLost { destination: *destination }));
                }
                _ => {}
            }
            *had = path.is_some();
        }
    }

    /// Everything is forgotten but how much was lost.
    pub(super) fn clear(&mut self, config: &DsrConfig) {
        *self = Self { lost: self.lost, ..Self::new(self.me, config) };
    }

    /// What it is that tests let it know.
    #[cfg(test)]
    pub(super) const fn cache(&mut self) -> &mut Cache {
        &mut self.cache
    }
}

/// The notice that there is a route.
pub(super) fn found(path: &[NodeId], destination: NodeId) -> Action {
    let hops = u32::try_from(path.len() - 1).unwrap_or(u32::MAX);
    Action::Notice(Notice::RouteFound { destination, hops })
}
