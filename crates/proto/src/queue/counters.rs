//! What a queue counts.

use std::ops::Add;

use crate::units::{Dur, counters};

counters! {
    /// Counters of one queue; monotone.
    pub struct Counters {
        /// Frames kept at the head after the MAC gave them up.
        pub kept = "queue.kept",
        /// Turns that ended with another class waiting.
        pub turns = "queue.turns",
        /// Packets marked instead of dropped (RFC 3168).
        pub marked = "queue.marked",
        /// Packets dropped before the queue was full.
        pub early_drops = "queue.early-drops",
        /// Time integral of the number of packets held \[packet·ns\].
        pub occupancy: u128,
        /// Time for which the queue held at least one packet.
        pub backlogged: Dur,
    }
}

impl Counters {
    /// Some time has passed with so many packets held.
    #[inline]
    pub(super) fn account_for(&mut self, passed: Dur, held: usize) {
        if held > 0 {
            self.occupancy += u128::from(passed.as_ns()) * held as u128;
            self.backlogged += passed;
        }
    }
}

impl Add for Counters {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            kept: self.kept + other.kept,
            turns: self.turns + other.turns,
            marked: self.marked + other.marked,
            early_drops: self.early_drops + other.early_drops,
            occupancy: self.occupancy + other.occupancy,
            backlogged: self.backlogged + other.backlogged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_several_queues_add_up_one_by_one() {
        let of = |kept| Counters {
            kept,
            turns: 10 * kept,
            marked: 100 * kept,
            early_drops: 1000 * kept,
            occupancy: u128::from(10_000 * kept),
            backlogged: Dur::from_ms(kept),
        };
        assert_eq!(of(2) + of(3), of(5));
    }
}
