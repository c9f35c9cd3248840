//! Agents in relays: `[[agent]]`.

use crate::traffic::config::name;
use multihop_proto::proxy::{AgentKind, AgentSetup, ITcpConfig, SnoopConfig, SplitTcpConfig};
use multihop_proto::units::range::{Checked, Wrong, within};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Agents of one kind. One of `at`, `every` and `place` says where they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentConfig {
    /// Which.
    pub kind: AgentKind,
    /// Names of the nodes at which they stand, whether or not a flow passes there.
    #[serde(default, deserialize_with = "node_names", skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<String>>,
    /// One stands at every so many hops of each flow's best path as the run begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u32>,
    /// One stands at this relay of each flow's best path as the run begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathPlace>,
    /// Names of the flows, or their numbers in the file, from 1, that they serve; by default all over TCP whose
    /// ends have what such an agent needs there.
    #[serde(default, deserialize_with = "flow_names", skip_serializing_if = "Option::is_none")]
    pub flows: Option<Vec<String>>,
    /// Parameters of `kind = "i-tcp"`.
    #[serde(default)]
    pub i_tcp: ITcpConfig,
    /// Parameters of `kind = "split-tcp"`.
    #[serde(default)]
    pub split_tcp: SplitTcpConfig,
    /// Parameters of `kind = "snoop"` and `kind = "snoop-eln"`.
    #[serde(default)]
    pub snoop: SnoopConfig,
}

/// A relay of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathPlace {
    /// The first, one hop from the source.
    FirstRelay,
    /// The one in the middle; of two the one nearer to the source.
    Middle,
    /// The last, one hop from the destination.
    LastRelay,
}

impl AgentConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let said = [self.at.is_some(), self.every.is_some(), self.place.is_some()];
        match said.iter().filter(|&&said| said).count() {
            0 => {
                let help = "like at = [\"3\"], every = 3 or place = \"last-relay\"";
                return Err(Wrong::says("kind", "an agent must stand somewhere", help));
            }
            1 => {}
            _ => {
                let key = if self.place.is_some() { "place" } else { "every" };
                let message = "`at`, `every` and `place` each say where the agents stand";
                return Err(Wrong::says(key, message, "keep one of them"));
            }
        }
        if self.at.as_ref().is_some_and(Vec::is_empty) {
            return Err(Wrong::says("at", "agents at no nodes", "name some, like at = [\"3\"]"));
        }
        if self.flows.as_ref().is_some_and(Vec::is_empty) {
            return Err(Wrong::says("flows", "agents for no flows", "leave it out, or name some"));
        }
        self.every.map_or(Ok(()), |hops| within("every", hops, 1, 1000))?;
        self.setup().check()
    }

    /// The agent with its parameters.
    #[must_use]
    pub const fn setup(&self) -> AgentSetup {
        AgentSetup { kind: self.kind, i_tcp: self.i_tcp, split_tcp: self.split_tcp, snoop: self.snoop }
    }
}

fn node_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Name(#[serde(deserialize_with = "crate::traffic::config::node_name")] String);
    Ok(Some(Vec::<Name>::deserialize(deserializer)?.into_iter().map(|Name(name)| name).collect()))
}

fn flow_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    fn flow_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        name(deserializer, "the name or the number of a flow, like \"1\"")
    }
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Name(#[serde(deserialize_with = "flow_name")] String);
    Ok(Some(Vec::<Name>::deserialize(deserializer)?.into_iter().map(|Name(name)| name).collect()))
}
