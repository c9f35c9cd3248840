//! Configuration of what the applications send.

use multihop_proto::units::{Bitrate, Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// One flow from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlowConfig {
    /// Name in tables; by default the flow's place in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the application sends.
    #[serde(default = "FlowConfig::default_kind")]
    pub kind: FlowKind,
    /// What carries it; by default TCP for `bulk` and `file`, UDP for `cbr` and `on-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Name of the sending node.
    #[serde(deserialize_with = "node_name")]
    pub from: String,
    /// Name of the receiving node.
    #[serde(deserialize_with = "node_name")]
    pub to: String,
    /// When it begins.
    #[serde(default)]
    pub start: Dur,
    /// When it ends; by default with the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Dur>,
    /// Bytes to transfer, for `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Rate of the payload, for `cbr` and for the busy times of `on-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Bitrate>,
    /// Payload of a packet; by default `udp.packet`, over TCP `tcp.segment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<Bytes>,
    /// Mean length of busy times, exponentially distributed, for `on-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Dur>,
    /// Mean length of silent times, exponentially distributed, for `on-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off: Option<Dur>,
}

impl FlowConfig {
    const fn default_kind() -> FlowKind {
        FlowKind::Bulk
    }

    /// The transport, said or implied by the kind.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.transport.unwrap_or(match self.kind {
            FlowKind::Bulk | FlowKind::File => Transport::Tcp,
            FlowKind::Cbr | FlowKind::OnOff => Transport::Udp,
        })
    }
}

/// What an application sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowKind {
    /// Always has data to send.
    Bulk,
    /// A transfer of `size`.
    File,
    /// Packets at equal intervals.
    Cbr,
    /// Constant rate in busy times, silence between them.
    OnOff,
}

/// What carries a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A TCP connection.
    Tcp,
    /// UDP datagrams.
    Udp,
}

/// Node names are text; whole numbers are taken as such, since generated nodes are called "0", "1", ...
pub(crate) fn node_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Visitor;
    impl serde::de::Visitor<'_> for Visitor {
        type Value = String;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the name of a node, like \"0\"")
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
            Ok(name.to_owned())
        }

        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }
    }
    deserializer.deserialize_any(Visitor)
}
