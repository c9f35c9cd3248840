//! AODV's route table, RFC 3561 §6.1, §6.2: which news replaces which route, how long routes live, which node uses
//! them.
//!
//! Lifetimes end by themselves: an entry is brought up to date when it is looked at.

use super::config::AodvConfig;
use crate::units::{Dur, NodeId, SimTime};

/// Hops of a route that is no more.
pub(super) const INFINITY: u8 = 255;
/// No place in the list of entries.
const NOWHERE: u32 = u32::MAX;

/// What an entry is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Packets are sent along it.
    Valid,
    /// A relay mends it; packets wait.
    Repairing,
    /// It is broken, has expired, or never was; what is known of it serves the next search.
    Invalid,
}

/// What is known of a destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Until when it is valid, if it is not used; when it is forgotten, if it is invalid.
    pub expires: SimTime,
    /// Neighbour to send to.
    pub next_hop: NodeId,
    /// Whether it can be used.
    pub state: State,
    /// Hops; [`INFINITY`] when invalid.
    pub hops: u8,
    /// Hops when it was valid last; [`INFINITY`] if it never was, or that is forgotten.
    pub last_hops: u8,
    /// The destination's sequence number, if one is known.
    pub sequence: Option<u32>,
    /// Whether the route is one that the destination has given this number for (the valid destination sequence number
    /// flag of RFC 3561 §2). Not so of a neighbour that was only heard after its route had broken: the number, raised
    /// at the break, is this node's own.
    pub sequence_valid: bool,
    /// Its address.
    pub destination: NodeId,
    /// Neighbours that send through this node to the destination.
    pub precursors: Vec<NodeId>,
}

/// News of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// The neighbour that it leads through.
    pub next_hop: NodeId,
    /// Hops by way of it.
    pub hops: u8,
    /// The destination's sequence number.
    pub sequence: u32,
    /// Until when it stands.
    pub expires: SimTime,
}

/// All that one node knows, in the order in which it learnt of the destinations: their numbers must not matter.
#[derive(Clone, Debug)]
pub struct Table {
    places: Vec<u32>,
    routes: Vec<Route>,
    tick: Dur,
    delete: Dur,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub const fn new(config: &AodvConfig) -> Self {
        Self { places: Vec::new(), routes: Vec::new(), tick: config.purge, delete: config.delete_period }
    }

    /// The next hop of a valid route, which now lives until `until` at least.
    #[inline]
    pub fn use_route(&mut self, now: SimTime, destination: NodeId, until: SimTime) -> Option<NodeId> {
        let place = *self.places.get(destination.index())?;
        let tick = self.tick;
        let route = self.routes.get_mut(place as usize)?;
        if !alive(route, now, tick) {
            return None;
        }
        route.expires = route.expires.max(until);
        Some(route.next_hop)
    }

    /// The next hop of a valid route. Asking changes nothing.
    #[must_use]
    pub fn next_hop(&self, now: SimTime, destination: NodeId) -> Option<NodeId> {
        let route = self.routes.get(*self.places.get(destination.index())? as usize)?;
        alive(route, now, self.tick).then_some(route.next_hop)
    }

    /// An entry as it stands now, if there is one.
    pub fn get(&mut self, now: SimTime, destination: NodeId) -> Option<&mut Route> {
        let place = *self.places.get(destination.index())? as usize;
        if place < self.routes.len() {
            self.settle(now, place);
        }
        self.routes.get_mut(place)
    }

    /// A valid route.
    pub fn valid(&mut self, now: SimTime, destination: NodeId) -> Option<&mut Route> {
        self.get(now, destination).filter(|route| route.state == State::Valid)
    }

    /// An entry as it stands now; made if there is none.
    pub fn entry(&mut self, now: SimTime, destination: NodeId) -> &mut Route {
        if self.places.len() <= destination.index() {
            self.places.resize(destination.index() + 1, NOWHERE);
        }
        let mut place = self.places[destination.index()] as usize;
        if place >= self.routes.len() {
            place = self.routes.len();
            self.places[destination.index()] = place as u32; // node counts are 32-bit
            self.routes.push(Route {
                expires: SimTime::MAX,
                next_hop: NodeId::BROADCAST,
                state: State::Invalid,
                hops: INFINITY,
                last_hops: INFINITY,
                sequence: None,
                sequence_valid: false,
                destination,
                precursors: Vec::new(),
            });
        } else {
            self.settle(now, place);
        }
        &mut self.routes[place]
    }

