//! Agents at relays: named ones, or such that lie on a flow's path as the run begins.

use multihop_proto::proxy::Agent;
use multihop_proto::units::{FlowId, NodeId};

use super::Network;
use crate::check::paths::Costs;
use crate::scenario::{Placement, Resolved};

impl Network {
    /// Puts the agents of the scenario where they stand.
    pub(super) fn place_all_agents(&mut self, scenario: &Resolved) {
        for agent in &scenario.agents {
            for &flow in &agent.flows {
                let tcp = scenario.flows[flow.index()].config.tcp(&scenario.config.tcp);
                self.place_agents(flow, &agent.placement, |_| agent.config.setup().make(tcp, flow));
            }
        }
    }

    /// Puts an agent of a flow at each node of a placement, before the run; `make` makes it for the node. Returns the
    /// nodes, in the order in which the flow passes them or in which they were named.
    ///
    /// # Panics
    /// If there is no such flow or node.
    pub fn place_agents(
        &mut self,
        flow: FlowId,
        placement: &Placement,
        mut make: impl FnMut(NodeId) -> Box<dyn Agent>,
    ) -> Vec<NodeId> {
        let ends = &self.flows[flow.index()];
        let path = Costs::by(self.metric, &self.links, self.nodes.ranks()).path(ends.from, ends.to);
        let nodes = placement.nodes(&path);
        for &node in &nodes {
            self.nodes[node.index()].relays_mut().add(flow, make(node));
        }
        nodes
    }
}
