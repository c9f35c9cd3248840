//! Bit errors of DSSS and HR/DSSS over the ratio of signal to noise and interference.
//!
//! Interference counts as white noise over the 22 MHz of the channel: Eb/N0 is the ratio times 22 MHz over the bit
//! rate. DBPSK (Proakis, Digital Communications, section 5.2.8): half of exp(-Eb/N0). DQPSK with Gray coding: the
//! asymptotic form of Ferrari and Corazza (IEE Electronics Letters 40, 2004) in exp(-(2 - sqrt 2) Eb/N0). CCK: the
//! union bound over the code words of IEEE 802.11-2020 section 16.3.6.6, detected coherently.

use std::sync::LazyLock;

use multihop_proto::units::Bitrate;

/// Noise bandwidth of the channel \[Hz\].
const BANDWIDTH: f64 = 22e6;

/// How a bit is put on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modulation {
    /// 1 Mb/s.
    Dbpsk,
    /// 2 Mb/s.
    Dqpsk,
    /// 5.5 Mb/s: 4 bits in 8 chips.
    Cck4,
    /// 11 Mb/s: 8 bits in 8 chips.
    Cck8,
}

impl Modulation {
    /// The modulation of a bit rate; rates that the standard does not have take the next one that it has.
    pub(super) const fn of(rate: Bitrate) -> Self {
        match rate.as_bps() {
            0..1_500_000 => Self::Dbpsk,
            1_500_000..3_000_000 => Self::Dqpsk,
            3_000_000..8_000_000 => Self::Cck4,
            _ => Self::Cck8,
        }
    }

    /// Probability that a bit is received wrong at this ratio of signal to noise and interference.
    pub(super) fn bit_error(self, rate: f64, ratio: f64) -> f64 {
        let per_bit = ratio * BANDWIDTH / rate;
        let error = match self {
            Self::Dbpsk => 0.5 * libm::exp(-per_bit),
            Self::Dqpsk => {
                let root = std::f64::consts::SQRT_2;
                let scale = (root + 1.0) / libm::sqrt(8.0 * std::f64::consts::PI * root * per_bit);
                scale * libm::exp(-(2.0 - root) * per_bit)
            }
            Self::Cck4 => CCK4.bit_error(4.0, per_bit),
            Self::Cck8 => CCK8.bit_error(8.0, per_bit),
        };
        error.min(0.5)
    }
}

/// Squared distances of the code words from one of them, chips of energy 1, and how many have each.
struct Distances(Vec<(f64, f64)>);

static CCK4: LazyLock<Distances> = LazyLock::new(|| Distances::of([&[0, 1, 2, 3], &[1, 3], &[0], &[0, 2]]));
static CCK8: LazyLock<Distances> = LazyLock::new(|| Distances::of([&[0, 1, 2, 3]; 4]));

impl Distances {
    /// Of the code words whose four phases, in quarter turns, take these values.
    fn of(phases: [&[u32]; 4]) -> Self {
        let mut words = Vec::new();
        for &p1 in phases[0] {
            for &p2 in phases[1] {
                for &p3 in phases[2] {
                    for &p4 in phases[3] {
                        words.push([
                            p1 + p2 + p3 + p4,
                            p1 + p3 + p4,
                            p1 + p2 + p4,
                            p1 + p4 + 2,
                            p1 + p2 + p3,
                            p1 + p3,
                            p1 + p2 + 2,
                            p1,
                        ]);
                    }
                }
            }
        }
        let mut counted: Vec<(f64, f64)> = Vec::new();
        for word in &words[1..] {
            // Two chips a quarter turn apart are at squared distance 2, opposite ones at 4.
            let distance = |(a, b): (&u32, &u32)| [0.0, 2.0, 4.0, 2.0][((a + 4 - b % 4) % 4) as usize];
            let squared: f64 = word.iter().zip(&words[0]).map(distance).sum();
            match counted.iter_mut().find(|(other, _)| *other == squared) {
                Some((_, count)) => *count += 1.0,
                None => counted.push((squared, 1.0)),
            }
        }
        Self(counted)
    }

    /// A word of 2^bits is mistaken for any other; half of the bits of those that are mistaken are wrong, nearly.
    fn bit_error(&self, bits: f64, per_bit: f64) -> f64 {
        let per_chip = per_bit * bits / 8.0;
        let words = libm::exp2(bits);
        let word_error: f64 = self
            .0
            .iter()
            .map(|(squared, count)| count * 0.5 * libm::erfc(libm::sqrt(squared * per_chip / 4.0)))
            .sum();
        word_error.min(1.0) * (words / 2.0) / (words - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bit_errors::BitErrors;

    /// Two neighbours at the same distance: a ratio of 1. An RTS or a CTS always survives, a frame of 2 Mb/s that is
    /// overlapped for 304 us with 0.89, for all of its 6.1 ms with 0.09.
    #[test]
    fn equal_powers_leave_control_frames_alone_and_destroy_long_data_frames() {
        assert!(Modulation::Dbpsk.bit_error(1e6, 1.0) < 2e-10);
        let errors = BitErrors::Dsss(Modulation::Dqpsk, 2e6);
        let [short, long] = [608.0, 12_288.0].map(|bits| errors.intact(1.0, bits));
        assert!((short - 0.89).abs() < 0.01, "{short}");
        assert!((long - 0.09).abs() < 0.01, "{long}");
    }

    /// Of each kind of detection, differential (1 and 2 Mb/s) and coherent (CCK).
    #[test]
    fn faster_rates_need_more() {
        let needed = |rate: f64| {
            let curve = Modulation::of(Bitrate::from_bps(rate as u64));
            let steps = (-100..300).map(|tenth| libm::exp10(f64::from(tenth) / 100.0));
            steps.into_iter().find(|&ratio| curve.bit_error(rate, ratio) < 1e-5).unwrap()
        };
        let at: Vec<f64> = [1e6, 2e6, 5.5e6, 11e6].into_iter().map(needed).collect();
        assert!(at[0] < at[1] && at[2] < at[3] && at[1] < at[3], "{at:?}");
        assert!(at[3] < 10.0, "11 Mb/s needs less than 10 dB: {at:?}");
    }

    #[test]
    fn the_nearest_code_words_of_cck_are_24_at_distance_8() {
        let nearest = |words: &Distances| words.0.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(nearest(&CCK8), (8.0, 24.0));
        let all = |words: &Distances| words.0.iter().map(|(_, count)| count).sum::<f64>();
        assert_eq!((all(&CCK4), all(&CCK8)), (15.0, 255.0));
        assert_eq!(nearest(&CCK4).0, 16.0);
    }

    #[test]
    fn no_curve_leaves_its_range() {
        for rate in [1e6, 2e6, 5.5e6, 11e6] {
            for ratio in [0.0, 1e-9, 1.0, 1e9] {
                let error = Modulation::of(Bitrate::from_bps(rate as u64)).bit_error(rate, ratio);
                assert!((0.0..=0.5).contains(&error), "{rate} {ratio}: {error}");
            }
        }
    }
}
