//! Delays in logarithmic bins of 2 %: quantiles of millions of packets in a few kilobytes.

use multihop_proto::units::Dur;

const BINS: usize = 1200;
/// Lower edge of the first bin \[s\].
const FLOOR: f64 = 1e-6;
/// Natural logarithm of the ratio of neighbouring edges.
const STEP: f64 = 0.02;

/// A histogram of delays between 1 µs and about 7 hours.
#[derive(Clone, Debug, Default)]
pub struct DelayHistogram {
    /// Empty until the first delay: most of many flows may have none.
    bins: Vec<u64>,
    count: u64,
    sum: f64,
}

impl DelayHistogram {
    /// Takes in one delay.
    pub fn add(&mut self, delay: Dur) {
        if self.bins.is_empty() {
            self.bins.resize(BINS, 0);
        }
        let seconds = delay.as_secs_f64();
        let bin = libm::log((seconds / FLOOR).max(1.0)) / STEP;
        self.bins[(bin as usize).min(BINS - 1)] += 1;
        self.count += 1;
        self.sum += seconds;
    }

    /// Mean \[s\]; `None` without samples.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The delay \[s\] that the share `q` of all samples does not exceed, to 1 %; `None` without samples.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = (q * self.count as f64).max(1.0);
        let mut below = 0.0;
        for (index, &count) in self.bins.iter().enumerate() {
            below += count as f64;
            if count > 0 && below >= rank {
                return Some(FLOOR * libm::exp((index as f64 + 0.5) * STEP));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_one_per_cent() {
        let mut histogram = DelayHistogram::default();
        for ms in 1..=1000 {
            histogram.add(Dur::from_ms(ms));
        }
        for (q, expected) in [(0.5, 0.5), (0.95, 0.95)] {
            let found = histogram.quantile(q).expect("samples");
            assert!((found / expected - 1.0).abs() < 0.011, "{q}: {found}");
        }
        assert!((histogram.mean().expect("samples") - 0.5005).abs() < 1e-9);
        assert_eq!(DelayHistogram::default().quantile(0.5), None);
    }
}
