//! Requests that a node has seen (RFC 3561 §6.5): floods bring each of them from every neighbour, and to know it again
//! is most of what AODV does.

use super::config::AodvConfig;
use super::table::after;
use super::wire::RequestKey;
use crate::units::{Dur, SimTime};

/// Requests seen, until they are forgotten.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Oldest first.
    entries: Vec<(RequestKey, SimTime)>,
    /// The same, each at the place that its numbers say or at the next free one; a power of two, half of them free.
    places: Vec<RequestKey>,
    memory: Dur,
    tick: Dur,
    /// When the old ones are forgotten next.
    forgets_at: SimTime,
}

impl Seen {
    pub(super) fn new(config: &AodvConfig) -> Self {
        let tick = config.rreq_memory_tick;
        Self {
            entries: Vec::new(),
            places: vec![RequestKey::NONE; 16],
            memory: config.rreq_memory,
            tick,
            forgets_at: SimTime::from_ns(tick.as_ns()),
        }
    }

    /// Whether this request was seen before.
    #[inline(always)]
    pub(super) fn has(&mut self, now: SimTime, request: RequestKey) -> bool {
        if now >= self.forgets_at {
            self.forget(now);
        }
        self.places[self.place(request)] == request
    }

    /// From now on this request was seen.
    pub(super) fn note(&mut self, now: SimTime, request: RequestKey) {
        self.entries.push((request, now));
        if self.entries.len() * 2 > self.places.len() {
            self.arrange(self.places.len() * 2);
        } else {
            let place = self.place(request);
            self.places[place] = request;
        }
    }

    /// Where this request stands, or the free place where it would.
    #[inline]
    fn place(&self, request: RequestKey) -> usize {
        let last = self.places.len() - 1;
        let mut place = request.spread() as usize & last;
        while self.places[place] != request && self.places[place] != RequestKey::NONE {
            place = (place + 1) & last;
        }
        place
    }

    /// Gives every request its place among so many.
    fn arrange(&mut self, places: usize) {
        self.places.clear();
        self.places.resize(places, RequestKey::NONE);
        for index in 0..self.entries.len() {
            let (request, _) = self.entries[index];
            let place = self.place(request);
            self.places[place] = request;
        }
    }

    #[inline(never)]
    fn forget(&mut self, now: SimTime) {
        let mut looked = now;
        if self.tick > Dur::ZERO {
            looked = SimTime::from_ns(now.as_ns() / self.tick.as_ns() * self.tick.as_ns());
            self.forgets_at = after(looked, self.tick);
        }
        let memory = self.memory;
        let old = self.entries.partition_point(|&(_, at)| at + memory <= looked);
        if old > 0 {
            self.entries.drain(..old);
            self.arrange(self.places.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NodeId;

    const fn request(originator: u32, id: u32) -> RequestKey {
        RequestKey { originator: NodeId(originator), id }
    }

    /// A memory of six seconds that is looked through every three.
    fn six_seconds() -> Seen {
        Seen::new(&AodvConfig {
            rreq_memory: Dur::from_secs(6),
            rreq_memory_tick: Dur::from_secs(3),
            ..AodvConfig::default()
        })
    }

    #[test]
    fn requests_are_known_until_their_time_is_over_however_many_there_are() {
        let mut seen = six_seconds();
        let all = |second: u32| (0..100).map(move |number| request(number % 7, 100 * second + number));
        for second in 0..9_u32 {
            let now = SimTime::from_secs(u64::from(second));
            for request in all(second) {
                assert!(!seen.has(now, request));
                seen.note(now, request);
                assert!(seen.has(now, request));
            }
        }
        // Forgotten at the ticks: those that were six seconds old at the last one, but for the one just noted.
        for (now, forgotten) in [(8, 1), (9, 4), (11, 4), (12, 7), (20, 9)] {
            for second in 0..9 {
                let known = all(second).filter(|&key| seen.has(SimTime::from_secs(now), key)).count();
                assert_eq!(known, if second < forgotten { 0 } else { 100 }, "{second} at {now}");
            }
        }
        assert!(seen.entries.is_empty());
    }

    /// A look that comes late counts as one at the last tick: what was not old then is kept.
    #[test]
    fn one_request_is_forgotten_at_the_first_tick_at_which_it_is_old() {
        let mut seen = six_seconds();
        seen.note(SimTime::from_ns(500_000_000), request(1, 1));
        for (second, known) in [(7, true), (8, true), (9, false)] {
            assert_eq!(seen.has(SimTime::from_secs(second), request(1, 1)), known, "at {second} s");
        }
    }
}
