//! How long a frame takes, and where its parts lie.

use super::channel::Band;
use super::mcs::{DurationRule, Generation, GuardInterval, McsVector};
use super::vector::{Dsss, Ofdm, PLCP, Preamble, TxVector};
use crate::units::{Bitrate, Bytes, Dur};

/// Longest frame with an MCS (aPPDUMaxTime, IEEE 802.11-2020 tables 19-25 and 21-28).
pub const LONGEST_PPDU: Dur = Dur::from_us(5_484);

/// Bits of the PLCP preamble, long form, and of the PLCP header (§15.2.2).
const PREAMBLE_BITS: f64 = 144.0;
const HEADER_BITS: f64 = 48.0;
/// Bits before the data: the service field (§17.3.5.2).
const SERVICE: u64 = 16;
/// Bits after the data, of each encoder (§17.3.5.3).
const TAIL: u64 = 6;
/// Training fields and SIGNAL of OFDM (§17.4.3), with which all later formats begin.
const LEGACY: Dur = Dur::from_us(20);
/// Of these, the training fields.
const LEGACY_TRAINING: Dur = Dur::from_us(16);
/// A symbol of OFDM.
const SYMBOL: Dur = Dur::from_us(4);

/// The parts of a frame, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sections {
    /// Training: nothing in it can be wrong.
    pub preamble: Dur,
    /// The header that says what follows: PLCP header, or the SIGNAL fields.
    pub header: Dur,
    /// Rate of the header.
    pub header_rate: Bitrate,
    /// Training for the payload.
    pub training: Dur,
    /// The PSDU, with service and tail bits and padding.
    pub payload: Dur,
    /// Silence that still counts as part of the frame.
    pub extension: Dur,
}

impl Sections {
    /// All of them together.
    #[must_use]
    pub fn airtime(&self) -> Dur {
        self.before_payload() + self.payload + self.extension
    }

    /// Until the payload begins.
    #[must_use]
    pub fn before_payload(&self) -> Dur {
        self.preamble + self.header + self.training
    }
}

impl TxVector {
    /// How long a frame with so many bytes in its PSDU takes.
    #[inline(always)] // of DSSS it is one division; the others stay apart
    #[must_use]
    pub fn airtime(self, psdu: Bytes) -> Dur {
        match self {
            Self::Dsss(dsss) => dsss.airtime(psdu),
            Self::Ofdm(ofdm) => ofdm.airtime(psdu),
            Self::Mcs(mcs) => mcs.airtime(psdu),
        }
    }

    /// The longest PSDU that takes so long at most, nothing if none does.
    #[must_use]
    pub fn longest_within(self, airtime: Dur) -> Bytes {
        let bits = match self {
            Self::Dsss(dsss) => dsss.bits_within(airtime),
            Self::Ofdm(ofdm) => ofdm.bits_within(airtime),
            Self::Mcs(mcs) => mcs.bits_within(airtime),
        };
        Bytes(u32::try_from(bits / 8).unwrap_or(u32::MAX))
    }

    /// How long it takes until the payload begins.
    #[must_use]
    pub fn before_payload(self) -> Dur {
        match self {
            Self::Dsss(dsss) => dsss.plcp(),
            Self::Ofdm(_) => LEGACY,
            Self::Mcs(mcs) => LEGACY + mcs.signals() + mcs.training(),
        }
    }

    /// The parts of a frame with so many bytes in its PSDU.
    #[must_use]
    pub fn sections(self, psdu: Bytes) -> Sections {
        match self {
            Self::Dsss(dsss) => dsss.sections(psdu),
            Self::Ofdm(ofdm) => {
                let header = LEGACY - LEGACY_TRAINING;
                Sections {
                    preamble: LEGACY_TRAINING,
                    header,
                    header_rate: Bitrate::from_mbps(6),
                    training: Dur::ZERO,
                    payload: ofdm.payload(psdu),
                    extension: extension(ofdm.band),
                }
            }
            Self::Mcs(mcs) => mcs.sections(psdu),
        }
    }
}

impl Dsss {
    /// PLCP preamble and header.
    #[inline]
    #[must_use]
    pub const fn plcp(self) -> Dur {
        match self.preamble {
            Preamble::Long => Dur::from_us(192),
            Preamble::Short => Dur::from_us(96),
            Preamble::DataRate => self.plcp_rate.get().airtime(PLCP),
        }
    }

    #[inline]
    fn airtime(self, psdu: Bytes) -> Dur {
        self.plcp() + self.rate.get().airtime(psdu)
    }

    fn bits_within(self, airtime: Dur) -> u64 {
        let scaled =
            u128::from(airtime.saturating_sub(self.plcp()).as_ns()) * u128::from(self.rate.get().as_bps());
        u64::try_from(scaled / 1_000_000_000).unwrap_or(u64::MAX)
    }

    fn sections(self, psdu: Bytes) -> Sections {
        let fixed = |header_bps: u64, bits: f64| {
            let header = Dur::from_secs_f64(HEADER_BITS / header_bps as f64);
            (Dur::from_secs_f64(bits / 1e6), header, Bitrate::from_bps(header_bps))
        };
        let (preamble, header, header_rate) = match self.preamble {
            Preamble::Long => fixed(1_000_000, PREAMBLE_BITS),
            Preamble::Short => fixed(2_000_000, PREAMBLE_BITS / 2.0),
            Preamble::DataRate => {
                let plcp = self.plcp_rate.get();
                let bps = plcp.as_bps() as f64;
                (Dur::from_secs_f64(PREAMBLE_BITS / bps), Dur::from_secs_f64(HEADER_BITS / bps), plcp)
            }
        };
        let payload = self.airtime(psdu).saturating_sub(preamble + header);
        Sections { preamble, header, header_rate, training: Dur::ZERO, payload, extension: Dur::ZERO }
    }
}

