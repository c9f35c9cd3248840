//! Wired links: from the words of `[[wire]]` to nodes.

use super::flows::node_number;
use super::topology::Place;
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::locate::Locator;
use multihop_proto::link::wire::WireConfig;
use multihop_proto::units::NodeId;
use multihop_proto::units::range::must;

/// A `[[wire]]` with nodes instead of names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WiredLink {
    /// The nodes at its ends.
    pub ends: [NodeId; 2],
    /// What each direction is like.
    pub direction: WireConfig,
    /// Packets that the queue of each end holds; none: as the queue of its node.
    pub queue: Option<u32>,
}

/// Checks every wired link, and finds its nodes.
pub(crate) fn wires(
    config: &Scenario,
    nodes: &[Place],
    at: &Locator<'_>,
) -> Result<Vec<WiredLink>, ScenarioError> {
    let mut wires: Vec<WiredLink> = Vec::with_capacity(config.wire.len());
    for (index, wire) in config.wire.iter().enumerate() {
        let section = format!("wire.{index}");
        at.section(&section, wire.check())?;
        let from = node_number(&format!("{section}.from"), &wire.from, nodes, at)?;
        let to = node_number(&format!("{section}.to"), &wire.to, nodes, at)?;
        at.section(&section, must(from != to, "to", &wire.to, "be another node than `from`"))?;
        let same = |other: &WiredLink| other.ends == [from, to] || other.ends == [to, from];
        if let Some(first) = wires.iter().position(same) {
            let message =
                format!("nodes `{}` and `{}` have a wire already: wire {}", wire.from, wire.to, first + 1);
            return Err(at.error(&format!("{section}.to"), message, "keep one wire between two nodes"));
        }
        wires.push(WiredLink { ends: [from, to], direction: wire.direction(), queue: wire.queue });
    }
    Ok(wires)
}
