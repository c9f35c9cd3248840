//! Tables of the Flexible Radio Network's routing where no control packets are exchanged.

use multihop_proto::node::Node;
use multihop_proto::routing::frn::FARTHEST;
use multihop_proto::routing::{AnyRouting, RoutingConfig};
use multihop_proto::units::{Dur, NodeId};

use crate::check::paths::Costs;

/// Gives every node the table that long exchange of control packets would leave it, if none are exchanged: of all its
/// neighbours, in the order of their names, the relays that each takes to these nodes.
pub(super) fn fill(routing: &RoutingConfig, nodes: &mut [Node], costs: &Costs<'_>, known: &[NodeId]) {
    if routing.frn.cycle != Dur::ZERO {
        return;
    }
    let mut hops: Option<Vec<Vec<u32>>> = None;
    for (node, me) in nodes.iter_mut().zip((0..).map(NodeId)) {
        let AnyRouting::Frn(frn) = node.routing_mut() else { continue };
        let hops = hops.get_or_insert_with(|| known.iter().map(|&end| costs.hops(end)).collect());
        let mut neighbours: Vec<NodeId> = costs.neighbours(me).collect();
        neighbours.sort_unstable_by_key(|neighbour| costs.rank(*neighbour));
        for neighbour in neighbours {
            let relays = known.iter().zip(&*hops).filter_map(|(&end, hops)| {
                let count = u8::try_from(hops[neighbour.index()]).ok()?;
                (count <= FARTHEST).then_some((end, count))
            });
            frn.table_mut().install(neighbour, relays);
        }
    }
}
