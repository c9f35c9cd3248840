//! By what bits fall at a ratio of signal to noise and interference, and what was found of it for the ratios met last.

use multihop_proto::phy::Modulation;

use super::config::OfdmErrors;
use super::ofdm_table::{Coding, errors_per_bit};
use super::{dsss, ofdm};

/// By what the bits of a part of a frame fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BitErrors {
    /// DSSS at a rate \[b/s\].
    Dsss(dsss::Modulation, f64),
    /// OFDM and later: Hz of bandwidth per coded bit in a second, bytes of the part, model.
    Ofdm { of: Modulation, spread: f64, bytes: f64, errors: OfdmErrors },
}

impl BitErrors {
    /// Logarithm of the probability that a bit is right at this ratio.
    fn exponent(self, ratio: f64) -> f64 {
        let independent = |error: f64| libm::log1p(-error);
        let (of, spread, bytes, errors) = match self {
            Self::Dsss(of, rate) => return independent(of.bit_error(rate, ratio)),
            Self::Ofdm { of, spread, bytes, errors } => (of, spread, bytes, errors),
        };
        // The tables lack BPSK 3/4, and the convolutional one MCS 10 and 11.
        let yans = || independent(ofdm::yans(of, ratio, spread));
        let table = |coding| errors_per_bit(of, coding, bytes, ratio).map_or_else(yans, |errors| -errors);
        match errors {
            OfdmErrors::Nist => independent(ofdm::nist(of, ratio)),
            OfdmErrors::Yans => yans(),
            OfdmErrors::Table => table(Coding::Convolutional),
            OfdmErrors::TableLdpc => table(Coding::Ldpc),
        }
    }

    /// Probability that so many bits come through at this ratio.
    pub(super) fn intact(self, ratio: f64, bits: f64) -> f64 {
        intact(bits, || self.exponent(ratio))
    }

    /// What tells it from most others.
    const fn tag(self) -> u64 {
        match self {
            Self::Dsss(_, rate) => rate.to_bits(),
            Self::Ofdm { spread, bytes, .. } => spread.to_bits() ^ bytes.to_bits(),
        }
    }
}

fn intact(bits: f64, exponent: impl FnOnce() -> f64) -> f64 {
    if bits <= 0.0 { 1.0 } else { libm::exp(exponent() * bits) }
}

/// What was found for the ratios met last: where nothing moves the same ones come again and again.
#[derive(Clone, Debug)]
pub(super) struct Known(Box<[Option<(BitErrors, f64, f64)>]>);

impl Default for Known {
    fn default() -> Self {
        Self(vec![None; Self::PLACES].into_boxed_slice())
    }
}

impl Known {
    /// Places, which ratios share: a power of two.
    const PLACES: usize = 1024;

    /// The same as [`BitErrors::intact`].
    pub(super) fn intact(&mut self, by: BitErrors, ratio: f64, bits: f64) -> f64 {
        intact(bits, || self.exponent(by, ratio))
    }

    /// Logarithm of the probability that a bit is right at this ratio.
    pub(super) fn exponent(&mut self, by: BitErrors, ratio: f64) -> f64 {
        let place = &mut self.0[place(by, ratio)];
        match *place {
            Some((of, at, exponent)) if at == ratio && of == by => exponent,
            _ => place.insert((by, ratio, by.exponent(ratio))).2,
        }
    }
}

/// The place of a ratio: the high bits of a product with 2^64 over the golden ratio (Knuth, The Art of Computer
/// Programming, section 6.4).
const fn place(by: BitErrors, ratio: f64) -> usize {
    let key = by.tag() ^ ratio.to_bits();
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Known::PLACES.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Far more ratios and lengths than there are places, each met twice: what is kept is what would be found.
    #[test]
    fn what_is_known_is_what_would_be_found() {
        let mut known = Known::default();
        for step in (0..200).chain(0..200) {
            let ratio = libm::pow(1.05, f64::from(step));
            for errors in [OfdmErrors::Nist, OfdmErrors::Yans, OfdmErrors::Table, OfdmErrors::TableLdpc] {
                for bytes in [0.0, 76.0, 1538.0] {
                    let by = BitErrors::Ofdm { of: Modulation::HEADER, spread: 2.0, bytes, errors };
                    let bits = bytes * 8.0;
                    assert_eq!(known.intact(by, ratio, bits), by.intact(ratio, bits));
                }
            }
            let by = BitErrors::Dsss(dsss::Modulation::Dqpsk, 2e6);
            assert_eq!(known.intact(by, ratio, 1000.0), by.intact(ratio, 1000.0));
        }
    }
}
