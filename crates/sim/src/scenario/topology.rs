//! Places of the nodes.

use super::reach::{parts, receive_range};
use super::validate::Check;
use super::{
    EventKind, ExplicitConfig, LinksConfig, PlaceConfig, RandomConfig, Scenario, ScenarioError,
    TopologyConfig, WaypointConfig,
};
use crate::air::{AirConfig, Link, LinkTable, ListedLink, Position, Waypoint};
use multihop_proto::units::{Entity, Metres, NodeId, Purpose, Rng, SimTime};
use std::collections::HashMap;

/// A node and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its name, unique.
    pub name: String,
    /// From left to right.
    pub x: Metres,
    /// From bottom to top.
    pub y: Metres,
    /// Where it goes from there.
    pub waypoints: Vec<Waypoint>,
    /// Which `[[node]]`, from 0, says what it has otherwise than the others.
    pub group: Option<usize>,
}

impl Place {
    pub(super) fn new(name: impl ToString, x: f64, y: f64) -> Self {
        Self {
            name: name.to_string(),
            x: Metres::new(x),
            y: Metres::new(y),
            waypoints: Vec::new(),
            group: None,
        }
    }

    /// Distance to another node \[m\].
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        libm::hypot(self.x.get() - other.x.get(), self.y.get() - other.y.get())
    }
}

/// Draws of a random topology before it is given up.
const TRIES: u64 = 1000;

/// Radius of the circle on which nodes without places are drawn \[m\].
const CIRCLE: f64 = 500.0;

/// Places all nodes.
pub(super) fn place(config: &Scenario, check: &Check<'_>) -> Result<Vec<Place>, ScenarioError> {
    let nodes = match &config.topology {
        TopologyConfig::Chain(it) => chain(it.hops, it.spacing.get()),
        TopologyConfig::Cross(it) => cross(it.hops, it.spacing.get()),
        TopologyConfig::Grid(it) => grid(it.columns, it.rows, it.spacing.get()),
        TopologyConfig::Star(it) => star(it.leaves, it.radius.get()),
        TopologyConfig::Random(it) => random(it, receive_range(&config.air), check)?,
        TopologyConfig::Explicit(it) => explicit(it),
        TopologyConfig::Links(it) => named_by(it),
    };
    distinct(&nodes, config, check)?;
    Ok(nodes)
}

fn chain(hops: u32, spacing: f64) -> Vec<Place> {
    (0..=hops).map(|i| Place::new(i, f64::from(i) * spacing, 0.0)).collect()
}

fn cross(hops: u32, spacing: f64) -> Vec<Place> {
    let middle = hops / 2;
    let mut nodes = chain(hops, spacing);
    let x = f64::from(middle) * spacing;
    for step in (0..=hops).filter(|&step| step != middle) {
        let y = (f64::from(middle) - f64::from(step)) * spacing;
        nodes.push(Place::new(nodes.len(), x, y));
    }
    nodes
}

fn grid(columns: u32, rows: u32, spacing: f64) -> Vec<Place> {
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| {
            Place::new(row * columns + column, f64::from(column) * spacing, f64::from(row) * spacing)
        })
        .collect()
}

fn star(leaves: u32, radius: f64) -> Vec<Place> {
    let leaf = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(leaves);
        Place::new(i + 1, radius * libm::cos(angle), radius * libm::sin(angle))
    };
    std::iter::once(Place::new(0, 0.0, 0.0)).chain((0..leaves).map(leaf)).collect()
}

/// Uniform places, drawn again (with the next stream) until all nodes are connected at receive range.
fn random(config: &RandomConfig, range: f64, check: &Check<'_>) -> Result<Vec<Place>, ScenarioError> {
    for attempt in 0..TRIES {
        let mut rng = Rng::stream(config.seed, attempt, Entity::Whole, Purpose::Topology);
        let nodes: Vec<_> = (0..config.nodes)
            .map(|i| {
                let (x, y) = (rng.f64() * config.width.get(), rng.f64() * config.height.get());
                Place::new(i, x, y)
            })
            .collect();
        if !config.connected || parts(&nodes, range).iter().all(|&part| part == 0) {
            return Ok(nodes);
        }
    }
    Err(check.error(
        "topology.nodes",
        format!(
            "{} nodes formed no connected network in {TRIES} draws at a receive range of {range:.0} m",
            config.nodes
        ),
        "use more nodes, a smaller area or another seed",
    ))
}

fn explicit(config: &ExplicitConfig) -> Vec<Place> {
    let waypoint = |it: &WaypointConfig| Waypoint {
        at: SimTime::ZERO + it.at,
        place: Position { x: it.x.get(), y: it.y.get() },
    };
    let place = |it: &PlaceConfig| Place {
        name: it.name.clone(),
        x: it.x,
        y: it.y,
        waypoints: it.waypoint.iter().map(waypoint).collect(),
        group: None,
    };
    config.node.iter().map(place).collect()
}

/// The nodes that links name, in the order of their first mention; on a circle, for pictures alone.
fn named_by(config: &LinksConfig) -> Vec<Place> {
    let mut names: Vec<&str> = Vec::new();
    for name in config.link.iter().flat_map(|link| [&link.from, &link.to]) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let turn = std::f64::consts::TAU / names.len() as f64;
    let at = |(name, number): (&str, u32)| {
        let angle = turn * f64::from(number);
        Place::new(name, CIRCLE * libm::cos(angle), CIRCLE * libm::sin(angle))
    };
    names.into_iter().zip(0..).map(at).collect()
}

