//! Configuration of EDCA.

use super::dscp_map::DscpMap;
use crate::keys;
use crate::units::Dur;
use crate::units::range::{Checked, must, within};
use crate::wire::{Category, Dscp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Enhanced distributed channel access (IEEE 802.11-2020 §10.23.2): four categories of traffic contend for
    /// themselves in each station. Needs frames with an MCS.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct EdcaConfig {
        /// Whether stations have four access categories, each with a queue of its own. If not, all frames are best
        /// effort.
        pub on: bool = false,
        /// How a packet's DSCP says its category.
        pub map: DscpMap = DscpMap::Linux,
        /// DSCP of routing messages. `"CS0"`: they are best effort.
        pub routing_dscp: Dscp = Dscp::CS6,
        /// How much of a transmit opportunity its frames reserve.
        pub protection: Protection = Protection::Single,
        /// `AC_BK`.
        pub background: CategoryConfig = CategoryConfig::default() => inside,
        /// `AC_BE`.
        pub best_effort: CategoryConfig = CategoryConfig::default() => inside,
        /// `AC_VI`.
        pub video: CategoryConfig = CategoryConfig::default() => inside,
        /// `AC_VO`.
        pub voice: CategoryConfig = CategoryConfig::default() => inside,
    }
}

/// How much of a transmit opportunity its frames reserve (IEEE 802.11-2020 §9.2.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// Each frame reserves its own exchange.
    Single,
    /// Each reserves all that is left of the opportunity. A CF-End gives back what is not used (§10.23.2.10): ns-3.
    Multiple,
}

keys! {
    /// One access category. What is not said here is as table 9-155 has it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CategoryConfig {
        /// Slots of AIFS after SIFS: of background 7, best effort 3, video and voice 2.
        pub aifsn: Option<u32> = None => if_set(2, 15),
        /// Smallest contention window: of background and best effort 15, video 7, voice 3.
        pub cw_min: Option<u32> = None => if_set(1, 1 << 15),
        /// Largest contention window: of background and best effort 1023, video 15, voice 7.
        pub cw_max: Option<u32> = None => if_set(1, 1 << 15),
        /// For how long a station that has won the medium may send frames of the category: of background and best
        /// effort 2.528 ms, video 4.096 ms, voice 2.08 ms. `"0 s"`: one frame.
        pub txop: Option<Dur> = None,
        /// Whether its frames are aggregated, if any are: all but those of voice, as in Linux.
        pub aggregate: Option<bool> = None,
    }
    also(its) {
        if let Some(txop) = its.txop {
            within("txop", txop, Dur::ZERO, Dur::from_us(255 * 32))?;
        }
        match (its.cw_min, its.cw_max) {
            (Some(least), Some(most)) => check_windows(least, most),
            _ => Ok(()),
        }
    }
}

fn check_windows(least: u32, most: u32) -> Checked {
    must(least <= most, "cw-max", most, format_args!("be at least `cw-min`, {least}"))
}

/// The parameters of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Slots of AIFS after SIFS.
    pub aifsn: u32,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Longest time of a transmit opportunity; zero: one frame.
    pub txop: Dur,
    /// Whether its frames are aggregated.
    pub aggregate: bool,
}

impl Parameters {
    /// The default ones of OFDM stations that are no access points (IEEE 802.11-2020 table 9-155).
    #[must_use]
    pub const fn usual(category: Category) -> Self {
        let (aifsn, cw_min, cw_max, txop) = match category {
            Category::Background => (7, 15, 1023, 2_528),
            Category::BestEffort => (3, 15, 1023, 2_528),
            Category::Video => (2, 7, 15, 4_096),
            Category::Voice => (2, 3, 7, 2_080),
        };
        let aggregate = !matches!(category, Category::Voice);
        Self { aifsn, cw_min, cw_max, txop: Dur::from_us(txop), aggregate }
    }
}

impl EdcaConfig {
    /// The parameters of a category.
    #[must_use]
    pub fn parameters(&self, category: Category) -> Parameters {
        let said = match category {
            Category::Background => self.background,
            Category::BestEffort => self.best_effort,
            Category::Video => self.video,
            Category::Voice => self.voice,
        };
        let usual = Parameters::usual(category);
        let cw_min = said.cw_min.unwrap_or_else(|| usual.cw_min.min(said.cw_max.unwrap_or(u32::MAX)));
        Parameters {
            aifsn: said.aifsn.unwrap_or(usual.aifsn),
            cw_min,
            cw_max: said.cw_max.unwrap_or(usual.cw_max).max(cw_min),
            txop: said.txop.unwrap_or(usual.txop),
            aggregate: said.aggregate.unwrap_or(usual.aggregate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_as_the_standard_has_it() {
        let video = CategoryConfig { aifsn: Some(4), txop: Some(Dur::ZERO), ..CategoryConfig::default() };
        let edca = EdcaConfig { on: true, video, ..EdcaConfig::default() };
        let Parameters { aifsn, cw_min, cw_max, txop, aggregate } = edca.parameters(Category::Video);
        assert_eq!((aifsn, cw_min, cw_max, txop, aggregate), (4, 7, 15, Dur::ZERO, true));
        assert_eq!(edca.parameters(Category::Voice), Parameters::usual(Category::Voice));
        // A window that is said moves the other one that it would cross.
        let wide = CategoryConfig { cw_min: Some(31), ..CategoryConfig::default() };
        let edca = EdcaConfig { video: wide, ..edca };
        assert_eq!(edca.parameters(Category::Video).cw_max, 31);
        let narrow = CategoryConfig { cw_max: Some(1), ..CategoryConfig::default() };
        let edca = EdcaConfig { voice: narrow, ..edca };
        assert_eq!(edca.parameters(Category::Voice).cw_min, 1);
        assert!(CategoryConfig { cw_min: Some(9), cw_max: Some(8), ..video }.check().is_err());
        assert!(CategoryConfig { txop: Some(Dur::from_ms(9)), ..video }.check().is_err());
    }
}
