//! How much one frame carries.

use super::config::AggregationConfig;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur};

/// The delimiter before each MPDU (IEEE 802.11-2020 §9.7.1).
const DELIMITER: Bytes = Bytes(4);

/// The limits of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    length: Bytes,
    pub(super) time: Dur,
    spacing: Dur,
    /// MPDUs.
    pub(super) most: u16,
    /// Longest A-MSDU.
    pub(super) amsdu: Bytes,
}

/// What a frame carries: the first so many MPDUs, in a PSDU of this length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// MPDUs.
    pub count: usize,
    /// Its length.
    pub psdu: Bytes,
}

impl Limits {
    /// Those of a configuration.
    #[must_use]
    pub const fn new(config: &AggregationConfig) -> Self {
        let AggregationConfig { max_length, max_time, spacing, window, amsdu_length, .. } = *config;
        Self { length: max_length, time: max_time, spacing, most: window, amsdu: amsdu_length }
    }

    /// What each MPDU takes of an A-MPDU that is sent so: delimiter, padding to four bytes, and delimiters that fill up the least
    /// time to the next start (§10.12.3).
    pub(super) fn rooms(&self, tx: TxVector) -> impl Fn(Bytes) -> Bytes + use<> {
        let least = match self.spacing {
            Dur::ZERO => Bytes::ZERO,
            // 16 us of 10 Gb/s are 20 000 bytes
            spacing => Bytes((tx.rate().as_bps() * spacing.as_ns()).div_ceil(8_000_000_000) as u32),
        };
        move |mpdu| Bytes((DELIMITER + mpdu).max(least).get().next_multiple_of(4))
    }

    /// The longest PSDU that is sent so and takes `most` at most.
    fn longest(&self, tx: TxVector, most: Dur) -> Bytes {
        self.length.min(tx.longest_within(most.min(self.time)))
    }

    /// How many of these MPDUs fit into a frame that is sent so and takes `most` at most. The first always does; alone it is no
    /// A-MPDU.
    #[must_use]
    pub fn load(&self, tx: TxVector, most: Dur, mpdus: impl Iterator<Item = Bytes>) -> Load {
        let (longest, room) = (self.longest(tx, most), self.rooms(tx));
        // The last MPDU is not padded.
        let (mut load, mut before) = (Load::default(), Bytes::ZERO);
        for (place, mpdu) in mpdus.take(usize::from(self.most)).enumerate() {
            let psdu = before + DELIMITER + mpdu;
            if place > 0 && (psdu > longest) {
                break;
            }
            load = Load { count: place + 1, psdu };
            before += room(mpdu);
        }
        if load.count == 1 {
            load.psdu -= DELIMITER;
        }
        load
    }

    /// Whether all of these MPDUs fit into such a frame. One does in any case.
    #[must_use]
    pub fn fit(&self, tx: TxVector, most: Dur, mpdus: impl Iterator<Item = Bytes>) -> bool {
        let (mut count, mut psdu, mut before) = (0, Bytes::ZERO, Bytes::ZERO);
        let room = self.rooms(tx);
        for mpdu in mpdus {
            count += 1;
            psdu = before + DELIMITER + mpdu;
            before += room(mpdu);
        }
        count <= 1 || count <= self.most && psdu <= self.longest(tx, most)
    }
}
