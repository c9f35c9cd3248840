//! The DSDV route table: which advertised line replaces which route, and what of it must be told on.
//!
//! Perkins and Bhagwat 1994, §3.1 (sequence rules), §3.3 (damping by settling time).

use std::sync::Arc;

use crate::routing::DsdvConfig;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::RouteAdvert;

/// Metric of an unreachable destination.
pub const INFINITY: u32 = u32::MAX;

/// One destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Neighbour to send to.
    pub next_hop: NodeId,
    /// Hops; [`INFINITY`] when lost.
    pub metric: u32,
    /// Destination sequence number: even from its owner, odd from who lost it.
    pub sequence: u32,
    /// Something of this line has not been told to the neighbours yet.
    pub changed: bool,
    /// And it is worth an update of its own, not only a line in the next one.
    urgent: bool,
    /// Not to be told before this instant (settling).
    pub advertise_at: SimTime,
    /// Weighted mean of the time until the best metric of a sequence number arrives.
    settling: Dur,
    /// When the present sequence number arrived first, and when the route changed last.
    sequence_at: SimTime,
    changed_at: SimTime,
    /// Metric told last.
    told_metric: u32,
}

/// What a line did to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing worth telling.
    None,
    /// Tell the neighbours at this instant (a triggered update).
    TellAt(SimTime),
}

/// All routes of one node, by destination.
#[derive(Clone, Debug)]
pub struct Table {
    me: NodeId,
    routes: Vec<Option<Route>>,
    settling: Dur,
    weight: f64,
}

impl Table {
    /// A table that knows its owner only.
    #[must_use]
    pub fn new(me: NodeId, config: &DsdvConfig) -> Self {
        let mut table =
            Self { me, routes: Vec::new(), settling: config.settling, weight: config.settling_weight };
        table.install(me, Route { next_hop: me, metric: 0, ..table.fresh(me, 0, 0, SimTime::ZERO) });
        table
    }

    /// The route to a destination, lost ones included.
    #[inline]
    #[must_use]
    pub fn route(&self, destination: NodeId) -> Option<&Route> {
        self.routes.get(destination.index())?.as_ref()
    }

    /// Takes in a line that neighbour `from` sent.
    pub fn learn(&mut self, now: SimTime, from: NodeId, line: &RouteAdvert) -> Effect {
        let metric = line.metric.saturating_add(1);
        if line.destination.is_broadcast() {
            return Effect::None; // malformed: not a destination
        }
        if line.destination == self.me {
            return self.defend(now, line);
        }
        let Some(known) = self.route(line.destination).cloned() else {
            if metric < INFINITY {
                // A new destination settles too before it is told on: routes spread at 2 settling times a hop.
                let at = now + self.settling * 2;
                let route = Route {
                    changed: true,
                    urgent: true,
                    advertise_at: at,
                    ..self.fresh(from, metric, line.sequence, now)
                };
                self.install(line.destination, route);
                return Effect::TellAt(at);
            }
            return Effect::None;
        };
        if newer(line.sequence, known.sequence) {
            return self.replace(now, from, line, metric, &known);
        }
        if line.sequence == known.sequence && metric < known.metric {
            return self.improve(now, from, line, metric, &known);
        }
        if newer(known.sequence, line.sequence) && line.metric == INFINITY && known.metric < INFINITY {
            // A neighbour believes in a loss that is out of date: tell it.
            return self.tell(line.destination, now);
        }
        Effect::None
    }

    /// The link to a neighbour is gone: every route through it is lost (odd sequence number).
    pub fn lose(&mut self, now: SimTime, neighbour: NodeId) -> Vec<NodeId> {
        let me = self.me;
        let mut lost = Vec::new();
        for (index, route) in self.routes.iter_mut().enumerate() {
            if let Some(route) = route
                && route.next_hop == neighbour
                && route.metric < INFINITY
                && index != me.index()
            {
                route.metric = INFINITY;
                route.sequence = route.sequence.wrapping_add(1);
                route.changed = true;
                route.urgent = true;
                route.advertise_at = now;
                route.changed_at = now;
                lost.push(NodeId(index as u32)); // indices are node ids
            }
        }
        lost
    }

