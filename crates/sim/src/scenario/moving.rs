//! Who moves how: `[mobility]`, and what a `[[node]]` says otherwise.

use super::topology::Place;
use super::validate::Check;
use super::{Scenario, ScenarioError, TopologyConfig};
use crate::air::{Position, Waypoint};
use crate::mobility::{Area, AreaConfig, Leg, MobilityConfig, Start};
use multihop_proto::units::{Entity, Metres, Purpose, Rng, SimTime};

impl Scenario {
    /// The model that moves a node; none if nothing does, or its own waypoints.
    pub(super) fn mobility_of(&self, node: &Place) -> Option<&MobilityConfig> {
        let own = node.group.and_then(|group| self.node.get(group)).and_then(|it| it.mobility.as_ref());
        own.or(self.mobility.as_ref()).filter(|model| model.moves() && node.waypoints.is_empty())
    }

    /// The area in which a model moves nodes: what it says, or that of a random topology.
    pub(super) fn area_of(&self, model: &MobilityConfig) -> Option<Area> {
        let of_topology = || match &self.topology {
            TopologyConfig::Random(it) if it.height > Metres::new(0.0) => {
                let (x, y) = (Metres::new(0.0), Metres::new(0.0));
                Some(AreaConfig { x, y, width: it.width, height: it.height }.area())
            }
            _ => None,
        };
        model.area().map(AreaConfig::area).or_else(of_topology)
    }

    /// Whether any node moves.
    pub(super) fn moves(&self, nodes: &[Place]) -> bool {
        nodes.iter().any(|node| !node.waypoints.is_empty() || self.mobility_of(node).is_some())
    }

    /// The way of a node in a run of this number.
    pub(super) fn way(&self, node: &Place, run: u64) -> Leg {
        let place = Position { x: node.x.get(), y: node.y.get() };
        let own = || Leg { start: place, waypoints: node.waypoints.clone() };
        let Some(model) = self.mobility_of(node) else { return own() };
        let Some(area) = self.area_of(model) else { return own() };
        // Motion is an outside process, the same under all techniques.
        let (seed, run) = model.seed().map_or((self.run.seed, run), |seed| (seed, 0));
        let mut draws = Rng::stream(seed, run, Entity::Node(&node.name), Purpose::Motion);
        model.way(place, &area, &mut draws, SimTime::ZERO + self.run.duration)
    }

    /// Where a node is as a run of this number begins.
    pub(super) fn start(&self, node: &Place, run: u64) -> Position {
        match self.mobility_of(node) {
            Some(model) if model.start() == Start::Stationary => self.way(node, run).start,
            _ => Position { x: node.x.get(), y: node.y.get() },
        }
    }

    /// Bytes that the waypoints of all nodes take, about.
    pub(super) fn bytes_of_motion(&self, nodes: &[Place]) -> u64 {
        let count = |node: &Place| match self.mobility_of(node) {
            Some(model) => self.area_of(model).map_or(0, |area| model.waypoints(&area, self.run.duration)),
            None => node.waypoints.len() as u64,
        };
        let all = nodes.iter().map(count).fold(0_u64, u64::saturating_add);
        all.saturating_mul(2 * size_of::<Waypoint>() as u64) // a list that grows
    }
}

/// Nodes that move need an area, and begin in it.
pub(super) fn check(config: &Scenario, nodes: &[Place], check: &Check<'_>) -> Result<(), ScenarioError> {
    for (index, group) in config.node.iter().enumerate() {
        if let Some(model) = &group.mobility {
            check.section(&format!("node.{index}.mobility"), model.check())?;
        }
    }
    if matches!(config.topology, TopologyConfig::Links(_)) && config.moves(nodes) {
        let message = "nodes that are joined by a list of links have no places: they cannot move";
        return Err(check.error("mobility", message, "use another topology, or leave `mobility` out"));
    }
    for node in nodes {
        let Some(model) = config.mobility_of(node) else { continue };
        let own = node.group.filter(|&group| config.node[group].mobility.is_some());
        let path = own.map_or_else(|| "mobility".to_owned(), |group| format!("node.{group}.mobility"));
        let Some(area) = config.area_of(model) else {
            let help = "like area = { width = \"1 km\", height = \"500 m\" }";
            return Err(check.error(&path, format!("`{path}` does not say in which area nodes move"), help));
        };
        let place = Position { x: node.x.get(), y: node.y.get() };
        if model.start() == Start::Placed && !area.contains(&place) {
            let message = format!(
                "node `{}` stands outside of the area in which it is to move: x = {}, y = {}",
                node.name, node.x, node.y
            );
            let help =
                "give the area other sides (`x`, `y`, `width`, `height`), or use start = \"stationary\"";
            return Err(check.error(&format!("{path}.area"), message, help));
        }
    }
    Ok(())
}
