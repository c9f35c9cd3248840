//! Whether nodes can move as the scenario says.

use crate::air::Position;
use crate::mobility::Start;
use crate::scenario::{Locator, Place, Scenario, ScenarioError, TopologyConfig};

/// Nodes that move need an area, and begin in it.
pub(crate) fn check(config: &Scenario, nodes: &[Place], at: &Locator<'_>) -> Result<(), ScenarioError> {
    for (index, group) in config.node.iter().enumerate() {
        if let Some(model) = &group.mobility {
            at.section(&format!("node.{index}.mobility"), model.check())?;
        }
    }
    if matches!(config.topology, TopologyConfig::Links(_)) && config.moves(nodes) {
        let message = "nodes that are joined by a list of links have no places: they cannot move";
        return Err(at.error("mobility", message, "use another topology, or leave `mobility` out"));
    }
    for node in nodes {
        let Some(model) = config.mobility_of(node) else { continue };
        let own = node.group.filter(|&group| config.node[group].mobility.is_some());
        let path = own.map_or_else(|| "mobility".to_owned(), |group| format!("node.{group}.mobility"));
        let Some(area) = config.area_of(model) else {
            let help = "like area = { width = \"1 km\", height = \"500 m\" }";
            return Err(at.error(&path, format!("`{path}` does not say in which area nodes move"), help));
        };
        let place = Position { x: node.x.get(), y: node.y.get() };
        if model.start() == Start::Placed && !area.contains(&place) {
            let message = format!(
                "node `{}` stands outside of the area in which it is to move: x = {}, y = {}",
                node.name, node.x, node.y
            );
            let help =
                "give the area other sides (`x`, `y`, `width`, `height`), or use start = \"stationary\"";
            return Err(at.error(&format!("{path}.area"), message, help));
        }
    }
    Ok(())
}
