//! What some nodes have otherwise than the others: `[[node]]`.

use crate::mobility::MobilityConfig;
use crate::overrides::{Override, later};
use crate::traffic::config::node_name;
use multihop_proto::mac::config::{MacConfig, Width};
use multihop_proto::queue::config::QueueConfig;
use multihop_proto::units::range::{Checked, Wrong, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Some nodes that have values of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeConfig {
    /// Their names.
    #[serde(deserialize_with = "node_names")]
    pub names: Vec<String>,
    /// Their medium access, where it is not as `[mac]` says; rates, preamble and `data-overhead` are of all stations.
    /// `standard` may be older than that of the network: it brings its own window and rates, and `data-rate` may stand
    /// beside it.
    #[serde(default, deserialize_with = "later", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Override<MacConfig>")]
    pub mac: Option<Override<MacConfig>>,
    /// Their interface queue, where it is not as `[queue]` says.
    #[serde(default, deserialize_with = "later", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Override<QueueConfig>")]
    pub queue: Option<Override<QueueConfig>>,
    /// The radios of each of them, each on a channel of its own. Two nodes that share several channels use the one that
    /// stands first in the list of the sender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radio: Vec<RadioConfig>,
    /// How they move, in place of what `[mobility]` says; `kind = "static"` lets them stay.
    #[serde(default, deserialize_with = "unread", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MobilityConfig")]
    pub mobility: Option<MobilityConfig>,
}

/// A radio of a node. What one radio says of its channel holds for all radios on that channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RadioConfig {
    /// The number of its channel, from 1 to 233. It hears frames of radios on the same channel only; a node without
    /// `radio` is on channel 1. Channels do not overlap: neighbouring numbers do not disturb each other.
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

impl RadioConfig {
    /// What it says of its channel, by the names of the keys.
    pub(crate) fn said(&self) -> [(&'static str, Option<String>); 3] {
        let number = |it: Option<u8>| it.map(|it| it.to_string());
        let width = self.width.map(|it| format!("{} MHz", it.mhz()));
        [("width", width), ("mcs", number(self.mcs)), ("streams", number(self.streams))]
    }

    /// Whether it says of its channel no more than the number.
    pub(crate) const fn is_plain(&self) -> bool {
        self.width.is_none() && self.mcs.is_none() && self.streams.is_none()
    }
}

/// A node has at most so many radios.
pub(super) const MOST_RADIOS: usize = 8;

/// Whether a number can be that of a channel.
pub(super) fn channel(key: &str, number: u16) -> Checked {
    within(key, number, 1, 233)
}

/// The channel of radios for which none is named.
pub(super) const FIRST_CHANNEL: u16 = 1;

/// What all stations must have in common to understand each other.
const COMMON: &[&str] = &[
    "standard",
    "band",
    "mcs",
    "streams",
    "width",
    "guard-interval",
    "durations",
    "data-rate",
    "basic-rate",
    "ack-rate",
    "preamble",
    "data-overhead",
];

impl NodeConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        if self.names.is_empty() {
            return Err(Wrong::says(
                "names",
                "a group of no nodes",
                "name some, like names = [\"3\", \"4\"]",
            ));
        }
        if let Some(mac) = &self.mac {
            let own = |key| key == "standard" || key == "data-rate" && mac.says("standard");
            if let Some(key) = COMMON.iter().find(|&&key| mac.says(key) && !own(key)) {
                let message = format!("`{key}` is of all stations");
                return Err(Wrong::says(format!("mac.{key}"), message, format!("set `mac.{key}` instead")));
            }
            mac.settled.check().map_err(|wrong| wrong.inside("mac"))?;
        }
        for (index, radio) in self.radio.iter().enumerate() {
            let key = format!("radio.{index}.channel");
            channel(&key, radio.channel)?;
            let own = self.radio[..index].iter().all(|other| other.channel != radio.channel);
            must(own, &key, radio.channel, "be a channel of its own: another radio of the node is on it")?;
        }
        if self.radio.len() > MOST_RADIOS {
            let what = format!("a node has at most {MOST_RADIOS} radios");
            return Err(Wrong::says("radio", what, "name fewer radios"));
        }
        self.queue
            .as_ref()
            .map_or(Ok(()), |queue| queue.settled.check().map_err(|wrong| wrong.inside("queue")))
    }
}

/// The code that knows the kinds reads it.
fn unread<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Option<T>, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| None)
}

pub(super) fn node_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Name(#[serde(deserialize_with = "node_name")] String);
    Ok(Vec::<Name>::deserialize(deserializer)?.into_iter().map(|Name(name)| name).collect())
}
