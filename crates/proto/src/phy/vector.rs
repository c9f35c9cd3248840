//! What a frame is sent with: the TXVECTOR of the standard (IEEE 802.11-2020 §8.3.4), as far as it matters here.

use super::channel::{Band, Width};
use super::mcs::McsVector;
use super::modulation::{CodeRate, Constellation, Modulation};
use crate::units::{Bitrate, Bytes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The long DSSS PLCP preamble and header as bytes, which error models may cover.
pub const PLCP: Bytes = Bytes(24);

/// Form of the PLCP preamble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// 144 bits of preamble and 48 of header at 1 Mb/s: 192 us.
    Long,
    /// 72 bits at 1 Mb/s and 48 at 2 Mb/s: 96 us (HR/DSSS only).
    Short,
    /// 192 bits at the data rate: the header of a model from before the 1999 standard.
    DataRate,
}

/// What a frame is sent with. Small and `Copy`: each frame carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TxVector {
    /// DSSS and HR/DSSS: 802.11 and 802.11b.
    Dsss(Dsss),
    /// OFDM: 802.11a and 802.11g, and control frames of all that came later.
    Ofdm(Ofdm),
    /// A modulation and coding scheme: 802.11n, ac and ax.
    Mcs(McsVector),
}

impl TxVector {
    /// DSSS at a rate.
    #[must_use]
    pub const fn dsss(rate: Bitrate, preamble: Preamble) -> Self {
        let rate = DsssRate::of(rate);
        Self::Dsss(Dsss { rate, preamble, plcp_rate: rate })
    }

    /// Data rate of the payload, whole bits per second.
    #[must_use]
    pub const fn rate(self) -> Bitrate {
        match self {
            Self::Dsss(dsss) => dsss.rate.get(),
            Self::Ofdm(ofdm) => ofdm.rate.bitrate(),
            Self::Mcs(mcs) => mcs.rate(),
        }
    }

    /// Width of the channel that the frame fills; DSSS is as wide as 20 MHz.
    #[must_use]
    pub const fn width(self) -> Width {
        match self {
            Self::Dsss(_) => Width::Mhz20,
            Self::Ofdm(ofdm) => ofdm.width,
            Self::Mcs(mcs) => mcs.width,
        }
    }
}

/// A frame of DSSS or HR/DSSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dsss {
    /// Rate of the payload.
    pub rate: DsssRate,
    /// Form of the preamble.
    pub preamble: Preamble,
    /// Of [`Preamble::DataRate`]: the rate of preamble and header, that of data frames.
    pub plcp_rate: DsssRate,
}

/// A data rate of DSSS: 1, 2, 5.5 or 11 Mb/s, or another one of a model. In 32 bits without alignment, to keep
/// frames small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DsssRate([u8; 4]);

impl DsssRate {
    /// The highest that there can be.
    pub const MAX: Bitrate = Bitrate::from_bps(u32::MAX as u64);

    /// This rate; saturates at [`DsssRate::MAX`].
    #[inline]
    #[must_use]
    pub const fn of(rate: Bitrate) -> Self {
        let bps = rate.as_bps();
        Self((if bps > u32::MAX as u64 { u32::MAX } else { bps as u32 }).to_le_bytes())
    }

    /// The rate.
    #[inline]
    #[must_use]
    pub const fn get(self) -> Bitrate {
        Bitrate::from_bps(u32::from_le_bytes(self.0) as u64)
    }
}

/// A frame of OFDM. On a channel wider than 20 MHz it goes out once in each 20 MHz ("non-HT duplicate", §17.3.9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ofdm {
    /// Rate of the payload.
    pub rate: OfdmRate,
    /// All that the copies fill.
    pub width: Width,
    /// The band: at 2.4 GHz a frame ends with 6 us of silence.
    pub band: Band,
}

/// The eight rates of OFDM in 20 MHz (§17.3.2.4), the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfdmRate {
    /// BPSK 1/2.
    Mbps6,
    /// BPSK 3/4.
    Mbps9,
    /// QPSK 1/2.
    Mbps12,
    /// QPSK 3/4.
    Mbps18,
    /// 16-QAM 1/2.
    Mbps24,
    /// 16-QAM 3/4.
    Mbps36,
    /// 64-QAM 2/3.
    Mbps48,
    /// 64-QAM 3/4.
    Mbps54,
}

impl OfdmRate {
    /// All of them, the lowest first.
    pub const ALL: [Self; 8] = [
        Self::Mbps6,
        Self::Mbps9,
        Self::Mbps12,
        Self::Mbps18,
        Self::Mbps24,
        Self::Mbps36,
        Self::Mbps48,
        Self::Mbps54,
    ];

    /// Those that each station must have (§17.3.2.4): responses go at them.
    pub const MANDATORY: [Self; 3] = [Self::Mbps6, Self::Mbps12, Self::Mbps24];

    /// The rate of so many bits per second, if OFDM has it.
    #[must_use]
    pub fn of(rate: Bitrate) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.bitrate() == rate)
    }

    /// In bits per second.
    #[must_use]
    pub const fn bitrate(self) -> Bitrate {
        // A symbol takes 4 us.
        Bitrate::from_bps(self.bits_per_symbol() as u64 * 250_000)
    }

    /// Data bits of a symbol.
    #[must_use]
    pub const fn bits_per_symbol(self) -> u32 {
        self.modulation().data_bits(48)
    }

    /// Constellation and code rate.
    #[must_use]
    pub const fn modulation(self) -> Modulation {
        use CodeRate::{Half, ThreeQuarters, TwoThirds};
        use Constellation::{Bpsk, Qam16, Qam64, Qpsk};
        let (constellation, code) = match self {
            Self::Mbps6 => (Bpsk, Half),
            Self::Mbps9 => (Bpsk, ThreeQuarters),
            Self::Mbps12 => (Qpsk, Half),
            Self::Mbps18 => (Qpsk, ThreeQuarters),
            Self::Mbps24 => (Qam16, Half),
            Self::Mbps36 => (Qam16, ThreeQuarters),
            Self::Mbps48 => (Qam64, TwoThirds),
            Self::Mbps54 => (Qam64, ThreeQuarters),
        };
        Modulation::new(constellation, code)
    }

    /// The non-HT reference rate of a modulation (§10.6.11, table 10-10): the fastest rate of OFDM that asks no more of
    /// the channel than it does.
    #[must_use]
    pub const fn reference(of: Modulation) -> Self {
        use CodeRate::{Half, TwoThirds};
        use Constellation::{Bpsk, Qam16, Qam64, Qpsk};
        match (of.constellation, of.code) {
            (Bpsk, Half) => Self::Mbps6,
            (Bpsk, _) => Self::Mbps9,
            (Qpsk, Half) => Self::Mbps12,
            (Qpsk, _) => Self::Mbps18,
            (Qam16, Half) => Self::Mbps24,
            (Qam16, _) => Self::Mbps36,
            (Qam64, Half | TwoThirds) => Self::Mbps48,
            _ => Self::Mbps54,
        }
    }
}
