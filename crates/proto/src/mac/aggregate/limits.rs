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

    /// What each MPDU takes of an A-MPDU that is sent so: delimiter, padding to four bytes, and delimiters that fill up
    /// the least time to the next start (§10.12.3).
    pub(super) fn rooms(&self, tx: TxVector) -> impl Fn(Bytes) -> Bytes + use<> {
        let least = self.least(tx);
        move |mpdu| room(mpdu, least)
    }

    /// What passes in the least time from the start of an MPDU to the next.
    fn least(&self, tx: TxVector) -> Bytes {
        match self.spacing {
            Dur::ZERO => Bytes::ZERO,
            // 16 us of 10 Gb/s are 20 000 bytes
            spacing => Bytes((tx.rate().as_bps() * spacing.as_ns()).div_ceil(8_000_000_000) as u32),
        }
    }

    /// The longest PSDU that is sent so and takes `most` at most.
    fn longest(&self, tx: TxVector, most: Dur) -> Bytes {
        self.length.min(tx.longest_within(most.min(self.time)))
    }

    /// How many of these MPDUs fit into a frame that is sent so and takes `most` at most. The first always does; alone
    /// it is no A-MPDU.
    #[must_use]
    pub fn load(&self, tx: TxVector, most: Dur, mpdus: impl Iterator<Item = Bytes>) -> Load {
        let mut filling = Filling::new(self, tx, most);
        for mpdu in mpdus {
            filling.add(mpdu);
            if !filling.fits() {
                break;
            }
        }
        filling.load()
    }

    /// Whether all of these MPDUs fit into such a frame. One does in any case.
    #[must_use]
    pub fn fit(&self, tx: TxVector, most: Dur, mpdus: impl Iterator<Item = Bytes>) -> bool {
        let mut filling = Filling::new(self, tx, most);
        mpdus.for_each(|mpdu| filling.add(mpdu));
        filling.fits()
    }
}

/// How full a frame is that is sent so and takes so long at most, as MPDUs are added to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    tx: TxVector,
    most: Dur,
    /// The longest PSDU.
    longest: Bytes,
    /// The least that an MPDU takes.
    least: Bytes,
    /// The most MPDUs.
    mpdus: usize,
    /// MPDUs in it, their PSDU, and where another one would begin.
    count: usize,
    psdu: Bytes,
    next: Bytes,
    /// The first of them that fit.
    fitting: Load,
}

impl Filling {
    /// An empty one.
    pub(super) fn new(limits: &Limits, tx: TxVector, most: Dur) -> Self {
        let (longest, least) = (limits.longest(tx, most), limits.least(tx));
        let (mpdus, fitting) = (usize::from(limits.most), Load::default());
        Self { tx, most, longest, least, mpdus, count: 0, psdu: Bytes::ZERO, next: Bytes::ZERO, fitting }
    }

    /// Whether it is one of a frame that is sent so and takes so long at most.
    pub(super) fn is_of(&self, tx: &TxVector, most: Dur) -> bool {
        self.most == most && self.tx == *tx
    }

    /// MPDUs in it.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Another MPDU joins.
    pub(super) fn add(&mut self, mpdu: Bytes) {
        self.count += 1;
        self.psdu = self.next + DELIMITER + mpdu;
        self.next += room(mpdu, self.least);
        if self.fits() {
            self.fitting = Load { count: self.count, psdu: self.psdu };
        }
    }

    /// Whether all of them fit.
    pub(super) fn fits(&self) -> bool {
        self.count <= 1 || self.count <= self.mpdus && self.psdu <= self.longest
    }

    /// The first of them that fit.
    pub(super) fn load(&self) -> Load {
        let Load { count, psdu } = self.fitting;
        Load { count, psdu: if count == 1 { psdu - DELIMITER } else { psdu } }
    }
}

/// What an MPDU takes of an A-MPDU whose MPDUs take so much at least.
fn room(mpdu: Bytes, least: Bytes) -> Bytes {
    Bytes((DELIMITER + mpdu).max(least).get().next_multiple_of(4))
}
