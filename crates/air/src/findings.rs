//! What receivers have found out about signals. It is the same at all of them, and so found once.

use multihop_proto::phy::TxVector;
use multihop_proto::units::{Bytes, SimTime};

use super::bit_errors::Known;
use super::curve::Parts;

/// What receivers share.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    shapes: Shapes,
    /// What is known of bit errors.
    pub(super) errors: Known,
}

impl Findings {
    /// The parts of a frame that begins at an instant; `find`: those of one that begins at 0.
    #[inline]
    pub(super) fn parts(
        &mut self,
        begin: SimTime,
        (tx, size): (TxVector, Bytes),
        find: impl FnOnce() -> Parts,
    ) -> Parts {
        self.shapes.of((tx, size), find).later(begin - SimTime::ZERO)
    }
}

/// The parts of a frame that is sent so and has such a length, if it begins at 0.
type Shape = (TxVector, Bytes, Parts);

/// Those of the frames that were sent last.
#[derive(Clone, Debug)]
struct Shapes(Box<[Option<Shape>]>);

impl Default for Shapes {
    fn default() -> Self {
        Self(vec![None; Self::PLACES].into_boxed_slice())
    }
}

impl Shapes {
    /// Places, which lengths share: a power of two.
    const PLACES: usize = 64;

    fn of(&mut self, (tx, size): (TxVector, Bytes), find: impl FnOnce() -> Parts) -> &Parts {
        let place = &mut self.0[place(size)];
        if !place.as_ref().is_some_and(|&(of, long, _)| long == size && of == tx) {
            *place = None;
        }
        &place.get_or_insert_with(|| (tx, size, find())).2
    }
}

/// The place of a length, by the same rule as that of a ratio.
const fn place(size: Bytes) -> usize {
    (size.get().wrapping_mul(0x9e37_79b9) >> (32 - Shapes::PLACES.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OfdmErrors;
    use multihop_proto::phy::{Band, Ofdm, OfdmRate, Preamble, Width};
    use multihop_proto::units::Bitrate;

    /// More lengths than there are places, each met twice and sent in several ways.
    #[test]
    fn what_is_kept_is_what_would_be_found() {
        let mut findings = Findings::default();
        let ofdm = |rate| TxVector::Ofdm(Ofdm { rate, width: Width::Mhz20, band: Band::Ghz5 });
        let dsss = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);
        let begin = SimTime::from_us(1_234_567);
        for size in (0..200).chain(0..200).map(|size| Bytes(14 + 4 * size)) {
            for tx in [ofdm(OfdmRate::Mbps6), ofdm(OfdmRate::Mbps54), dsss] {
                let at = |begin| Parts::new(tx, size, begin, OfdmErrors::Nist);
                let found = findings.parts(begin, (tx, size), || at(SimTime::ZERO));
                assert_eq!(format!("{found:?}"), format!("{:?}", at(begin)));
            }
        }
    }
}
