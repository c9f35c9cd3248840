//! The request table (RFC 4728 §4.3): searches of this node, and requests of others that have been here.

use std::collections::{BTreeMap, VecDeque};

use super::config::DsrConfig;
use super::wire::{Header, NO_NEXT_HEADER, Request, RouteError, Trouble};
use crate::units::{Dur, NodeId, SimTime};

/// Time within which an error goes with the next request.
const FRESH: Dur = Dur::from_secs(1);

/// The requests of a node: their numbers, and the errors that go with them.
#[derive(Debug, Default)]
pub(super) struct Requests {
    last_id: u16,
    /// The last error that reached this node, and when.
    last_error: Option<(SimTime, RouteError)>,
}

impl Requests {
    /// The next one; `passed_on`: neighbours pass it on.
    pub(super) fn next(&mut self, now: SimTime, target: NodeId, passed_on: bool) -> Header {
        self.last_id = self.last_id.wrapping_add(1);
        let fresh = self.last_error.filter(|&(at, _)| now.saturating_since(at) < FRESH);
        if passed_on {
            self.last_error = None;
        }
        Header {
            next: NO_NEXT_HEADER,
            request: Some(Request { id: self.last_id, target, addresses: Vec::new() }),
            errors: fresh.map(|(_, error)| error).into_iter().collect(),
            ..Header::default()
        }
    }

    /// Errors have come that are for this node: its next requests tell of the first broken link among them.
    pub(super) fn note_errors(&mut self, now: SimTime, errors: &[RouteError]) {
        let broken = |error: &&RouteError| matches!(error.what, Trouble::Unreachable(_));
        if let Some(error) = errors.iter().find(broken) {
            self.last_error = Some((now, *error));
        }
    }

    /// The node goes down; numbers go on.
    pub(super) const fn clear(&mut self) {
        self.last_error = None;
    }

    /// Whether an error may go with the next request.
    #[cfg(test)]
    pub(super) const fn has_error(&self) -> bool {
        self.last_error.is_some()
    }
}

/// A search for a destination, since the last reply about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Search {
    target: NodeId,
    /// Cycles begun.
    cycles: u32,
    /// When the last began.
    last: SimTime,
    /// Whether its request has not been passed on, so that one that is has still to follow.
    ring: bool,
}

/// What a search does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It waits.
    Wait,
    /// It sends a request that is not passed on.
    Ring,
    /// It sends a request through the network.
    Flood,
    /// It has been in vain too often.
    GiveUp,
}

/// For whose packets a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// Some are of this node.
    Own,
    /// All are of other nodes: they are worth one request that is not passed on. Each time that another would be due
    /// one of them is lost instead.
    Others,
}

/// The searches of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Searches(Vec<Search>);

impl Searches {
    /// What is to be done for a packet to `target`.
    pub(super) fn step(&mut self, now: SimTime, target: NodeId, whose: For, config: &DsrConfig) -> Step {
        let place = self.0.iter().position(|search| search.target == target);
        let mut search = place.map_or(Search { target, cycles: 0, last: now, ring: false }, |at| self.0[at]);
        let own = whose == For::Own;
        let step = if now >= search.last + wait(search.cycles, config) {
            if own && config.request_retries > 0 && search.cycles >= config.request_retries {
                self.found(target); // the next packet begins anew
                return Step::GiveUp;
            }
            search.cycles += 1;
            search.last = now;
            search.ring = config.ring_zero;
            match (own, search.cycles) {
                (true, _) if !search.ring => Step::Flood,
                (true, _) | (false, 1) => Step::Ring,
                (false, _) => Step::GiveUp,
            }
        } else if own && search.ring && now >= search.last + config.ring_zero_timeout {
            search.ring = false;
            Step::Flood
        } else {
            Step::Wait
        };
        match place {
            Some(at) => self.0[at] = search,
            None => self.0.push(search),
        }
        step
    }

    /// When the next step for a packet to `target` is due.
    pub(super) fn due(&self, target: NodeId, own: bool, config: &DsrConfig) -> SimTime {
        let Some(search) = self.0.iter().find(|search| search.target == target) else { return SimTime::ZERO };
        let cycle = search.last + wait(search.cycles, config);
        if own && search.ring { cycle.min(search.last + config.ring_zero_timeout) } else { cycle }
    }

    /// Whether there is a search for `target`.
    pub(super) fn has(&self, target: NodeId) -> bool {
        self.0.iter().any(|search| search.target == target)
    }

    /// A reply about `target` has come.
    pub(super) fn found(&mut self, target: NodeId) {
        self.0.retain(|search| search.target != target);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Time from the beginning of a cycle to that of the next, after so many.
fn wait(cycles: u32, config: &DsrConfig) -> Dur {
    if cycles == 0 {
        return Dur::ZERO;
    }
    let mut wait = config.request_period;
    for _ in 1..cycles {
        if wait >= config.max_request_period {
            break;
        }
        wait = wait * u64::from(config.request_backoff);
    }
    wait.min(config.max_request_period)
}

/// Requests of others that have been here.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// By initiator: when it was heard last, counted in requests, and its last identifications.
    of: BTreeMap<NodeId, (u64, VecDeque<u16>)>,
    requests: u64,
    ids: usize,
    initiators: usize,
}

impl Seen {
    pub(super) const fn new(config: &DsrConfig) -> Self {
        Self {
            of: BTreeMap::new(),
            requests: 0,
            ids: config.request_ids as usize,
            initiators: config.request_table as usize,
        }
    }

    /// Whether a request has been here, or is older than the only one that is remembered.
    pub(super) fn has(&self, initiator: NodeId, id: u16) -> bool {
        let Some((_, ids)) = self.of.get(&initiator) else { return false };
        match (self.ids, ids.back()) {
            (1, Some(highest)) => id.wrapping_sub(*highest).cast_signed() <= 0,
            _ => ids.contains(&id),
        }
    }

    /// A request is here for the first time.
    pub(super) fn note(&mut self, initiator: NodeId, id: u16) {
        self.requests += 1;
        let (last, ids) = self.of.entry(initiator).or_default();
        *last = self.requests;
        ids.push_back(id);
        if ids.len() > self.ids {
            ids.pop_front();
        }
        if self.of.len() > self.initiators
            && let Some(oldest) = self.of.iter().min_by_key(|(_, (last, _))| *last).map(|(&node, _)| node)
        {
            self.of.remove(&oldest);
        }
    }

    pub(super) fn clear(&mut self) {
        self.of.clear();
    }
}