/// The links of a list, between the nodes that it names.
pub(super) fn table(config: &LinksConfig, air: &AirConfig, nodes: &[Place]) -> LinkTable {
    let number = |name: &str| {
        let found = nodes.iter().zip(0..).find(|(node, _)| node.name == name);
        NodeId(found.map_or(0, |(_, number)| number)) // the nodes are named by the links
    };
    let directions = config.link.iter().flat_map(|link| {
        let (from, to) = (number(&link.from), number(&link.to));
        let power = if link.sense_only { air.sense_threshold } else { air.receive_threshold };
        let one = move |from, to| ListedLink {
            from,
            link: Link {
                to,
                power: power.get(),
                sensed: true,
                decodable: power.get() >= air.receive_threshold.get(),
            },
            loss: link.loss,
        };
        std::iter::once(one(from, to)).chain((!link.one_way).then(|| one(to, from)))
    });
    LinkTable::new(nodes.len(), directions)
}

/// Names must be unique, and so must the places at which nodes come in: two antennas in one place have no defined path
/// loss. Who walks to another is as near as can be.
fn distinct(nodes: &[Place], config: &Scenario, check: &Check<'_>) -> Result<(), ScenarioError> {
    let mut names = HashMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if names.insert(&*node.name, index).is_some() {
            return Err(check.error(
                &format!("topology.node.{index}.name"),
                format!("two nodes are called `{}`", node.name),
                "give each its own name",
            ));
        }
    }
    let mut stays = stays(nodes, &names, config);
    stays.sort_by_key(|stay| stay.from);
    let mut places: HashMap<_, (usize, SimTime)> = HashMap::new();
    for Stay { node, place, from, until, comes_in } in stays {
        let here = places.entry(place).or_insert((node, until));
        let (other, last) = *here;
        if comes_in && other != node && last >= from {
            return Err(check.error(
                &format!("topology.node.{node}"),
                format!(
                    "nodes `{}` and `{}` stand in one place: x = {}, y = {}",
                    nodes[other].name, nodes[node].name, place.0, place.1
                ),
                "move one of them",
            ));
        }
        if until >= last {
            *here = (node, until);
        }
    }
    Ok(())
}

/// A node is at a place, from the first instant to the last.
struct Stay {
    node: usize,
    place: (Metres, Metres),
    from: SimTime,
    until: SimTime,
    /// It has not walked there: it begins there, or comes up.
    comes_in: bool,
}

/// Where nodes stand, and while they are up.
fn stays(nodes: &[Place], names: &HashMap<&str, usize>, config: &Scenario) -> Vec<Stay> {
    let mut power = vec![Vec::new(); nodes.len()];
    for event in &config.event {
        let node = event.node.as_deref().and_then(|name| names.get(name));
        if let (EventKind::NodeDown | EventKind::NodeUp, Some(&node)) = (event.kind, node) {
            power[node].push((SimTime::ZERO + event.at, event.kind == EventKind::NodeUp));
        }
    }
    let mut found = Vec::new();
    for (node, (place, power)) in nodes.iter().zip(power).enumerate() {
        let up = times_up(power);
        for (place, arrives, leaves) in stands(place) {
            let both =
                up.iter().map(|&(begins, ends)| (begins >= arrives, begins.max(arrives), ends.min(leaves)));
            let both = both.filter(|(_, from, until)| from <= until);
            found.extend(both.map(|(comes_in, from, until)| Stay { node, place, from, until, comes_in }));
        }
    }
    found
}

/// Where a node begins, and where it stands longer than an instant, with the first and the last instant.
fn stands(node: &Place) -> Vec<((Metres, Metres), SimTime, SimTime)> {
    let mut found = vec![((node.x, node.y), SimTime::ZERO, SimTime::ZERO)];
    for waypoint in &node.waypoints {
        let place = (Metres::new(waypoint.place.x), Metres::new(waypoint.place.y));
        match found.last_mut() {
            Some((before, _, until)) if *before == place => *until = waypoint.at,
            _ => found.push((place, waypoint.at, waypoint.at)),
        }
    }
    found.last_mut().into_iter().for_each(|(_, _, until)| *until = SimTime::MAX);
    let first = found.remove(0);
    std::iter::once(first).chain(found.into_iter().filter(|(_, from, until)| from < until)).collect()
}

/// When a node is up, from the first instant to the last of each time: where it goes down it is not at that instant.
fn times_up(mut power: Vec<(SimTime, bool)>) -> Vec<(SimTime, SimTime)> {
    power.sort_by_key(|&(at, _)| at);
    let mut found = Vec::new();
    let mut since = Some(SimTime::ZERO);
    for (at, up) in power {
        since = match (since, up) {
            (None, true) => Some(at),
            (Some(from), false) => {
                if at > from {
                    found.push((from, SimTime::from_ns(at.as_ns() - 1)));
                }
                None
            }
            (since, _) => since,
        };
    }
    found.extend(since.map(|from| (from, SimTime::MAX)));
    found
}
