//! The largest of the last values: rates, mostly.

use std::collections::VecDeque;

/// Candidates: later and smaller ones behind earlier and larger ones.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowedMax {
    found: VecDeque<(u64, f64)>,
}

impl WindowedMax {
    /// A value of this time; those of before `since` are forgotten.
    pub(super) fn add(&mut self, at: u64, value: f64, since: u64) {
        while self.found.back().is_some_and(|&(_, other)| other <= value) {
            self.found.pop_back();
        }
        self.found.push_back((at, value));
        while self.found.front().is_some_and(|&(old, _)| old < since) {
            self.found.pop_front();
        }
    }

    /// The largest.
    pub(super) fn get(&self) -> f64 {
        self.found.front().map_or(0.0, |&(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_that_is_not_too_old_counts() {
        let mut rate = WindowedMax::default();
        rate.add(0, 5.0, 0);
        rate.add(1, 9.0, 0);
        rate.add(2, 4.0, 0);
        assert_eq!(rate.get(), 9.0);
        rate.add(11, 3.0, 1);
        assert_eq!(rate.get(), 9.0);
        rate.add(12, 2.0, 2);
        assert_eq!(rate.get(), 4.0);
        rate.add(13, 7.0, 3);
        assert_eq!(rate.get(), 7.0);
    }
}
