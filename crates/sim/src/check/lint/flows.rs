//! Flows that are allowed, but send nothing or reach nothing.

use crate::air::receive_range;
use crate::check::reach::connected;
use crate::mobility::Start;
use crate::scenario::{Locator, Resolved, TopologyConfig};
use multihop_proto::units::NodeId;

/// Remarks on the flows.
pub(super) fn remarks(it: &Resolved, _: &Locator<'_>) -> Vec<String> {
    let (config, nodes) = (&it.config, &it.nodes);
    let mut remarks = Vec::new();
    if it.flows.is_empty() {
        remarks.push("there is no [[flow]]: nothing but routing will be sent".to_owned());
    }
    let range = receive_range(&config.air);
    let parts = connected(it, range);
    let moves = config.moves(nodes);
    // Where nodes are drawn anew for each run, nothing can be said of their places here.
    let drawn =
        nodes.iter().any(|node| config.mobility_of(node).is_some_and(|it| it.start() == Start::Stationary));
    for flow in &it.flows {
        let name = |id: NodeId| &nodes[id.index()].name;
        if !drawn && parts[flow.from.index()] != parts[flow.to.index()] {
            remarks.push(format!(
                "flow `{}`: node `{}` cannot be reached from node `{}`{} over {}",
                flow.name,
                name(flow.to),
                name(flow.from),
                if moves { " as the run begins" } else { "" },
                match config.topology {
                    _ if !it.stations().is_plain() => {
                        format!(
                            "hops of at most {range:.0} m between radios on the same channel, or over wires"
                        )
                    }
                    _ if !it.wires.is_empty() => format!("wires and hops of at most {range:.0} m"),
                    TopologyConfig::Links(_) => "the listed links".to_owned(),
                    _ => format!("hops of at most {range:.0} m"),
                }
            ));
        }
        if flow.config.start >= config.run.duration {
            remarks.push(format!(
                "flow `{}` starts at {}, after the end of the run",
                flow.name, flow.config.start
            ));
        }
    }
    remarks
}
