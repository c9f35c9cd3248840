//! Which node moves how: `[mobility]`, and what a `[[node]]` says otherwise.

use super::topology::Place;
use crate::air::Position;
use crate::mobility::{Area, AreaConfig, MobilityConfig, Start, Trace};
use crate::scenario::config::Scenario;
use crate::scenario::layout::TopologyConfig;
use multihop_proto::units::{Entity, Metres, Purpose, Rng, SimTime};

impl Scenario {
    /// The model that moves a node; none if nothing does, or its own waypoints.
    pub(crate) fn mobility_of(&self, node: &Place) -> Option<&MobilityConfig> {
        let own = node.group.and_then(|group| self.node.get(group)).and_then(|it| it.mobility.as_ref());
        own.or(self.mobility.as_ref()).filter(|model| model.moves() && node.waypoints.is_empty())
    }

    /// The area in which a model moves nodes: what it says, or that of a random topology.
    pub(crate) fn area_of(&self, model: &MobilityConfig) -> Option<Area> {
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
    pub(crate) fn moves(&self, nodes: &[Place]) -> bool {
        nodes.iter().any(|node| !node.waypoints.is_empty() || self.mobility_of(node).is_some())
    }

    /// The way of a node in a run of this number.
    pub(crate) fn way(&self, node: &Place, run: u64) -> Trace {
        let place = Position { x: node.x.get(), y: node.y.get() };
        let own = || Trace { start: place, waypoints: node.waypoints.clone() };
        let Some(model) = self.mobility_of(node) else { return own() };
        let Some(area) = self.area_of(model) else { return own() };
        // Motion is an outside process, the same under all techniques.
        let (seed, run) = model.seed().map_or((self.run.seed, run), |seed| (seed, 0));
        let mut draws = Rng::stream(seed, run, Entity::Node(&node.name), Purpose::Motion);
        model.trace(place, &area, &mut draws, SimTime::ZERO + self.run.duration)
    }

    /// Where a node is as a run of this number begins.
    pub(crate) fn start(&self, node: &Place, run: u64) -> Position {
        match self.mobility_of(node) {
            Some(model) if model.start() == Start::Stationary => self.way(node, run).start,
            _ => Position { x: node.x.get(), y: node.y.get() },
        }
    }
}
