//! Looking for routes: which ring is asked, how long a reply is waited for, when a search is given up. RFC 3561 §6.3,
//! §6.4; ns-2.35's rules beside them.

use std::collections::VecDeque;

use super::config::{AodvConfig, FirstTtl, RreqWait};
use super::table::{INFINITY, after};
use crate::units::{Dur, NodeId, SimTime};

/// Longest wait for a reply where waits are measured.
const LONGEST_WAIT: Dur = Dur::from_secs(10);

/// The search for one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) destination: NodeId,
    /// A request is out, or waits until one may be sent.
    pub(super) running: bool,
    /// No further request before this.
    pub(super) until: SimTime,
    /// Requests through the whole network so far.
    pub(super) tries: u32,
    /// Hop limit of the last request; where waits are measured also the hops of the last route found.
    pub(super) ttl: u8,
    /// A relay mends its route (RFC 3561 §6.12): one request, and no other.
    pub(super) repair: bool,
    /// Hops of the route that it mends.
    pub(super) repairs_hops: u8,
    asked_at: SimTime,
    /// Time a hop in the last searches; zero: none.
    latencies: [Dur; 3],
    next_latency: usize,
}

impl Search {
    pub(super) const fn new(destination: NodeId) -> Self {
        Self {
            destination,
            running: false,
            until: SimTime::ZERO,
            tries: 0,
            ttl: 0,
            repair: false,
            repairs_hops: 0,
            asked_at: SimTime::ZERO,
            latencies: [Dur::ZERO; 3],
            next_latency: 0,
        }
    }

    /// Whether it has found nothing and must not ask again.
    pub(super) const fn exhausted(&self, config: &AodvConfig) -> bool {
        self.tries > config.rreq_retries
    }

    /// The next request goes out now: its hop limit. `last_hops`: of the route that was lost.
    pub(super) fn ask(&mut self, now: SimTime, last_hops: u8, config: &AodvConfig) -> u8 {
        let AodvConfig { diameter, ttl_start, ttl_increment, ttl_threshold, .. } = *config;
        let ring = match config.first_ttl {
            FirstTtl::Start => {
                let wider = match (self.ttl, last_hops) {
                    (0, INFINITY) => ttl_start,
                    (0, hops) => hops.saturating_add(ttl_increment),
                    (last, _) => last.saturating_add(ttl_increment),
                };
                (wider <= ttl_threshold).then_some(wider)
            }
            FirstTtl::Diameter => {
                let last = self.ttl.max(last_hops);
                (last < ttl_threshold).then(|| last + ttl_increment)
            }
        };
        let ttl = ring.unwrap_or(diameter).min(diameter);
        self.tries += u32::from(ring.is_none());
        self.ttl = ttl;
        let wait = match config.rreq_wait {
            RreqWait::Fixed if ring.is_some() => config.ring_traversal(ttl),
            RreqWait::Fixed => config.net_traversal() * (1 << (self.tries - 1).min(16)),
            RreqWait::Measured => {
                let hop = self.hop_time().unwrap_or(config.node_traversal);
                (hop * (2 * u64::from(ttl) * u64::from(self.tries.max(1)))).min(LONGEST_WAIT)
            }
        };
        (self.running, self.until, self.asked_at) = (true, now + wait, now);
        ttl
    }

    /// The one request of a relay that mends a route.
    pub(super) fn ask_once(&mut self, now: SimTime, ttl: u8, config: &AodvConfig) {
        (self.running, self.until, self.asked_at) = (true, now + config.ring_traversal(ttl), now);
    }

    /// A route of so many hops was found.
    pub(super) fn found(&mut self, hops: u8, config: &AodvConfig) {
        self.end();
        if config.first_ttl == FirstTtl::Diameter {
            self.ttl = hops;
        }
        self.until = SimTime::ZERO;
    }

    /// Nothing was found: a pause.
    pub(super) fn fail(&mut self, now: SimTime, config: &AodvConfig) {
        let ttl = self.ttl;
        self.end();
        if config.first_ttl == FirstTtl::Diameter {
            self.ttl = ttl;
        }
        self.until = now + config.rreq_hold;
    }

    fn end(&mut self) {
        (self.running, self.repair, self.tries, self.ttl) = (false, false, 0, 0);
    }

