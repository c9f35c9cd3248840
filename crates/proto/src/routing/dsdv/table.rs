//! The DSDV route table: which advertised line replaces which route, and what of it must be told on.
//!
//! Perkins and Bhagwat 1994, §3.1 (sequence rules), §3.3 (damping by settling time). The paper leaves open what is a
//! significant change; as in ns-2.35's agent a new destination, a shorter path and a neighbour that fell silent are,
//! a newer sequence number is not, whatever its metric: it goes with the next update.

use super::wire::Line;
use crate::routing::DsdvConfig;
use crate::units::{Dur, NodeId, SimTime};

/// Metric of an unreachable destination.
pub const INFINITY: u32 = u32::MAX;

/// One destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Neighbour to send to.
    pub next_hop: NodeId,
    /// Hops; [`INFINITY`] when lost.
    pub metric: u32,
    /// Destination sequence number: even from its owner, odd from the node that lost it.
    pub sequence: u32,
    /// The sequence number has not been told yet.
    new_sequence: bool,
    /// The metric differs from what the last full update said.
    new_metric: bool,
    /// Not to be told before this instant (settling).
    pub advertise_at: SimTime,
    /// When a triggered update is planned because of this route; [`SimTime::MAX`]: none.
    trigger_at: SimTime,
    /// Weighted mean of the time until the best metric of a sequence number arrives.
    settling: Dur,
    /// When the present sequence number arrived first, and when the route changed last.
    sequence_at: SimTime,
    changed_at: SimTime,
    /// Metric told last.
    told_metric: u32,
    /// How many destinations were known before this one.
    rank: u32,
}

