//! Configuration of rate control.

pub use super::minstrel::config::MinstrelConfig;
pub use super::minstrel_ht::config::{MinstrelHtConfig, MinstrelHtVersion};
use crate::keys;
use crate::units::range::must;
use crate::units::{Bitrate, Decibel, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rates of DSSS and HR/DSSS, the lowest first (IEEE 802.11-2020 §15.2.3, §16.2.3).
pub const DSSS_RATES: [Bitrate; 4] =
    [Bitrate::from_mbps(1), Bitrate::from_mbps(2), Bitrate::from_bps(5_500_000), Bitrate::from_mbps(11)];

/// How the rate of a data frame to one neighbour is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateControlKind {
    /// It is `data-rate`.
    #[default]
    Fixed,
    /// Auto rate fallback: by the ACKs that came and failed to come (Kamerman & Monteban, Bell Labs Technical Journal
    /// 2, 1997).
    Arf,
    /// By the ratio of signal to noise at which the neighbour was heard.
    Snr,
    /// The fastest rate at whose bits the ratio of signal to noise leaves an error in a million: `IdealWifiManager` of
    /// ns-3.
    Ideal,
    /// Minstrel, for 802.11a, b and g: by what became of frames.
    Minstrel,
    /// Minstrel-HT, from 802.11a on: by what became of MPDUs.
    MinstrelHt,
}

keys! {
    /// Auto rate fallback.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ArfConfig {
        /// So many frames in a row acknowledged, and the next higher rate is tried.
        pub up_after: u32 = 10 => within(1, 1_000_000),
        /// So many attempts in a row without an ACK, and the rate falls; at a rate that is being tried, the first.
        pub down_after: u32 = 2 => within(1, 1000),
        /// The next higher rate is tried, too, so long after the rate fell. The authors have such a timer and give no
        /// value.
        pub timer: Dur = Dur::from_ms(60) => within(Dur::from_us(1), Dur::from_secs(3600)),
    }
}

/// A ratio that can be compared with one of signal to noise.
const LEAST: Decibel = Decibel::new(-100.0);
const MOST: Decibel = Decibel::new(100.0);

keys! {
    /// Rates by the ratio of signal to noise. From 802.11a on, the error curve says what a rate needs: half a decibel
    /// more than leaves 1 % of all frames of 1536 bytes with an error. With 802.11b the keys say it. Their defaults are
    /// half a decibel and more above what leaves such an error under `air.error-curve = "dsss"`: 2.6, 2.3 and 5.4 dB.
    /// What carries 2 Mb/s carries 5.5 Mb/s there.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SnrConfig {
        /// With 802.11b: from this ratio on, 2 Mb/s; below it, 1 Mb/s.
        pub least_2mbps: Decibel = Decibel::new(3.0) => within(LEAST, MOST),
        /// With 802.11b: from this ratio on, 5.5 Mb/s.
        pub least_5mbps: Decibel = Decibel::new(3.0) => within(LEAST, MOST),
        /// With 802.11b: from this ratio on, 11 Mb/s.
        pub least_11mbps: Decibel = Decibel::new(6.0) => within(LEAST, MOST),
        /// Weight of the newest frame in the average of the ratio in decibels; 1: it alone counts.
        pub weight: f64 = 1.0 => positive(1.0),
    }
    also(its) {
        let rule = "not lie below that of a lower rate";
        must(its.least_5mbps >= its.least_2mbps, "least-5mbps", its.least_5mbps, rule)?;
        must(its.least_11mbps >= its.least_5mbps, "least-11mbps", its.least_11mbps, rule)
    }
}

impl SnrConfig {
    /// What the second rate of the [`DSSS_RATES`] needs, the third, the fourth.
    #[must_use]
    pub const fn steps(&self) -> [Decibel; DSSS_RATES.len() - 1] {
        [self.least_2mbps, self.least_5mbps, self.least_11mbps]
    }
}