impl Ofdm {
    #[inline(never)]
    fn airtime(self, psdu: Bytes) -> Dur {
        LEGACY + self.payload(psdu) + extension(self.band)
    }

    fn payload(self, psdu: Bytes) -> Dur {
        SYMBOL * (SERVICE + TAIL + psdu.bits()).div_ceil(u64::from(self.rate.bits_per_symbol()))
    }

    fn bits_within(self, airtime: Dur) -> u64 {
        let payload = airtime.saturating_sub(LEGACY + extension(self.band));
        bits_of_symbols(payload, SYMBOL, self.rate.bits_per_symbol()).saturating_sub(SERVICE + TAIL)
    }
}

impl McsVector {
    #[inline(never)]
    fn airtime(&self, psdu: Bytes) -> Dur {
        self.around_payload() + self.payload(psdu)
    }

    /// What a frame takes beside its payload.
    fn around_payload(&self) -> Dur {
        LEGACY + self.signals() + self.training() + self.extension()
    }

    fn bits_within(&self, airtime: Dur) -> u64 {
        let most = airtime.saturating_sub(self.around_payload());
        let payload = if self.rounds() { SYMBOL * (most.as_ns() / SYMBOL.as_ns()) } else { most };
        let bits = bits_of_symbols(payload, self.symbol(), self.bits_per_symbol());
        bits.saturating_sub(SERVICE + TAIL * self.encoders())
    }

    /// Whether the payload ends with a whole symbol of OFDM, since its own are shorter.
    fn rounds(&self) -> bool {
        self.guard == GuardInterval::Ns400 && self.durations == DurationRule::Standard
    }

    fn sections(&self, psdu: Bytes) -> Sections {
        Sections {
            preamble: LEGACY_TRAINING,
            header: LEGACY - LEGACY_TRAINING + self.signals(),
            header_rate: Bitrate::from_mbps(6),
            training: self.training(),
            payload: self.payload(psdu),
            extension: self.extension(),
        }
    }

    /// SIGNAL fields after the legacy one: HT-SIG; VHT-SIG-A; RL-SIG and HE-SIG-A.
    const fn signals(&self) -> Dur {
        match self.generation {
            Generation::Ht | Generation::Vht => Dur::from_us(8),
            Generation::He => Dur::from_us(12),
        }
    }

    /// From the SIGNAL fields to the payload: the short training field, a long one for each stream or for pairs of
    /// them, and SIG-B of VHT (§19.4.3, §21.4.3; 802.11ax-2021 §27.4.3).
    fn training(&self) -> Dur {
        let ns3 = self.durations == DurationRule::Ns3;
        let fields = u64::from(match self.streams {
            1 | 2 => self.streams,
            3 | 4 => 4,
            5 | 6 => 6,
            _ => 8,
        });
        let short = Dur::from_us(4);
        match self.generation {
            Generation::Ht => short + Dur::from_us(4) * fields,
            Generation::Vht => {
                let sig_b = if ns3 { Dur::ZERO } else { Dur::from_us(4) };
                short + Dur::from_us(4) * fields + sig_b
            }
            Generation::He => short + self.he_training_field(ns3) * fields,
        }
    }

    /// A training field of HE: 2x with a guard interval of 0.8 or 1.6 us, 4x with 3.2 us.
    const fn he_training_field(&self, ns3: bool) -> Dur {
        Dur::from_ns(match self.guard {
            _ if ns3 => 8_000,
            GuardInterval::Ns400 | GuardInterval::Ns800 => 7_200,
            GuardInterval::Ns1600 => 8_000,
            GuardInterval::Ns3200 => 16_000,
        })
    }

    fn payload(&self, psdu: Bytes) -> Dur {
        let bits = SERVICE + TAIL * self.encoders() + psdu.bits();
        let symbols = bits.div_ceil(u64::from(self.bits_per_symbol()));
        let exact = self.symbol() * symbols;
        if self.rounds() { SYMBOL * exact.as_ns().div_ceil(SYMBOL.as_ns()) } else { exact }
    }

    /// Convolutional encoders: by the rate alone, which leaves out a few exceptions of the standard's tables.
    const fn encoders(&self) -> u64 {
        let rate = self.rate().as_bps();
        match (self.generation, self.guard) {
            (Generation::Ht, _) => 1 + (rate > 300_000_000) as u64,
            (Generation::Vht, GuardInterval::Ns400) => rate.div_ceil(600_000_000),
            (Generation::Vht, _) => rate.div_ceil(540_000_000),
            (Generation::He, _) => 1,
        }
    }

    const fn extension(&self) -> Dur {
        match self.generation {
            Generation::Vht => Dur::ZERO,
            Generation::Ht | Generation::He => extension(self.band),
        }
    }
}

/// Bits of the symbols that fit into a time.
fn bits_of_symbols(time: Dur, symbol: Dur, bits: u32) -> u64 {
    (time.as_ns() / symbol.as_ns()).saturating_mul(u64::from(bits))
}

/// Silence at the end of a frame of OFDM, HT or HE at 2.4 GHz (§10.3.8, §18.3.2.4).
const fn extension(band: Band) -> Dur {
    match band {
        Band::Ghz2 => Dur::from_us(6),
        Band::Ghz5 => Dur::ZERO,
    }
}
