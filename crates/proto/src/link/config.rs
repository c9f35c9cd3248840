//! Which data link nodes have.

use crate::keys;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// The data link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LinkConfig {
        /// Which: `dcf` is an interface queue (`[queue]`) with a MAC (`[mac]`), `frn` the slotted link (`[frn]`).
        pub kind: LinkKind = LinkKind::Dcf,
    }
}

/// The data links that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// An interface queue with a MAC behind it, as in IEEE 802.11 stations.
    Dcf,
    /// The slotted link of the Flexible Radio Network, which keeps its packets itself.
    Frn,
}

impl LinkKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Dcf, Self::Frn];

    /// The name of the kind in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dcf => "dcf",
            Self::Frn => "frn",
        }
    }

    /// The sections of a scenario that only this kind of link reads.
    #[must_use]
    pub const fn sections(self) -> &'static [&'static str] {
        match self {
            Self::Dcf => &["mac", "queue"],
            Self::Frn => &["frn"],
        }
    }

    /// Why its nodes have one radio and no more, if that is so.
    #[must_use]
    pub const fn needs_one_radio(self) -> Option<&'static str> {
        match self {
            Self::Dcf => None,
            Self::Frn => Some(
                "a node of the slotted link has one radio: all nodes keep to the slots of one channel, and a node hears \
                 that the next hop has a packet when it sends it on there",
            ),
        }
    }

    /// Whether nodes have an interface queue and a MAC.
    #[must_use]
    pub const fn has_queue(self) -> bool {
        matches!(self, Self::Dcf)
    }
}