/// What a line did to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that the machine must know.
    None,
    /// A node believes that this node is lost.
    Defend,
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

    /// The neighbour to which packets for `destination` go now.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        let route = self.route(destination)?;
        (route.metric < INFINITY).then_some(route.next_hop)
    }

    /// Takes in a line that neighbour `from` sent.
    pub fn learn(&mut self, now: SimTime, from: NodeId, line: &Line) -> Effect {
        let metric = line.metric.saturating_add(1);
        if line.destination.is_broadcast() {
            return Effect::None; // malformed: not a destination
        }
        if line.destination == self.me {
            return self.defend(line);
        }
        let Some(known) = self.route(line.destination).cloned() else {
            // A new destination settles too before it is told on: routes spread at 2 settling times a hop. A lost
            // one is no news, but is remembered.
            let at = if metric < INFINITY { now + self.settling * 2 } else { now };
            let route = Route {
                new_metric: metric < INFINITY,
                advertise_at: at,
                trigger_at: if metric < INFINITY { at } else { SimTime::MAX },
                ..self.fresh(from, metric, line.sequence, now)
            };
            self.install(line.destination, route);
            return Effect::None;
        };
        if newer(line.sequence, known.sequence) {
            self.replace(now, from, line, metric, known);
        } else if line.sequence == known.sequence && metric < known.metric {
            self.improve(now, from, line, metric, known);
        } else if newer(known.sequence, line.sequence) && line.metric == INFINITY && known.metric < INFINITY {
            // A neighbour believes in a loss that is out of date: tell it.
            let route = Route { new_metric: true, advertise_at: now, trigger_at: now, ..known };
            self.install(line.destination, route);
        }
        Effect::None
    }

    /// Puts a finite line in the place of a loss, although it is older, and says whether it was one. What was to be
    /// told about the loss is told about the line instead.
    pub fn believe(&mut self, now: SimTime, from: NodeId, line: &Line) -> bool {
        let metric = line.metric.saturating_add(1);
        let Some(known) = self.route(line.destination).filter(|known| known.metric == INFINITY) else {
            return false;
        };
        if metric == INFINITY {
            return false;
        }
        let route = Route {
            next_hop: from,
            metric,
            sequence: line.sequence,
            advertise_at: now,
            settling: self.settled(known),
            sequence_at: now,
            changed_at: now,
            ..known.clone()
        };
        self.install(line.destination, route);
        true
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
                route.new_metric = true;
                route.new_sequence = true;
                route.advertise_at = now;
                route.trigger_at = now;
                lost.push(NodeId(index as u32)); // indices are node ids
            }
        }
        lost
    }

    /// The lines of an update and whether it is a full one: all that may be told, or what has changed; what has been
    /// known longest first, so that the node that listens does not learn it in the order of the nodes' numbers.
    pub fn update(&mut self, now: SimTime, full: bool) -> (Vec<Line>, bool) {
        let me = self.me;
        let ripe = |route: &Route| route.advertise_at <= now;
        let changed = |route: &Route| (route.new_sequence || route.new_metric) && ripe(route);
        let known = self.routes.iter().flatten().count();
        let count = self.routes.iter().flatten().filter(|route| changed(route)).count();
        // When much has changed, everything is told.
        let full = full || (count * 3 > known && count > 3);
        if full && let Some(own) = &mut self.routes[me.index()] {
            own.sequence = own.sequence.wrapping_add(2);
        }
        let mut lines = Vec::with_capacity(if full { known } else { count });
        for (index, route) in self.routes.iter_mut().enumerate() {
            if let Some(route) = route
                && ((full && ripe(route)) || changed(route))
            {
                route.told_metric = route.metric;
                route.new_sequence = false;
                // Triggered updates say a new metric again and again, until a full one has said it.
                route.new_metric &= !full;
                let destination = NodeId(index as u32);
                let line = Line { destination, metric: route.metric, sequence: route.sequence };
                lines.push((route.rank, line));
            }
        }
        lines.sort_unstable_by_key(|&(rank, _)| rank);
        (lines.into_iter().map(|(_, line)| line).collect(), full)
    }

    /// When the next triggered update is planned.
    #[must_use]
    pub fn next_trigger(&self) -> SimTime {
        self.routes.iter().flatten().map(|route| route.trigger_at).min().unwrap_or(SimTime::MAX)
    }

    /// The planned update that comes first has been made. Others that are due as well stay planned.
    pub fn end_trigger(&mut self) {
        if let Some(first) = self.first_trigger() {
            *first = SimTime::MAX;
        }
    }

    /// The planned update that comes first is put off until `at`, and stands for all planned before that.
    pub fn put_off(&mut self, at: SimTime) {
        if let Some(first) = self.first_trigger() {
            *first = at;
        }
        for route in self.routes.iter_mut().flatten().filter(|route| route.trigger_at < at) {
            route.trigger_at = SimTime::MAX;
        }
    }

    /// Of several at one instant that of the destination known longest: its number must not matter.
    fn first_trigger(&mut self) -> Option<&mut SimTime> {
        let first = self.routes.iter_mut().flatten().min_by_key(|route| (route.trigger_at, route.rank));
        first.map(|route| &mut route.trigger_at)
    }

    /// A line about this node. The node that believes it lost, on whatever grounds, is told otherwise. A number that is
    /// newer than the own one goes on from there: a link to this node was lost (the number is odd, and the next even
    /// one proves that it is here), or this node has lost its memory.
    fn defend(&mut self, line: &Line) -> Effect {
        if let Some(own) = &mut self.routes[self.me.index()]
            && newer(line.sequence, own.sequence)
        {
            own.sequence = line.sequence & !1; // an update adds two
        }
        if line.metric == INFINITY { Effect::Defend } else { Effect::None }
    }

    /// The running mean of the settling time, at the end of a sequence number.
    fn settled(&self, known: &Route) -> Dur {
        let took = known.changed_at.saturating_since(known.sequence_at);
        known.settling.mul_f64(self.weight) + took.mul_f64(1.0 - self.weight)
    }

    /// A newer sequence number: taken whatever its metric, and told in the next update once it has settled.
    fn replace(&mut self, now: SimTime, from: NodeId, line: &Line, metric: u32, known: Route) {
        let settling = self.settled(&known);
        let settles = metric < INFINITY && known.metric < INFINITY;
        let route = Route {
            next_hop: from,
            metric,
            sequence: line.sequence,
            new_sequence: true,
            new_metric: metric != known.told_metric,
            advertise_at: if settles { now + settling * 2 } else { now },
            settling,
            sequence_at: now,
            changed_at: now,
            ..known
        };
        self.install(line.destination, route);
    }

    /// The same sequence number with a shorter path.
    fn improve(&mut self, now: SimTime, from: NodeId, line: &Line, metric: u32, known: Route) {
        let at = if known.metric < INFINITY { now + known.settling * 2 } else { now };
        let new_metric = metric != known.told_metric;
        let route = Route {
            next_hop: from,
            metric,
            new_metric,
            advertise_at: at,
            trigger_at: if new_metric { at } else { known.trigger_at },
            changed_at: now,
            ..known
        };
        self.install(line.destination, route);
    }

    fn fresh(&self, next_hop: NodeId, metric: u32, sequence: u32, now: SimTime) -> Route {
        Route {
            next_hop,
            metric,
            sequence,
            new_sequence: false,
            new_metric: false,
            advertise_at: now,
            trigger_at: SimTime::MAX,
            settling: self.settling,
            sequence_at: now,
            changed_at: now,
            told_metric: INFINITY,
            rank: self.routes.iter().flatten().count() as u32, // node counts are 32-bit
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
pub(super) const fn newer(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < u32::MAX / 2
}