    /// The reply to this node's own request has come over so many hops.
    pub(super) fn measure(&mut self, now: SimTime, hops: u8) {
        let took = now.saturating_since(self.asked_at);
        self.latencies[self.next_latency] = Dur::from_ns(took.as_ns() / u64::from(hops.max(1)));
        self.next_latency = (self.next_latency + 1) % self.latencies.len();
    }

    fn hop_time(&self) -> Option<Dur> {
        let measured = self.latencies.iter().filter(|took| **took > Dur::ZERO);
        let sum: u64 = measured.clone().map(|took| took.as_ns()).sum();
        sum.checked_div(measured.count() as u64).map(Dur::from_ns)
    }
}

/// The searches of a node, and the requests that it may send.
#[derive(Clone, Debug)]
pub(super) struct Searches {
    all: Vec<Search>,
    limit: Limit,
    /// Number of the last request.
    last: u32,
    /// ns-2's next tick, while packets wait.
    tick: SimTime,
}

impl Searches {
    /// None; at most so many requests in any second.
    pub(super) const fn new(limit: u32) -> Self {
        Self { all: Vec::new(), limit: Limit::new(limit), last: 0, tick: SimTime::MAX }
    }

    /// The search for a destination, as it stands.
    pub(super) fn get(&self, destination: NodeId) -> Option<&Search> {
        self.all.iter().find(|search| search.destination == destination)
    }

    /// The search for a destination if there has been one.
    pub(super) fn get_mut(&mut self, destination: NodeId) -> Option<&mut Search> {
        self.all.iter_mut().find(|search| search.destination == destination)
    }

    /// The search for a destination, a new one if there is none.
    pub(super) fn of(&mut self, destination: NodeId) -> &mut Search {
        let known = self.all.iter().position(|search| search.destination == destination);
        let place = known.unwrap_or_else(|| {
            self.all.push(Search::new(destination));
            self.all.len() - 1
        });
        &mut self.all[place]
    }

    /// Whether a destination is searched for.
    pub(super) fn is_running(&self, destination: NodeId) -> bool {
        self.get(destination).is_some_and(|search| search.running)
    }

    /// Those whose wait has ended.
    pub(super) fn ended(&self, now: SimTime) -> Vec<Search> {
        self.all.iter().filter(|search| search.running && search.until <= now).copied().collect()
    }

    /// When the next request may go: `now`, or later.
    pub(super) fn next_request(&mut self, now: SimTime) -> SimTime {
        self.limit.next(now)
    }

    /// A request goes: its number.
    pub(super) fn number(&mut self, now: SimTime) -> u32 {
        self.limit.count(now);
        self.last = self.last.wrapping_add(1);
        self.last
    }

    /// Whether ns-2's tick has come; the next one is set by [`Self::wakes`].
    pub(super) fn ticks(&mut self, now: SimTime) -> bool {
        let due = self.tick <= now;
        if due {
            self.tick = SimTime::MAX;
        }
        due
    }

    /// When something is to be done next: at the end of a wait, or every `purge` while packets wait, if it is not zero.
    pub(super) fn wakes(&mut self, now: SimTime, purge: Dur, packets_wait: bool) -> SimTime {
        if purge == Dur::ZERO {
            let running = self.all.iter().filter(|search| search.running);
            return running.map(|search| search.until).min().unwrap_or(SimTime::MAX);
        }
        if !packets_wait {
            self.tick = SimTime::MAX;
        } else if self.tick == SimTime::MAX {
            self.tick = after(now, purge);
        }
        // What happens at the very instant of a tick, before it, does not put it off.
        self.tick
    }

    /// Ends all searches.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }
}

/// At most so many in any second; 0: no limit.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    per_second: u32,
    sent: VecDeque<SimTime>,
}

impl Limit {
    pub(super) const fn new(per_second: u32) -> Self {
        Self { per_second, sent: VecDeque::new() }
    }

    /// When the next one may go: `now`, or later.
    pub(super) fn next(&mut self, now: SimTime) -> SimTime {
        let second = Dur::from_secs(1);
        while self.sent.front().is_some_and(|&at| at + second <= now) {
            self.sent.pop_front();
        }
        match self.sent.front() {
            Some(&oldest) if self.sent.len() >= self.per_second as usize => oldest + second,
            _ => now,
        }
    }

    /// One has gone.
    pub(super) fn count(&mut self, now: SimTime) {
        if self.per_second > 0 {
            self.sent.push_back(now);
        }
    }
}
