//! Radios that nodes have in common: `[[radio]]`.

use super::group::{RadioConfig, channel, node_names};
use multihop_proto::mac::config::Width;
use multihop_proto::units::range::{Checked, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// One radio more for each of these nodes. The radios of a node are those of its `[[node]]`, then those of each
/// `[[radio]]` that names it, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RadioGroup {
    /// Names of the nodes that have it; absent: all nodes.
    #[serde(default, deserialize_with = "some_names", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub nodes: Option<Vec<String>>,
    /// The number of its channel, from 1 to 233. It hears frames of radios on the same channel only. Channels do not
    /// overlap: neighbouring numbers do not disturb each other.
    pub channel: u16,
    /// Width of the channel, where it is not `mac.width`. It holds for all radios on the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// MCS of data frames on the channel, where it is not `mac.mcs`. It holds for all radios on the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Spatial streams on the channel, where they are not `mac.streams`. It holds for all radios on the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
}

/// A radio that the scenario names, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedRadio {
    /// The group of nodes whose own it is; none if a `[[radio]]` names it.
    pub(crate) group: Option<usize>,
    /// Its place in the list there.
    pub(crate) place: usize,
    /// What is said of it.
    pub(crate) radio: RadioConfig,
}

impl NamedRadio {
    /// Its path in the scenario.
    pub(crate) fn path(&self) -> String {
        let Self { group, place, .. } = self;
        group.map_or_else(|| format!("radio.{place}"), |node| format!("node.{node}.radio.{place}"))
    }
}

impl RadioGroup {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        if self.nodes.as_ref().is_some_and(Vec::is_empty) {
            let help = "name some, like nodes = [\"0\", \"2\"], or leave `nodes` out for all";
            return Err(Wrong::says("nodes", "a radio of no nodes", help));
        }
        channel("channel", self.channel)
    }

    /// What each of its nodes has.
    pub(crate) const fn radio(&self) -> RadioConfig {
        RadioConfig { channel: self.channel, width: self.width, mcs: self.mcs, streams: self.streams }
    }
}

fn some_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    node_names(deserializer).map(Some)
}
