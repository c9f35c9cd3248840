//! Agents in relays: `[[agent]]`, from the words of the file to who stands where.

use super::flows::node_number;
use super::locate::Locator;
use super::topology::Place;
use super::{Flow, Scenario, ScenarioError};
use crate::traffic::Transport;
use crate::traffic::config::name;
use multihop_proto::proxy::config::{AgentKind, ITcpConfig, SnoopConfig, SplitTcpConfig};
use multihop_proto::proxy::{CustomProxy, Eln, ITcp, Snoop, SplitTcp};
use multihop_proto::shim::ShimKind;
use multihop_proto::tcp::TcpConfig;
use multihop_proto::units::range::{Checked, Wrong, within};
use multihop_proto::units::{FlowId, NodeId};
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

/// Where the agents of a flow stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// At these nodes, whether or not the flow passes them.
    Nodes(Vec<NodeId>),
    /// At every so many hops of the flow's shortest path as the run begins, its ends left out; 0 counts as 1.
    Every(u32),
    /// At one relay of that path, if it has any.
    One(PathPlace),
}

impl Placement {
    /// The nodes, for a flow with this path from end to end, in its order; of named nodes in the order of their naming.
    #[must_use]
    pub fn nodes(&self, path: &[NodeId]) -> Vec<NodeId> {
        let last = path.len().saturating_sub(1);
        let relays = path.get(1..last).unwrap_or_default();
        let one = match self {
            Self::Nodes(nodes) => return nodes.clone(),
            Self::Every(hops) => {
                let every = (*hops).max(1) as usize;
                return relays.iter().skip(every - 1).step_by(every).copied().collect();
            }
            Self::One(PathPlace::FirstRelay) => relays.first(),
            Self::One(PathPlace::Middle) => relays.get(relays.len().saturating_sub(1) / 2),
            Self::One(PathPlace::LastRelay) => relays.last(),
        };
        one.into_iter().copied().collect()
    }
}

/// An `[[agent]]` with nodes and flows instead of names.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// What the file says.
    pub config: AgentConfig,
    /// Where they stand.
    pub placement: Placement,
    /// Which flows they serve.
    pub flows: Vec<FlowId>,
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
        self.i_tcp.check().map_err(|wrong| wrong.inside("i-tcp"))?;
        self.snoop.check().map_err(|wrong| wrong.inside("snoop"))?;
        self.split_tcp.check().map_err(|wrong| wrong.inside("split-tcp"))
    }

    /// The agent for a flow over this TCP.
    #[must_use]
    pub fn make(&self, tcp: &TcpConfig, flow: FlowId) -> Box<dyn CustomProxy> {
        match self.kind {
            AgentKind::ITcp => Box::new(ITcp::new(self.i_tcp, tcp, flow)),
            AgentKind::Snoop => Box::new(Snoop::new(self.snoop, false)),
            AgentKind::SnoopEln => Box::new(Snoop::new(self.snoop, true)),
            AgentKind::Eln => Box::new(Eln::default()),
            AgentKind::SplitTcp => Box::new(SplitTcp::new(self.split_tcp, tcp, flow)),
        }
    }

    /// What must stand at the ends of a flow for such an agent.
    const fn needs(&self) -> Option<(ShimKind, &'static str)> {
        match self.kind {
            AgentKind::ITcp | AgentKind::Snoop => None,
            AgentKind::Eln => Some((ShimKind::Eln, "eln")),
            AgentKind::SnoopEln => Some((ShimKind::Eln, "snoop-eln")),
            AgentKind::SplitTcp => Some((ShimKind::SplitTcp, "split-tcp")),
        }
    }
}

/// Checks every agent, and finds its nodes and flows.
pub(crate) fn agents(
    config: &Scenario,
    nodes: &[Place],
    flows: &[Flow],
    at: &Locator<'_>,
) -> Result<Vec<Agent>, ScenarioError> {
    let mut agents = Vec::with_capacity(config.agent.len());
    for (index, agent) in config.agent.iter().enumerate() {
        let section = format!("agent.{index}");
        at.section(&section, agent.check())?;
        let served = served(agent, &section, config, flows, at)?;
        let placement = match (&agent.at, agent.every, agent.place) {
            (Some(names), ..) => Placement::Nodes(named(names, &section, nodes, &served, at)?),
            (None, Some(hops), _) => Placement::Every(hops),
            (None, None, place) => Placement::One(place.unwrap_or(PathPlace::Middle)), // is there: checked
        };
        let flows = served.iter().map(|flow| flow.id).collect();
        agents.push(Agent { config: agent.clone(), placement, flows });
    }
    Ok(agents)
}

/// The flows that an agent serves: those named, or all over TCP that have its part at their ends.
fn served<'a>(
    agent: &AgentConfig,
    section: &str,
    config: &Scenario,
    flows: &'a [Flow],
    at: &Locator<'_>,
) -> Result<Vec<&'a Flow>, ScenarioError> {
    let over_tcp = |flow: &&Flow| flow.transport == Transport::Tcp;
    let lacks = |flow: &Flow| agent.needs().filter(|&(kind, _)| flow.config.shim(&config.shim).kind != kind);
    let lacking = |path: &str, flow: &Flow, (kind, word): (ShimKind, &str)| {
        let message =
            format!("agents of kind \"{word}\" need their part at the ends of flow `{}`", flow.name);
        let kind = serde_json::to_value(kind).unwrap_or_default();
        let help = format!("set shim.kind = {kind}, as the technique {word} does");
        at.error(path, message, help)
    };
    let Some(names) = &agent.flows else {
        let all: Vec<_> = flows.iter().filter(over_tcp).collect();
        let able: Vec<_> = all.iter().copied().filter(|flow| lacks(flow).is_none()).collect();
        return match all.first().and_then(|first| lacks(first).map(|lack| (first, lack))) {
            Some((first, lack)) if able.is_empty() => Err(lacking(&format!("{section}.kind"), first, lack)),
            _ => Ok(able),
        };
    };
    let find = |(place, given): (usize, &String)| {
        let path = format!("{section}.flows.{place}");
        let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let numbered = || number.and_then(|number| flows.get(number));
        let known = || flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>().join(", ");
        match flows.iter().find(|flow| flow.name == *given).or_else(numbered) {
            Some(flow) if over_tcp(&flow) => match lacks(flow) {
                Some(lack) => Err(lacking(&path, flow, lack)),
                None => Ok(flow),
            },
            Some(_) => {
                let message = format!("flow `{given}` is not over TCP: agents serve flows over TCP alone");
                Err(at.error(&path, message, "name another"))
            }
            None => {
                Err(at.error(&path, format!("there is no flow `{given}`"), format!("known: {}", known())))
            }
        }
    };
    names.iter().enumerate().map(find).collect()
}

/// The nodes of these names, at each of which something must pass.
fn named(
    names: &[String],
    section: &str,
    nodes: &[Place],
    flows: &[&Flow],
    at: &Locator<'_>,
) -> Result<Vec<NodeId>, ScenarioError> {
    let mut found = Vec::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        let path = format!("{section}.at.{place}");
        let node = node_number(&path, name, nodes, at)?;
        if found.contains(&node) {
            return Err(at.error(&path, format!("node `{name}` is named twice"), "name each once"));
        }
        if !flows.is_empty() && flows.iter().all(|flow| flow.from == node || flow.to == node) {
            let message = format!("node `{name}` is an end of every flow that the agent serves");
            return Err(at.error(&path, message, "an agent stands between the ends"));
        }
        found.push(node);
    }
    Ok(found)
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
