//! The largest rate of the last rounds.

use std::collections::VecDeque;

/// Rounds that it looks back.
const ROUNDS: u64 = 10;

/// Candidates: later and smaller ones behind earlier and larger ones.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxRate {
    found: VecDeque<(u64, f64)>,
}

impl MaxRate {
    /// A rate was measured in this round.
    pub(super) fn add(&mut self, round: u64, rate: f64) {
        while self.found.back().is_some_and(|&(_, other)| other <= rate) {
            self.found.pop_back();
        }
        self.found.push_back((round, rate));
        while self.found.front().is_some_and(|&(old, _)| round - old > ROUNDS) {
            self.found.pop_front();
        }
    }

    /// The largest.
    pub(super) fn get(&self) -> f64 {
        self.found.front().map_or(0.0, |&(_, rate)| rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_ten_rounds_counts() {
        let mut rate = MaxRate::default();
        rate.add(0, 5.0);
        rate.add(1, 9.0);
        rate.add(2, 4.0);
        assert_eq!(rate.get(), 9.0);
        rate.add(11, 3.0);
        assert_eq!(rate.get(), 9.0);
        rate.add(12, 2.0);
        assert_eq!(rate.get(), 4.0);
        rate.add(13, 7.0);
        assert_eq!(rate.get(), 7.0);
    }
}
