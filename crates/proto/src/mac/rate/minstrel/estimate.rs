//! Which share of its MPDUs a rate is taken to bring through.

use super::config::MinstrelVersion;

/// Weight that the estimate before has in an average, of a hundred.
const WEIGHT: u32 = 75;

/// How shares are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Estimate {
    /// By a low-pass filter of second order over the shares of each interval.
    Smooth,
    /// By an exponentially weighted average in whole per cents, rounded down.
    Percents,
}

impl Estimate {
    /// That of a version.
    #[must_use]
    pub(super) const fn of(version: MinstrelVersion) -> Self {
        match version {
            MinstrelVersion::Linux2021 => Self::Smooth,
            MinstrelVersion::Ns3 => Self::Percents,
        }
    }

    /// The estimate after an interval in which so many MPDUs were sent and so many came through; `before` are the last
    /// two, the newer one first.
    #[must_use]
    pub(super) fn next(self, (attempts, successes): (u32, u32), before: Option<[f64; 2]>) -> f64 {
        match self {
            Self::Smooth => smooth(f64::from(successes) / f64::from(attempts), before),
            Self::Percents => {
                let share = 100 * successes / attempts;
                let percents = |[newer, _]: [f64; 2]| libm::round(100.0 * newer) as u32; // at most 100
                let average = |before| (WEIGHT * percents(before) + (100 - WEIGHT) * share) / 100;
                f64::from(before.map_or(share, average)) / 100.0
            }
        }
    }

    /// That of a rate which was never tried; `faster` is the greatest of the faster ones of its group.
    #[must_use]
    pub(super) const fn untried(self, faster: f64) -> f64 {
        match self {
            Self::Smooth => faster,
            Self::Percents => 0.0,
        }
    }
}

fn smooth(share: f64, before: Option<[f64; 2]>) -> f64 {
    let weight = libm::exp(-core::f64::consts::PI * core::f64::consts::SQRT_2 / 16.0);
    let second = 2.0 * weight * libm::cos(core::f64::consts::SQRT_2 * 2.0 * core::f64::consts::PI / 16.0);
    let third = -weight * weight;
    let next =
        before.map_or(share, |[now, before]| (1.0 - second - third) * share + second * now + third * before);
    next.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3 * expected.max(0.1), "{found} in place of {expected}");
    }

    /// Linux: `MINSTREL_AVG_COEFF2` of 5273 / 4096 and `MINSTREL_AVG_COEFF3` of -2350 / 4096.
    #[test]
    fn shares_pass_a_filter_of_second_order() {
        let first = Estimate::Smooth.next((10, 8), None);
        near(first, 0.8);
        let second = Estimate::Smooth.next((10, 0), Some([first, first]));
        near(second, 0.8 * (5273.0 - 2350.0) / 4096.0);
        near(
            Estimate::Smooth.next((10, 0), Some([second, first])),
            (5273.0 * second - 2350.0 * 0.8) / 4096.0,
        );
        assert_eq!(
            Estimate::Smooth.next((10, 10), Some([1.0, 0.0])).to_bits(),
            1f64.to_bits(),
            "never above 1"
        );
    }

    //  3 of 8: 37.5   0.75 * 37 + 0.25 * 100 = 52.75   0.75 * 52 + 0 = 39
    #[test]
    fn an_average_in_whole_per_cents_keeps_three_quarters_of_the_one_before() {
        let (mut share, mut seen) = (None, Vec::new());
        for interval in [(8, 3), (20, 20), (5, 0), (5, 0)] {
            let next = Estimate::Percents.next(interval, share);
            seen.push(libm::round(next * 1e6) as u32);
            share = Some([next, share.map_or(next, |[newer, _]: [f64; 2]| newer)]);
        }
        assert_eq!(seen, [370_000, 520_000, 390_000, 290_000]);
        let full = Estimate::Percents.next((7, 7), Some([0.99, 0.99]));
        assert_eq!(libm::round(full * 1e6) as u32, 990_000, "99.25 is rounded down");
    }

    #[test]
    fn a_rate_that_was_never_tried_is_as_good_as_a_faster_one_or_good_for_nothing() {
        let of = |estimate: Estimate| (estimate.untried(0.7) * 10.0) as u32;
        assert_eq!([Estimate::Smooth, Estimate::Percents].map(of), [7, 0]);
    }
}
