//! How long frames take, by their length: there are few lengths, and a division is dear.

use super::config::FrnConfig;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur};

/// So many lengths are remembered, by some of their bits.
const PLACES: usize = 8;
/// Lengths that differ by less share a place, mostly.
const GRAIN: usize = 16;

/// The times on the air of the last lengths.
#[derive(Clone, Debug)]
pub(super) struct Airtimes {
    /// What all frames are sent with.
    pub(super) tx: TxVector,
    known: [(Bytes, Dur); PLACES],
}

impl Airtimes {
    /// Only the time of no bytes is known.
    pub(super) fn new(config: &FrnConfig) -> Self {
        Self { tx: config.vector(), known: [(Bytes::ZERO, config.airtime(Bytes::ZERO)); PLACES] }
    }

    /// Time on the air of a frame of this length in all, see [`FrnConfig::airtime`].
    pub(super) fn of(&mut self, size: Bytes, config: &FrnConfig) -> Dur {
        let known = &mut self.known[size.get() as usize / GRAIN % PLACES];
        if known.0 != size {
            *known = (size, config.airtime(size));
        }
        known.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_share_a_place_keep_their_own_time() {
        let config = FrnConfig::default();
        let mut airtimes = Airtimes::new(&config);
        for size in [28, 68, 1068, 28, 28 + 128, 0, 28, 69, 68].map(Bytes) {
            assert_eq!(airtimes.of(size, &config), config.airtime(size), "{size}");
        }
    }
}
