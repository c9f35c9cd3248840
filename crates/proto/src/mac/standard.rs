//! Which amendment of IEEE 802.11 the frames of a network are of, and what protects them from stations of older ones.

use crate::phy::Generation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An amendment of IEEE 802.11.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub enum Standard {
    /// DSSS and HR/DSSS (clauses 15 and 16): `data-rate` and `preamble` say what is sent.
    #[default]
    #[serde(rename = "802.11b")]
    B,
    /// OFDM at 5 GHz (clause 17): `data-rate`, 6 to 54 Mb/s.
    #[serde(rename = "802.11a")]
    A,
    /// OFDM at 2.4 GHz (clause 18): `data-rate`, 6 to 54 Mb/s.
    #[serde(rename = "802.11g")]
    G,
    /// HT (clause 19): `mcs`, `streams`, `width`, `guard-interval`, `band`.
    #[serde(rename = "802.11n")]
    N,
    /// VHT (clause 21): the same, at 5 GHz.
    #[serde(rename = "802.11ac")]
    Ac,
    /// HE of one user (802.11ax-2021 clause 27): the same keys.
    #[serde(rename = "802.11ax")]
    Ax,
}

impl Standard {
    /// Its name, as keys have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B => "802.11b",
            Self::A => "802.11a",
            Self::G => "802.11g",
            Self::N => "802.11n",
            Self::Ac => "802.11ac",
            Self::Ax => "802.11ax",
        }
    }

    /// Whose data frames have an MCS.
    #[must_use]
    pub const fn generation(self) -> Option<Generation> {
        match self {
            Self::B | Self::A | Self::G => None,
            Self::N => Some(Generation::Ht),
            Self::Ac => Some(Generation::Vht),
            Self::Ax => Some(Generation::He),
        }
    }
}

/// What goes before a frame that older stations nearby do not understand (IEEE 802.11-2020 §10.27).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameProtection {
    /// `cts-to-self` where the network has stations of 802.11b and the sender is none, else `none`. Stations of 802.11a
    /// and g read in the first header of each later frame how long it lasts.
    Auto,
    /// Nothing.
    None,
    /// A CTS to the station's own address, at the basic rate. It reserves the medium for the whole exchange.
    CtsToSelf,
    /// RTS and CTS at the basic rate, whatever the RTS threshold. The frame counts as one above it.
    RtsCts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_is_called_as_its_key_has_it() {
        use Standard::{A, Ac, Ax, B, G, N};
        for standard in [B, A, G, N, Ac, Ax] {
            let key = serde_json::to_value(standard).expect("a word");
            assert_eq!(key, standard.name());
        }
    }
}
