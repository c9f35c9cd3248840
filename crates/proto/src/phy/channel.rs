//! Band and width of a channel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Frequency band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Band {
    /// 2.4 GHz: each OFDM frame ends with 6 us of signal extension (§10.3.8, §18.3.2.4).
    #[serde(rename = "2.4 GHz")]
    Ghz2,
    /// 5 or 6 GHz.
    #[default]
    #[serde(rename = "5 GHz")]
    Ghz5,
}

impl Band {
    /// The highest number of a channel at 2.4 GHz. Those at 5 GHz begin with 32 (IEEE 802.11-2020 annex E).
    pub const LAST_AT_GHZ2: u16 = 14;
}

/// Width of a channel.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Width {
    /// 20 MHz.
    #[default]
    #[serde(rename = "20 MHz")]
    Mhz20,
    /// 40 MHz.
    #[serde(rename = "40 MHz")]
    Mhz40,
    /// 80 MHz.
    #[serde(rename = "80 MHz")]
    Mhz80,
    /// 160 MHz.
    #[serde(rename = "160 MHz")]
    Mhz160,
}

impl Width {
    /// All of them, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Mhz20, Self::Mhz40, Self::Mhz80, Self::Mhz160];

    /// In MHz.
    #[must_use]
    pub const fn mhz(self) -> u32 {
        20 << self as u32
    }

    /// How many times 20 MHz wide.
    #[must_use]
    pub const fn times_20_mhz(self) -> u32 {
        1 << self as u32
    }
}
