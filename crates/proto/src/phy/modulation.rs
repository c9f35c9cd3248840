//! Constellations and code rates of OFDM (IEEE 802.11-2020 §17.3.5.8, §19.5, §21.5; 802.11ax-2021 §27.5).

/// How many bits a subcarrier carries in one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constellation {
    /// One bit.
    Bpsk,
    /// Two bits.
    Qpsk,
    /// Four bits.
    Qam16,
    /// Six bits.
    Qam64,
    /// Eight bits.
    Qam256,
    /// Ten bits.
    Qam1024,
}

impl Constellation {
    /// Bits of a subcarrier in one symbol.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
            Self::Qam1024 => 10,
        }
    }
}

/// Rate of the convolutional code: data bits over coded bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
}

impl CodeRate {
    /// Data bits, and coded bits for them.
    #[must_use]
    pub const fn fraction(self) -> (u32, u32) {
        match self {
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::FiveSixths => (5, 6),
        }
    }
}

/// A constellation and a code rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modulation {
    /// Bits of a subcarrier.
    pub constellation: Constellation,
    /// Data bits among them.
    pub code: CodeRate,
}

impl Modulation {
    /// BPSK with rate 1/2: what all headers of OFDM are sent with.
    pub const HEADER: Self = Self::new(Constellation::Bpsk, CodeRate::Half);

    /// A modulation of both.
    #[must_use]
    pub const fn new(constellation: Constellation, code: CodeRate) -> Self {
        Self { constellation, code }
    }

    /// Of an MCS from 0 to 11 of one stream.
    ///
    /// # Panics
    /// If there is no such MCS.
    #[must_use]
    pub const fn of_mcs(mcs: u8) -> Self {
        use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
        use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qpsk};
        const TABLE: [Modulation; 12] = [
            Modulation::new(Bpsk, Half),
            Modulation::new(Qpsk, Half),
            Modulation::new(Qpsk, ThreeQuarters),
            Modulation::new(Qam16, Half),
            Modulation::new(Qam16, ThreeQuarters),
            Modulation::new(Qam64, TwoThirds),
            Modulation::new(Qam64, ThreeQuarters),
            Modulation::new(Qam64, FiveSixths),
            Modulation::new(Qam256, ThreeQuarters),
            Modulation::new(Qam256, FiveSixths),
            Modulation::new(Qam1024, ThreeQuarters),
            Modulation::new(Qam1024, FiveSixths),
        ];
        TABLE[mcs as usize]
    }

    /// Data bits that so many subcarriers carry in one symbol, whole ones.
    #[must_use]
    pub const fn data_bits(self, subcarriers: u32) -> u32 {
        let (data, coded) = self.code.fraction();
        subcarriers * self.constellation.bits() * data / coded
    }
}
