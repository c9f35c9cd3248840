//! Whether a measurement is high or low among the recent ones (relative sample density).

use std::collections::VecDeque;

/// Fewer samples than these say nothing.
const LEAST: usize = 10;

/// Where a sample stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Among the lowest.
    Low,
    /// Neither.
    Middle,
    /// Among the highest.
    High,
}

/// The recent samples of one measure.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    values: VecDeque<f64>,
    most: usize,
    /// Of the samples, so many above (below) make one low (high).
    others: f64,
}

impl Samples {
    /// At most so many. This share at either end counts as high, or as low.
    pub(super) fn new(most: u32, share: f64) -> Self {
        Self { values: VecDeque::new(), most: most as usize, others: 1.0 - share }
    }

    /// Adds one, and says where it stands among those before. Equal ones are neither above nor below, so that a
    /// measure that never moves is never high or low.
    pub(super) fn add(&mut self, value: f64) -> Level {
        let most = self.others * self.values.len() as f64;
        let count = |over: &dyn Fn(&f64) -> bool| self.values.iter().filter(|it| over(it)).count() as f64;
        let level = if self.values.len() < LEAST {
            Level::Middle
        } else if count(&|&it| it < value) >= most {
            Level::High
        } else if count(&|&it| it > value) >= most {
            Level::Low
        } else {
            Level::Middle
        };
        if self.values.len() >= self.most {
            self.values.pop_front();
        }
        self.values.push_back(value);
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_and_the_lower_share_of_recent_samples_are_high_and_low() {
        let mut samples = Samples::new(10, 0.3);
        for value in 0..10 {
            assert_eq!(samples.add(f64::from(value)), Level::Middle, "too few yet");
        }
        // Each goes out again with the tenth after it; 0 to 9 here, then 1 to 9 and 7, and so on.
        assert_eq!(samples.clone().add(7.0), Level::High, "seven are below");
        assert_eq!(samples.clone().add(6.5), Level::High);
        assert_eq!(samples.clone().add(6.0), Level::Middle);
        assert_eq!(samples.clone().add(3.0), Level::Middle, "six are above");
        assert_eq!(samples.clone().add(2.0), Level::Low);
        for _ in 0..10 {
            samples.add(100.0);
        }
        assert_eq!(samples.clone().add(9.0), Level::Low, "what is old is forgotten");
        assert_eq!(samples.add(100.0), Level::Middle, "equal ones are neither above nor below");
    }
}
