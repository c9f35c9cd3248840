//! Agents: from the words of `[[agent]]` to nodes and flows.

use super::flows::node_number;
use super::topology::Place;
use crate::scenario::agent::{AgentConfig, PathPlace};
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::locate::Locator;
use crate::traffic::{Flow, Transport};
use multihop_proto::shim::ShimKind;
use multihop_proto::units::{FlowId, NodeId};

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
    let lacks = |flow: &Flow| agent.kind.needs().filter(|&kind| flow.config.shim(&config.shim).kind != kind);
    let lacking = |path: &str, flow: &Flow, kind: ShimKind| {
        let word = serde_json::to_value(agent.kind).unwrap_or_default();
        let word = word.as_str().unwrap_or_default();
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

/// The nodes of these names. Something must pass at each.
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
