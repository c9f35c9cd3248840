//! Bit errors of DSSS and HR/DSSS over the ratio of signal to noise and interference.
//!
//! Interference counts as white noise over the 22 MHz of the channel: Eb/N0 is the ratio times 22 MHz over the bit
//! rate. DBPSK (Proakis, Digital Communications, section 5.2.8): half of exp(-Eb/N0). DQPSK with Gray coding: the
//! asymptotic form of Ferrari and Corazza (IEE Electronics Letters 40, 2004) in exp(-(2 - sqrt 2) Eb/N0). CCK: the
//! union bound over the code words of IEEE 802.11-2020 section 16.3.6.6, detected coherently.

use std::sync::LazyLock;

use multihop_proto::mac::config::Preamble;
use multihop_proto::units::Dur;

/// Noise bandwidth of the channel \[Hz\].
const BANDWIDTH: f64 = 22e6;
/// Bits of the PLCP preamble and header, long form.
const PREAMBLE: f64 = 144.0;
const HEADER: f64 = 48.0;

/// How a bit is put on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
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
    /// The modulation of a bit rate \[b/s\]; rates that the standard does not have take the next one that it has.
    #[must_use]
    pub fn of(rate: f64) -> Self {
        match rate {
            _ if rate < 1.5e6 => Self::Dbpsk,
            _ if rate < 3.0e6 => Self::Dqpsk,
            _ if rate < 8.0e6 => Self::Cck4,
            _ => Self::Cck8,
        }
    }

    /// Probability that a bit is received wrong at this ratio of signal to noise and interference.
    #[must_use]
    pub fn bit_error(self, rate: f64, ratio: f64) -> f64 {
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

    /// Probability that a stretch of constant ratio is received without an error.
    #[must_use]
    pub fn intact(self, rate: f64, ratio: f64, length: Dur) -> f64 {
        let bits = length.as_secs_f64() * rate;
        libm::exp(bits * libm::log1p(-self.bit_error(rate, ratio)))
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

/// Where the parts of a frame lie in time.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// The preamble and the header have lengths of their own.
    Fixed {
        /// PLCP preamble, which is not judged.
        preamble: Dur,
        /// PLCP header.
        header: Dur,
        /// Bit rate of the PLCP header \[b/s\].
        rate: f64,
    },
    /// All is sent at the rate of the frame: its bits and its length in time say it.
    AtDataRate,
}

impl Format {
    /// The frames with this preamble.
    #[must_use]
    pub fn new(preamble: Preamble) -> Self {
        let fixed = |rate: f64, bits: f64| Self::Fixed {
            preamble: Dur::from_secs_f64(bits / 1e6),
            header: Dur::from_secs_f64(HEADER / rate),
            rate,
        };
        match preamble {
            Preamble::Long => fixed(1e6, PREAMBLE),
            Preamble::Short => fixed(2e6, PREAMBLE / 2.0),
            Preamble::DataRate => Self::AtDataRate,
        }
    }

    /// Preamble, PLCP header and the rate of that, of a frame of `bits` bits that takes so long in all.
    #[must_use]
    pub fn of(&self, bits: u64, airtime: Dur) -> (Dur, Dur, f64) {
        match *self {
            Self::Fixed { preamble, header, rate } => (preamble, header, rate),
            Self::AtDataRate => {
                let rate = (bits as f64 + PREAMBLE + HEADER) / airtime.as_secs_f64();
                (Dur::from_secs_f64(PREAMBLE / rate), Dur::from_secs_f64(HEADER / rate), rate)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two neighbours at the same distance: a ratio of 1. An RTS or a CTS always survives, a frame of 2 Mb/s that is
    /// overlapped for 304 us with 0.89, for all of its 6.1 ms with 0.09.
    #[test]
    fn equal_powers_leave_control_frames_alone_and_destroy_long_data_frames() {
        assert!(Modulation::Dbpsk.bit_error(1e6, 1.0) < 2e-10);
        let short = Modulation::Dqpsk.intact(2e6, 1.0, Dur::from_us(304));
        let long = Modulation::Dqpsk.intact(2e6, 1.0, Dur::from_us(6144));
        assert!((short - 0.89).abs() < 0.01, "{short}");
        assert!((long - 0.09).abs() < 0.01, "{long}");
    }

    // 1536 bytes at 2 Mb/s behind 24 more, and what remains at 11 Mb/s when the rate has changed.
    #[test]
    fn a_header_at_the_data_rate_goes_at_the_rate_of_its_frame() {
        let format = Format::new(Preamble::DataRate);
        for mbps in [2.0, 11.0] {
            let airtime = Dur::from_secs_f64(1560.0 * 8.0 / (mbps * 1e6));
            let (preamble, header, rate) = format.of(1536 * 8, airtime);
            assert!((rate / (mbps * 1e6) - 1.0).abs() < 1e-6, "{rate}");
            assert_eq!(
                (preamble, header),
                (Dur::from_secs_f64(144e-6 / mbps), Dur::from_secs_f64(48e-6 / mbps))
            );
        }
        let (preamble, header, rate) = Format::new(Preamble::Long).of(112, Dur::from_us(304));
        assert_eq!((preamble, header, rate), (Dur::from_us(144), Dur::from_us(48), 1e6));
    }

    /// Of each kind of detection, differential (1 and 2 Mb/s) and coherent (CCK).
    #[test]
    fn faster_rates_need_more() {
        let needed = |rate: f64| {
            let curve = Modulation::of(rate);
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
                let error = Modulation::of(rate).bit_error(rate, ratio);
                assert!((0.0..=0.5).contains(&error), "{rate} {ratio}: {error}");
            }
        }
    }
}