    /// All entries, brought up to date.
    pub fn all(&mut self, now: SimTime) -> impl Iterator<Item = &mut Route> {
        for place in 0..self.routes.len() {
            self.settle(now, place);
        }
        self.routes.iter_mut()
    }

    /// Takes news, if they are newer than what is known, or as new and better (RFC 3561 §6.2), or as new as a number
    /// that is not valid (§6.7); `revives` if news that are as new are better than a broken route whatever their hops.
    /// Returns whether they were taken, and whether there was no valid route before.
    pub fn learn(&mut self, now: SimTime, destination: NodeId, news: News, revives: bool) -> (bool, bool) {
        let route = self.entry(now, destination);
        let broken = route.state != State::Valid;
        let better = match route.sequence {
            None => true,
            Some(known) if known == news.sequence => {
                let unconfirmed = !broken && !route.sequence_valid;
                news.hops < route.hops || (revives && broken) || unconfirmed
            }
            Some(known) => newer(news.sequence, known),
        };
        if better {
            let News { next_hop, hops, sequence, expires } = news;
            route.set(next_hop, hops, expires);
            (route.sequence, route.sequence_valid) = (Some(sequence), true);
        }
        (better, better && broken)
    }

    /// A message has come from a neighbour: there is a route of one hop to it, without a valid sequence number if it is
    /// a new one (RFC 3561 §6.5, §6.7). Returns whether there was no valid route before.
    pub fn hear(&mut self, now: SimTime, neighbour: NodeId, until: SimTime) -> bool {
        let route = self.entry(now, neighbour);
        let broken = route.state != State::Valid;
        if broken || route.hops > 1 {
            route.set(neighbour, 1, until);
            route.sequence_valid &= !broken;
        } else {
            route.expires = route.expires.max(until);
        }
        broken
    }

    /// Makes a route invalid; its number, if one is known, goes one further (RFC 3561 §6.11).
    pub fn invalidate(&mut self, now: SimTime, destination: NodeId) {
        let delete = self.delete;
        self.entry(now, destination).invalidate(now, delete);
    }

    /// How long invalid entries are kept; 0: for ever.
    #[must_use]
    pub const fn delete_period(&self) -> Dur {
        self.delete
    }

    /// Ends what has ended by now.
    fn settle(&mut self, now: SimTime, place: usize) {
        let (tick, delete) = (self.tick, self.delete);
        let route = &mut self.routes[place];
        if route.state == State::Valid && !alive(route, now, tick) {
            let ended = route.expires;
            route.invalidate(ended, delete);
        }
        if route.state == State::Invalid && now >= route.expires {
            route.sequence = None;
            route.last_hops = INFINITY;
            route.precursors.clear();
            route.expires = SimTime::MAX;
        }
    }
}

impl Route {
    /// A valid route.
    fn set(&mut self, next_hop: NodeId, hops: u8, expires: SimTime) {
        self.state = State::Valid;
        (self.next_hop, self.hops, self.expires) = (next_hop, hops, expires);
    }

    /// Makes it invalid at `now`, to be forgotten `delete` later.
    pub fn invalidate(&mut self, now: SimTime, delete: Dur) {
        if self.state != State::Invalid {
            self.state = State::Invalid;
            self.last_hops = self.hops;
            self.hops = INFINITY;
            self.sequence = self.sequence.map(|number| number.wrapping_add(1));
            self.expires = if delete == Dur::ZERO { SimTime::MAX } else { now + delete };
        }
    }

    /// Notes that a neighbour sends through this node.
    pub fn add_precursor(&mut self, neighbour: NodeId) {
        if !self.precursors.contains(&neighbour) {
            self.precursors.push(neighbour);
        }
    }
}

/// Whether a route is valid at `now`: with a tick, until the first one after its end.
#[inline]
fn alive(route: &Route, now: SimTime, tick: Dur) -> bool {
    route.state == State::Valid
        && (now < route.expires || (tick > Dur::ZERO && now < after(route.expires, tick)))
}

/// The first multiple of `tick` after `at`.
pub(super) fn after(at: SimTime, tick: Dur) -> SimTime {
    SimTime::from_ns((at.as_ns() / tick.as_ns() + 1).saturating_mul(tick.as_ns()))
}

/// Whether sequence number `a` is newer than `b`, over the wrap (RFC 3561 §6.1).
pub(super) const fn newer(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}