    /// The lines of an update: all that may be told (`full`), or what has changed. Marks them as told.
    pub fn update(&mut self, now: SimTime, full: bool) -> Arc<[RouteAdvert]> {
        let me = self.me;
        let ripe = |route: &Route| route.advertise_at <= now;
        let known = self.routes.iter().flatten().count();
        let changed = self.routes.iter().flatten().filter(|route| route.changed && ripe(route)).count();
        let full = full || changed * 3 > known;
        if full && let Some(own) = &mut self.routes[me.index()] {
            own.sequence = own.sequence.wrapping_add(2);
        }
        let mut lines = Vec::with_capacity(if full { known } else { changed });
        for (index, route) in self.routes.iter_mut().enumerate() {
            if let Some(route) = route
                && ((full && ripe(route)) || (route.changed && ripe(route)))
            {
                route.changed = false;
                route.urgent = false;
                route.told_metric = route.metric;
                let destination = NodeId(index as u32);
                lines.push(RouteAdvert { destination, metric: route.metric, sequence: route.sequence });
            }
        }
        lines.into()
    }

    /// The earliest instant at which something urgent may be told.
    #[must_use]
    pub fn next_change(&self) -> Option<SimTime> {
        self.routes.iter().flatten().filter(|route| route.urgent).map(|route| route.advertise_at).min()
    }

    /// Somebody knows a newer number of this node, which goes on from there: a link to it was lost (the number is
    /// odd, and a newer even one proves that it is here), or it has lost its memory.
    fn defend(&mut self, now: SimTime, line: &RouteAdvert) -> Effect {
        match &mut self.routes[self.me.index()] {
            Some(own) if newer(line.sequence, own.sequence) => {
                own.sequence = line.sequence.wrapping_add(1) & !1;
                if line.metric == INFINITY { self.tell(self.me, now) } else { Effect::None }
            }
            _ => Effect::None,
        }
    }

    /// A newer sequence number: taken whatever its metric; told on when it has settled.
    fn replace(
        &mut self,
        now: SimTime,
        from: NodeId,
        line: &RouteAdvert,
        metric: u32,
        known: &Route,
    ) -> Effect {
        let took = known.changed_at.saturating_since(known.sequence_at);
        let settling = known.settling.mul_f64(self.weight) + took.mul_f64(1.0 - self.weight);
        let lost_or_found = (metric == INFINITY) != (known.metric == INFINITY);
        let at = if lost_or_found { now } else { now + settling * 2 };
        let urgent = lost_or_found || metric != known.told_metric;
        let route = Route {
            settling,
            changed: true,
            urgent,
            advertise_at: at,
            told_metric: known.told_metric,
            ..self.fresh(from, metric, line.sequence, now)
        };
        self.install(line.destination, route);
        if urgent { Effect::TellAt(at) } else { Effect::None }
    }

    /// The same sequence number with a shorter path.
    fn improve(
        &mut self,
        now: SimTime,
        from: NodeId,
        line: &RouteAdvert,
        metric: u32,
        known: &Route,
    ) -> Effect {
        let at = (known.sequence_at + known.settling * 2).max(now);
        let route = Route {
            next_hop: from,
            metric,
            changed: true,
            urgent: known.urgent || metric < known.told_metric,
            advertise_at: at,
            changed_at: now,
            ..known.clone()
        };
        self.install(line.destination, route);
        if metric < known.told_metric { Effect::TellAt(at) } else { Effect::None }
    }

    fn tell(&mut self, destination: NodeId, now: SimTime) -> Effect {
        if let Some(Some(route)) = self.routes.get_mut(destination.index()) {
            route.changed = true;
            route.urgent = true;
            route.advertise_at = now;
        }
        Effect::TellAt(now)
    }

    fn fresh(&self, next_hop: NodeId, metric: u32, sequence: u32, now: SimTime) -> Route {
        Route {
            next_hop,
            metric,
            sequence,
            changed: false,
            urgent: false,
            advertise_at: now,
            settling: self.settling,
            sequence_at: now,
            changed_at: now,
            told_metric: INFINITY,
        }
    }

    fn install(&mut self, destination: NodeId, route: Route) {
        if self.routes.len() <= destination.index() {
            self.routes.resize(destination.index() + 1, None);
        }
        self.routes[destination.index()] = Some(route);
    }
}

/// Whether `a` is newer than `b`, over the wrap.
const fn newer(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < u32::MAX / 2
}
