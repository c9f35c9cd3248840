//! Which share of its MPDUs a rate is taken to bring through.

use super::config::MinstrelHtVersion;

/// An average in which what was before weighs three quarters.
fn average(before: f64, now: f64) -> f64 {
    0.75 * before + 0.25 * now
}

/// How shares are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Estimate {
    /// By a low-pass filter of second order over the shares of each interval.
    Smooth,
    /// By an exponentially weighted average of shares in whole per cents, rounded down.
    Percents,
}

impl Estimate {
    /// That of a version.
    #[must_use]
    pub(super) const fn of(version: MinstrelHtVersion) -> Self {
        match version {
            MinstrelHtVersion::Linux2021 => Self::Smooth,
            MinstrelHtVersion::Ns3 => Self::Percents,
        }
    }

    /// The estimate after an interval in which so many MPDUs were sent and so many came through; `before` are the last
    /// two, the newer one first.
    #[must_use]
    pub(super) fn next(self, (attempts, successes): (u32, u32), before: Option<[f64; 2]>) -> f64 {
        match self {
            Self::Smooth => smooth(f64::from(successes) / f64::from(attempts), before),
            Self::Percents => {
                let share = f64::from(100 * successes / attempts) / 100.0;
                before.map_or(share, |[newer, _]| average(newer, share))
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

    /// The mean MPDUs of a frame, after an interval that had this mean.
    #[must_use]
    pub(super) fn length(self, before: f64, now: f64) -> f64 {
        let mean = average(before, now);
        match self {
            Self::Smooth => mean,
            Self::Percents => libm::floor(mean),
        }
    }

    /// MPDUs of a frame over which what its exchange takes beside is spread, if it counts in expected throughput.
    #[must_use]
    pub(super) fn spread(self, length: f64) -> Option<f64> {
        match self {
            Self::Smooth => Some(length),
            Self::Percents => None,
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

    /// What ns-3.44 wrote of a rate over six intervals.
    #[test]
    fn an_average_of_whole_per_cents_keeps_three_quarters_of_the_one_before() {
        let (mut share, mut seen) = (None, Vec::new());
        for interval in [(64, 44), (519, 349), (601, 386), (583, 377), (590, 373), (566, 349)] {
            let next = Estimate::Percents.next(interval, share);
            seen.push(libm::round(next * 1e6) as u32);
            share = Some([next, share.map_or(next, |[newer, _]: [f64; 2]| newer)]);
        }
        assert_eq!(seen, [680_000, 677_500, 668_125, 661_094, 653_320, 642_490]);
    }

    /// Frames of 64 MPDUs: ns-3.44 finds no more than 61.
    #[test]
    fn the_mean_of_frames_may_be_whole_and_rounded_down() {
        let last = |estimate: Estimate| (0..100).fold(1.0, |mean, _| estimate.length(mean, 64.0));
        near(last(Estimate::Smooth), 64.0);
        near(last(Estimate::Percents), 61.0);
        near(Estimate::Percents.length(8.0, 11.3), 8.0);
    }

    #[test]
    fn a_rate_that_was_never_tried_is_as_good_as_a_faster_one_or_good_for_nothing() {
        let of = |estimate: Estimate| (estimate.untried(0.7) * 10.0) as u32;
        assert_eq!([Estimate::Smooth, Estimate::Percents].map(of), [7, 0]);
    }
}
