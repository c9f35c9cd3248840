//! Flows: from names to nodes, and the lengths of their packets.

use super::topology::Place;
use crate::scenario::config::Scenario;
use crate::scenario::error::{ScenarioError, suggestion};
use crate::scenario::locate::Locator;
use crate::traffic::{Flow, FlowConfig, Transport};
use multihop_proto::units::{Bytes, FlowId, NodeId, SimTime};
use std::collections::HashMap;

/// Headers of IPv4 and UDP, of ATP, and a TCP acknowledgement without options.
const UDP_HEADERS: Bytes = Bytes(28);
const ATP_HEADERS: Bytes = Bytes(40);
const TCP_ACK: Bytes = Bytes(40);
/// What a flow may call the last node of the topology, so that it holds for any number of nodes.
const LAST: &str = "last";

/// Gives the ends of flows that are called `last` the name of the last node. A node of that name comes first.
pub(crate) fn name_last(config: &mut Scenario, nodes: &[Place]) {
    let Some(end) = nodes.last().filter(|_| nodes.iter().all(|node| node.name != LAST)) else { return };
    for flow in &mut config.flow {
        for name in [&mut flow.from, &mut flow.to] {
            if name == LAST {
                name.clone_from(&end.name);
            }
        }
    }
}

/// Checks every flow and finds its nodes.
pub(crate) fn flows(
    config: &Scenario,
    nodes: &[Place],
    at: &Locator<'_>,
) -> Result<Vec<Flow>, ScenarioError> {
    let numbers: HashMap<&str, u32> =
        nodes.iter().zip(0..).map(|(node, number)| (node.name.as_str(), number)).collect();
    let mut names = HashMap::new();
    let mut flows = Vec::with_capacity(config.flow.len());
    for (index, flow) in config.flow.iter().enumerate() {
        let path = |key: &str| format!("flow.{index}.{key}");
        let find = |key: &str, name: &str| match numbers.get(name) {
            Some(&number) => Ok(NodeId(number)),
            None => Err(missing_node(&path(key), name, nodes, at, " (or `last`)")),
        };
        let (from, to) = (find("from", &flow.from)?, find("to", &flow.to)?);
        if from == to {
            let message = format!("a flow from node `{}` to itself crosses no air", flow.from);
            return Err(at.error(&path("to"), message, "name another node"));
        }
        let name = flow.name.clone().unwrap_or_else(|| (index + 1).to_string());
        if let Some(other) = names.insert(name.clone(), index + 1) {
            let message = format!("flows {other} and {} are both called `{name}`", index + 1);
            return Err(at.error(&path("name"), message, "give each its own name"));
        }
        let end = config.run.duration;
        let stop = flow.stop.unwrap_or(end).min(end);
        if flow.stop.is_some_and(|stop| flow.start >= stop) {
            let message = format!("flow `{name}` stops at {stop}, but starts at {}", flow.start);
            return Err(at.error(&path("stop"), message, "a flow must start before it stops"));
        }
        at.section(&format!("flow.{index}"), flow.check())?;
        let transport = match flow.transport() {
            Transport::Tcp if config.atp.replaces_tcp => Transport::Atp,
            other => other,
        };
        flows.push(Flow {
            id: FlowId(u32::try_from(index).unwrap_or(u32::MAX)),
            name,
            from,
            to,
            transport,
            start: SimTime::ZERO + flow.start,
            stop: SimTime::ZERO + stop,
            config: flow.clone(),
        });
    }
    Ok(flows)
}

impl Scenario {
    /// The longest packet that the source of a flow makes, with what routing adds to each.
    pub(crate) fn longest_packet(&self, flow: &FlowConfig, transport: Transport) -> Bytes {
        let tcp = flow.tcp(&self.tcp);
        let own = match transport {
            Transport::Tcp => tcp.segment + tcp.data_header,
            Transport::Atp => tcp.segment + ATP_HEADERS,
            Transport::Udp => self.payload(flow, transport) + UDP_HEADERS,
        };
        own + self.routing.header
    }

    /// What an application puts into one packet of a flow.
    pub(crate) fn payload(&self, flow: &FlowConfig, transport: Transport) -> Bytes {
        flow.packet.unwrap_or(match transport {
            Transport::Udp => self.udp.packet,
            _ => flow.tcp(&self.tcp).segment,
        })
    }

    /// A TCP acknowledgement without options, with what routing adds to it.
    pub(crate) fn tcp_ack(&self) -> Bytes {
        TCP_ACK + self.routing.header
    }
}

/// The node of this name.
pub(super) fn node_number(
    path: &str,
    name: &str,
    nodes: &[Place],
    at: &Locator<'_>,
) -> Result<NodeId, ScenarioError> {
    match nodes.iter().zip(0..).find(|(node, _)| node.name == name) {
        Some((_, number)) => Ok(NodeId(number)),
        None => Err(missing_node(path, name, nodes, at, "")),
    }
}

/// `besides`: what may be said in the place of a name.
fn missing_node(path: &str, name: &str, nodes: &[Place], at: &Locator<'_>, besides: &str) -> ScenarioError {
    let names: Vec<_> = nodes.iter().map(|node| node.name.as_str()).collect();
    let help = match names.as_slice() {
        [first, .., last] if names.len() > 12 => {
            format!("there are {} nodes, `{first}` to `{last}`{besides}", names.len())
        }
        _ if name.parse::<u64>().is_ok() => format!("known: {}{besides}", names.join(", ")),
        _ => suggestion(name, &names),
    };
    at.error(path, format!("`{path}`: there is no node `{name}`"), help)
}
