//! Agents at relays: named ones, or every so many hops of a flow's path.

use multihop_proto::proxy::CustomProxy;
use multihop_proto::units::{FlowId, NodeId};

use super::Network;
use super::routes::shortest_path;

/// Where the agents of a flow stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// At these nodes, whether or not the flow passes them.
    Nodes(Vec<NodeId>),
    /// At every so many hops of the flow's shortest path as the run begins, its ends left out; 0 counts as 1.
    Every(u32),
}

impl Network {
    /// Puts an agent of a flow at each node of a placement, before the run; `make` makes it for the node. Returns the
    /// nodes, in the order in which the flow passes them or in which they were named.
    ///
    /// # Panics
    /// If there is no such flow or node.
    pub fn place_agents(
        &mut self,
        flow: FlowId,
        placement: &Placement,
        mut make: impl FnMut(NodeId) -> Box<dyn CustomProxy>,
    ) -> Vec<NodeId> {
        let nodes = match placement {
            Placement::Nodes(nodes) => nodes.clone(),
            Placement::Every(hops) => {
                let flow = &self.flows[flow.index()];
                let path = shortest_path(&self.links, &self.ranks, flow.from, flow.to);
                let every = (*hops).max(1) as usize;
                path.iter().skip(every).step_by(every).copied().filter(|&node| node != flow.to).collect()
            }
        };
        for &node in &nodes {
            self.nodes[node.index()].add_proxy(flow, make(node));
        }
        nodes
    }
}
