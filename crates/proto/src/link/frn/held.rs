//! How many packets a link held, and for how long it held any: sums of instants, so that only comings and goings cost.

use crate::queue;
use crate::units::{Dur, SimTime};

/// The comings and goings of packets so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// Instants at which packets left, less those at which they came \[ns\]; wraps, and so does what it tells of ten
    /// thousand packets after three weeks.
    stays: u64,
    /// Instants at which the last left, less those at which the first came \[ns\]; wraps.
    spells: u64,
}

impl Held {
    /// A packet has come; so many are held now.
    #[inline]
    pub(super) const fn came(&mut self, now: SimTime, held: usize) {
        self.stays = self.stays.wrapping_sub(now.as_ns());
        if held == 1 {
            self.spells = self.spells.wrapping_sub(now.as_ns());
        }
    }

    /// A packet has gone; so many are held now.
    #[inline]
    pub(super) const fn went(&mut self, now: SimTime, held: usize) {
        self.stays = self.stays.wrapping_add(now.as_ns());
        if held == 0 {
            self.spells = self.spells.wrapping_add(now.as_ns());
        }
    }

    /// As a queue counts it until `now`, when so many are held.
    pub(super) fn counters(&self, now: SimTime, held: usize) -> queue::Counters {
        let still = now.as_ns().wrapping_mul(held as u64);
        let spell = if held > 0 { now.as_ns() } else { 0 };
        queue::Counters {
            occupancy: self.stays.wrapping_add(still).into(),
            backlogged: Dur::from_ns(self.spells.wrapping_add(spell)),
            ..queue::Counters::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_and_spells_add_up_while_packets_are_there_and_after() {
        let mut held = Held::default();
        let at = SimTime::from_us;
        let read = |held: &Held, now, count| {
            let counters = held.counters(at(now), count);
            (counters.occupancy / 1000, counters.backlogged.as_ns() / 1000)
        };
        held.came(at(10), 1);
        held.came(at(20), 2);
        assert_eq!(read(&held, 50, 2), (40 + 30, 40));
        held.went(at(60), 1);
        held.went(at(100), 0);
        assert_eq!(read(&held, 500, 0), (90 + 40, 90));
        held.came(at(600), 1);
        assert_eq!(read(&held, 601, 1), (131, 91));
    }
}
