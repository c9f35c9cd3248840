//! Nodes: their places, and the groups of `[[node]]` that they are of.

use super::flows::node_number;
use super::topology::{self, Place};
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::locate::Locator;

/// All nodes with their places, each with the group that it is of.
pub(crate) fn nodes(config: &Scenario, at: &Locator<'_>) -> Result<Vec<Place>, ScenarioError> {
    let mut nodes = topology::place(config, at)?;
    for (index, group) in config.node.iter().enumerate() {
        at.section(&format!("node.{index}"), group.check())?;
        for (place, name) in group.names.iter().enumerate() {
            let path = format!("node.{index}.names.{place}");
            let number = node_number(&path, name, &nodes, at)?;
            if let Some(other) = nodes[number.index()].group.replace(index) {
                let message = format!("node `{name}` is named by [[node]] {} and {}", other + 1, index + 1);
                return Err(at.error(&path, message, "name each node once"));
            }
        }
    }
    Ok(nodes)
}
