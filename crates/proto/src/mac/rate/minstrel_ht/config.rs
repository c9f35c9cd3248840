//! Configuration of Minstrel-HT.

use crate::keys;
use crate::units::Dur;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which Minstrel-HT it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum MinstrelHtVersion {
    /// Linux since 2021: every 20 ms a frame of one MPDU tries a rate that is likely to be of use.
    #[serde(rename = "linux-2021")]
    Linux2021,
    /// ns-3.44, after Linux before 2021: all rates are tried in turn, each by a whole frame, so many frames after the
    /// one before.
    #[serde(rename = "ns3")]
    Ns3,
}

keys! {
    /// Minstrel-HT. The defaults are Linux's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MinstrelHtConfig {
        /// Which Minstrel-HT it is: Linux's since 2021, or the older one of ns-3.44.
        pub version: MinstrelHtVersion = MinstrelHtVersion::Linux2021,
        /// How often the statistics are taken.
        pub update: Dur = Dur::from_ms(50) => within(Dur::from_us(1), Dur::from_secs(60)),
        /// With `version = "linux-2021"`: least time between two frames that try a rate.
        pub sample: Dur = Dur::from_ms(20) => within(Dur::from_us(1), Dur::from_secs(60)),
        /// Most tries at one rate of the retry chain.
        pub tries: u32 = 7 => within(1, 100),
        /// All tries at one rate fit into this time, but for the first two.
        pub stage: Dur = Dur::from_ms(6) => within(Dur::ZERO, Dur::from_secs(1)),
    }
}
