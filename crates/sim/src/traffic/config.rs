//! Configuration of what the applications send.

use crate::overrides::{Override, later};
use multihop_proto::shim::ShimConfig;
use multihop_proto::tcp::config::TcpConfig;
use multihop_proto::units::range::{Checked, What, Wrong, rate, span, within};
use multihop_proto::units::{Bitrate, Bytes, Dur};
use multihop_proto::wire::Dscp;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

/// Busy times of `on-off` that one packet may take.
const MOST_BURSTS: u64 = 100_000;

/// One flow from one node to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(transform = ends_or_list)]
pub struct FlowConfig {
    /// Name in tables; by default the flow's place in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the application sends.
    #[serde(default = "FlowConfig::default_kind")]
    pub kind: FlowKind,
    /// File of flows beside this one, each `source:destination:start` (start in seconds), with commas between them:
    /// each is a flow with the other keys as said here, in place of this one. Then `from`, `to` and `start` are not
    /// said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// What carries it; by default TCP for `bulk` and `file`, UDP for `cbr` and `on-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Name of the sending node. `last` is the last node of the topology.
    #[serde(deserialize_with = "node_name")]
    pub from: String,
    /// Name of the receiving node. `last` is the last node of the topology, such as the far end of a chain.
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
    /// How its packets are to be treated, in both directions: a DSCP by name or number, like "EF" for voice (RFC 4594).
    /// Stations with `mac.edca.on` take its access category from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dscp: Option<Dscp>,
    /// TCP of this flow, at both ends, where it is not as `[tcp]` says; `data-header` is of all hosts.
    #[serde(default, deserialize_with = "later", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Override<TcpConfig>")]
    pub tcp: Option<Override<TcpConfig>>,
    /// What stands between TCP and the network at the ends of this flow, where it is not as `[shim]` says.
    #[serde(default, deserialize_with = "later", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Override<ShimConfig>")]
    pub shim: Option<Override<ShimConfig>>,
}

/// In the file a flow names its ends, or a list that names them of each flow.
fn ends_or_list(schema: &mut Schema) {
    let ends = schema.remove("required").unwrap_or_default();
    let said = ["from", "to", "start"].map(|key| json!({ "required": [key] }));
    schema.insert("if".into(), json!({ "required": ["list"] }));
    schema.insert("then".into(), json!({ "not": { "anyOf": said } }));
    schema.insert("else".into(), json!({ "required": ends }));
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

    /// Whether every value can be used: what the application sends must be said, and nothing that means nothing to its
    /// kind.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        use FlowKind::{Bulk, Cbr, File, OnOff};
        let kind = match self.kind {
            Bulk => "bulk",
            File => "file",
            Cbr => "cbr",
            OnOff => "on-off",
        };
        let said = [
            ("size", self.size.is_some(), self.kind == File),
            ("rate", self.rate.is_some(), matches!(self.kind, Cbr | OnOff)),
            ("on", self.on.is_some(), self.kind == OnOff),
            ("off", self.off.is_some(), self.kind == OnOff),
        ];
        for (key, is_said, needed) in said {
            if needed && !is_said {
                let message = format!("a flow of kind \"{kind}\" needs `{key}`");
                return Err(Wrong::says(key, message, example(key)));
            }
            if is_said && !needed {
                let message = format!("`{key}` means nothing to a flow of kind \"{kind}\"");
                return Err(Wrong::says(key, message, "leave it out, or choose another kind"));
            }
        }
        self.size.map_or(Ok(()), |size| within("size", size, Bytes(1), Bytes::MAX))?;
        self.packet.map_or(Ok(()), |size| within("packet", size, Bytes(1), Bytes(65_495)))?;
        self.rate.map_or(Ok(()), |it| rate("rate", it))?;
        self.on.map_or(Ok(()), |length| span("on", length))?;
        self.off.map_or(Ok(()), |length| span("off", length))?;
        if let (Some(rate), Some(on)) = (self.rate, self.on) {
            let packet = self.packet.unwrap_or(Bytes(65_495));
            let least = Dur::from_ns(rate.airtime(packet).as_ns() / MOST_BURSTS);
            let rule = format!("at this rate it must be at least {least}: {MOST_BURSTS} bursts for a packet");
            if on < least {
                return Err(Wrong { key: "on".to_owned(), what: What::Is(on.to_string()), help: rule });
            }
        }
        if matches!(self.kind, Bulk | File) && self.transport() == Transport::Udp {
            let message = format!("a flow of kind \"{kind}\" over UDP has no rate");
            return Err(Wrong::says("transport", message, "use kind = \"cbr\" with a rate"));
        }
        for (key, said) in [("tcp", self.tcp.is_some()), ("shim", self.shim.is_some())] {
            if said
                && self.transport() != Transport::Tcp
                && (key, self.transport()) != ("tcp", Transport::Atp)
            {
                let message = format!("`{key}` means nothing to a flow over UDP or ATP");
                return Err(Wrong::says(key, message, "leave it out"));
            }
        }
        self.shim
            .as_ref()
            .map_or(Ok(()), |shim| shim.settled.check().map_err(|wrong| wrong.inside("shim")))?;
        let Some(tcp) = &self.tcp else { return Ok(()) };
        if tcp.says("data-header") {
            let help = "set `tcp.data-header` instead";
            return Err(Wrong::says("tcp.data-header", "`data-header` is of all hosts", help));
        }
        tcp.settled.check().map_err(|wrong| wrong.inside("tcp"))
    }

    /// Its TCP, which is as `[tcp]` says but for what it says itself.
    #[must_use]
    pub fn tcp<'a>(&'a self, section: &'a TcpConfig) -> &'a TcpConfig {
        self.tcp.as_ref().map_or(section, |own| &own.settled)
    }
}

impl FlowConfig {
    /// What stands between its TCP and the network: as `[shim]` says but for what it says itself.
    #[must_use]
    pub fn shim<'a>(&'a self, section: &'a ShimConfig) -> &'a ShimConfig {
        self.shim.as_ref().map_or(section, |own| &own.settled)
    }
}

fn example(key: &str) -> &'static str {
    match key {
        "size" => "like size = \"1 MB\"",
        "rate" => "like rate = \"200 kbps\"",
        _ => "like on = \"1 s\", off = \"2 s\"",
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
    /// ATP, a transport at a rate.
    Atp,
}

/// Node names are text; whole numbers are taken as such, since generated nodes are called "0", "1", ...
pub(crate) fn node_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    name(deserializer, "the name of a node, like \"0\"")
}

/// A name that may be written as a whole number; `expecting` tells what is meant if it is neither.
pub(crate) fn name<'de, D: Deserializer<'de>>(
    deserializer: D,
    expecting: &'static str,
) -> Result<String, D::Error> {
    struct Visitor(&'static str);
    impl serde::de::Visitor<'_> for Visitor {
        type Value = String;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
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
    deserializer.deserialize_any(Visitor(expecting))
}
