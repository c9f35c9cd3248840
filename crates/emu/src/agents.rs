//! Agents at relays that have a form for TCP of Linux.

use multihop_proto::proxy::AgentKind;
use multihop_sim::network::Network;
use multihop_sim::scenario::Resolved;

use crate::snoop::Snooping;

/// Whether this agent has one.
pub(crate) fn is_there(kind: AgentKind) -> bool {
    kind == AgentKind::Snoop
}

/// Puts the agents of a scenario into a network that has none.
pub(crate) fn place(network: &mut Network, scenario: &Resolved) {
    for agent in &scenario.agents {
        for &flow in &agent.flows {
            let config = agent.config.snoop;
            network.place_agents(flow, &agent.placement, |_| Box::new(Snooping::new(config)));
        }
    }
}
