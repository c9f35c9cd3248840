//! Delays in bins of at most 1.6 %: quantiles of millions of packets in a few kilobytes.

use multihop_proto::units::Dur;

/// An octave has 2 to this many bins, all of one width.
const FINENESS: u32 = 6;
const OCTAVE: u64 = 1 << FINENESS;
const NANOSECOND: f64 = 1e-9;

/// A histogram of delays: exact up to 64 ns, then 64 bins an octave (as HDR histograms have them).
#[derive(Clone, Debug, Default)]
pub struct DelayHistogram {
    /// Up to the longest delay so far.
    bins: Vec<u64>,
    count: u64,
    /// Of all delays \[ns\].
    sum: u128,
    /// The last one \[ns\].
    last: u64,
    /// Of the differences between each and the one before \[ns\].
    varied: u128,
}

impl DelayHistogram {
    /// Takes in one delay.
    #[inline]
    pub fn add(&mut self, delay: Dur) {
        let bin = bin(delay.as_ns());
        if bin >= self.bins.len() {
            self.widen(bin);
        }
        self.bins[bin] += 1;
        if self.count > 0 {
            self.varied += u128::from(delay.as_ns().abs_diff(self.last));
        }
        self.last = delay.as_ns();
        self.count += 1;
        self.sum += u128::from(delay.as_ns());
    }

    #[cold]
    #[inline(never)]
    fn widen(&mut self, bin: usize) {
        self.bins.resize(bin + 1, 0);
    }

    /// How many.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean \[s\]; `None` without samples.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * NANOSECOND)
    }

    /// Mean difference between each delay and the one before, without its sign \[s\]; `None` with less than two
    /// samples.
    #[must_use]
    pub fn variation(&self) -> Option<f64> {
        (self.count > 1).then(|| self.varied as f64 / (self.count - 1) as f64 * NANOSECOND)
    }

    /// The delay \[s\] that the share `q` of all samples does not exceed, to 0.8 %; `None` without samples.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = (q * self.count as f64).max(1.0);
        let mut below = 0.0;
        for (bin, &count) in self.bins.iter().enumerate() {
            below += count as f64;
            if count > 0 && below >= rank {
                return Some(middle(bin as u64) * NANOSECOND);
            }
        }
        None
    }
}

/// The bin of a delay.
#[inline]
fn bin(ns: u64) -> usize {
    let shift = (ns | OCTAVE).ilog2() - FINENESS;
    // At most 64 octaves of 64 bins.
    ((u64::from(shift) << FINENESS) + (ns >> shift)) as usize
}

/// The middle of a bin \[ns\].
fn middle(bin: u64) -> f64 {
    if bin < 2 * OCTAVE {
        return bin as f64;
    }
    let shift = (bin >> FINENESS) - 1;
    let lower = (OCTAVE + bin % OCTAVE) << shift;
    lower as f64 + ((1u64 << shift) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_delay_has_a_bin_whose_middle_is_near() {
        let mut last = 0;
        for exponent in 2..63 {
            for ns in [1u64 << exponent, (1 << exponent) + 1, (1 << exponent) | (1 << exponent >> 1)] {
                let bin = bin(ns);
                assert!(bin >= last, "{ns}");
                assert!((middle(bin as u64) / ns as f64 - 1.0).abs() < 0.008, "{ns}: {}", middle(bin as u64));
                last = bin;
            }
        }
        assert!(bin(u64::MAX) < 4096 && bin(0) == 0);
    }

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
