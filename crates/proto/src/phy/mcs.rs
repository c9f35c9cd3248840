//! Modulation and coding schemes: HT, VHT, and HE of one user (IEEE 802.11-2020 §19.5, §21.5; 802.11ax-2021 §27.5).

use super::channel::{Band, Width};
use super::modulation::Modulation;
use crate::units::{Bitrate, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Guard interval before each symbol.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum GuardInterval {
    /// Short, of HT and VHT.
    #[serde(rename = "0.4 us")]
    Ns400,
    /// Long, of HT and VHT; the shortest of HE.
    #[default]
    #[serde(rename = "0.8 us")]
    Ns800,
    /// Of HE.
    #[serde(rename = "1.6 us")]
    Ns1600,
    /// Of HE.
    #[serde(rename = "3.2 us")]
    Ns3200,
}

impl GuardInterval {
    /// In nanoseconds.
    #[must_use]
    pub const fn ns(self) -> u64 {
        400 << self as u64
    }
}

/// Which amendment's frame format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// High throughput, mixed format: 802.11n.
    Ht,
    /// Very high throughput, one user: 802.11ac.
    Vht,
    /// High efficiency, one user: 802.11ax.
    He,
}

/// By which rules the length of a frame follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DurationRule {
    /// The standard's.
    #[default]
    Standard,
    /// ns-3.44's: no SIG-B in VHT frames; symbols of short guard intervals not rounded up to 4 us; training fields of
    /// HE of 8 us each.
    Ns3,
}

/// A frame with a modulation and coding scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct McsVector {
    /// Frame format.
    pub generation: Generation,
    /// MCS of each stream, 0 to 11; HT counts MCS + 8 (streams - 1).
    pub mcs: u8,
    /// Spatial streams.
    pub streams: u8,
    /// Width of the channel.
    pub width: Width,
    /// Guard interval.
    pub guard: GuardInterval,
    /// The band: at 2.4 GHz HT and HE frames end with 6 us of silence.
    pub band: Band,
    /// By which rules its length follows.
    pub durations: DurationRule,
}

impl McsVector {
    /// Whether the standard has such a frame.
    ///
    /// # Errors
    /// What is wrong with it: the key that says it, and what its value must do.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Self { generation, mcs, streams, width, guard, band, .. } = *self;
        match generation {
            Generation::Ht if mcs > 7 => {
                Err(("mcs", "be at most 7 in 802.11n, which counts each stream's: `streams` says how many"))
            }
            Generation::Ht if streams > 4 => Err(("streams", "be at most 4 in 802.11n")),
            Generation::Ht if width > Width::Mhz40 => Err(("width", "be at most 40 MHz in 802.11n")),
            Generation::Vht if mcs > 9 => Err(("mcs", "be at most 9 in 802.11ac")),
            Generation::He if mcs > 11 => Err(("mcs", "be at most 11 in 802.11ax")),
            Generation::He if band == Band::Ghz2 && width > Width::Mhz40 => {
                Err(("width", "be 20 or 40 MHz at 2.4 GHz"))
            }
            Generation::Vht if band == Band::Ghz2 => Err(("band", "be 5 GHz in 802.11ac")),
            _ if streams == 0 || streams > 8 => Err(("streams", "lie between 1 and 8")),
            Generation::Ht | Generation::Vht if guard > GuardInterval::Ns800 => {
                Err(("guard-interval", "be 0.4 us or 0.8 us before 802.11ax"))
            }
            Generation::He if guard == GuardInterval::Ns400 => {
                Err(("guard-interval", "be 0.8 us, 1.6 us or 3.2 us in 802.11ax"))
            }
            Generation::Vht if !self.bits_split_evenly() => Err((
                "mcs",
                "be another one with this width and these streams: 802.11ac leaves it out (clause 21.5)",
            )),
            _ => Ok(()),
        }
    }

    /// Whether the bits of a VHT symbol split evenly over the encoders (§21.5).
    const fn bits_split_evenly(&self) -> bool {
        !matches!(
            (self.width, self.mcs, self.streams),
            (Width::Mhz20, 9, 1 | 2 | 4 | 5 | 7 | 8)
                | (Width::Mhz80, 6, 3 | 7)
                | (Width::Mhz80, 9, 6)
                | (Width::Mhz160, 9, 3)
        )
    }

    /// Constellation and code rate.
    #[must_use]
    pub const fn modulation(&self) -> Modulation {
        Modulation::of_mcs(self.mcs)
    }

    /// Data subcarriers.
    const fn subcarriers(&self) -> u32 {
        match (self.generation, self.width) {
            (Generation::Ht | Generation::Vht, Width::Mhz20) => 52,
            (Generation::Ht | Generation::Vht, Width::Mhz40) => 108,
            (Generation::Ht | Generation::Vht, Width::Mhz80) => 234,
            (Generation::Ht | Generation::Vht, Width::Mhz160) => 468,
            (Generation::He, Width::Mhz20) => 234,
            (Generation::He, Width::Mhz40) => 468,
            (Generation::He, Width::Mhz80) => 980,
            (Generation::He, Width::Mhz160) => 1960,
        }
    }

    /// Data bits of a symbol, all streams together.
    #[must_use]
    pub const fn bits_per_symbol(&self) -> u32 {
        self.modulation().data_bits(self.subcarriers() * self.streams as u32)
    }

    /// How long a symbol takes, its guard interval included.
    #[must_use]
    pub const fn symbol(&self) -> Dur {
        let transform = match self.generation {
            Generation::Ht | Generation::Vht => 3_200,
            Generation::He => 12_800,
        };
        Dur::from_ns(transform + self.guard.ns())
    }

    /// Data rate, whole bits per second.
    #[must_use]
    pub const fn rate(&self) -> Bitrate {
        Bitrate::from_bps(self.bits_per_symbol() as u64 * 1_000_000_000 / self.symbol().as_ns())
    }
}
