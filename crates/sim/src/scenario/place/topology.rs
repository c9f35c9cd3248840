//! Places of the nodes.

use crate::air::{
    AirConfig, Link, LinkTable, ListedLink, Position, Waypoint, least_power, parts, receive_range,
};
use crate::scenario::config::Scenario;
use crate::scenario::error::ScenarioError;
use crate::scenario::layout::{
    ExplicitConfig, LinksConfig, PlaceConfig, RandomConfig, TopologyConfig, WaypointConfig,
};
use crate::scenario::locate::Locator;
use indexmap::IndexSet;
use multihop_proto::mac::MacConfig;
use multihop_proto::units::{Bytes, Entity, Metres, NodeId, Purpose, Rng, SimTime};
use std::collections::{HashMap, HashSet};

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
    pub(crate) fn new(name: impl ToString, x: f64, y: f64) -> Self {
        Self {
            name: name.to_string(),
            x: Metres::new(x),
            y: Metres::new(y),
            waypoints: Vec::new(),
            group: None,
        }
    }

    /// Where it is as the run begins.
    pub(crate) fn position(&self) -> Position {
        Position { x: self.x.get(), y: self.y.get() }
    }
}

/// Draws of a random topology before it is given up.
const TRIES: u64 = 1000;

/// Radius of the circle on which nodes without places are drawn \[m\].
const CIRCLE: f64 = 500.0;

/// Places all nodes.
pub(crate) fn place(config: &Scenario, at: &Locator<'_>) -> Result<Vec<Place>, ScenarioError> {
    let nodes = match &config.topology {
        TopologyConfig::Chain(it) => chain(it.hops, it.spacing.get()),
        TopologyConfig::Cross(it) => cross(it.hops, it.spacing.get()),
        TopologyConfig::Grid(it) => grid(it.columns, it.rows, it.spacing.get()),
        TopologyConfig::Star(it) => star(it.leaves, it.radius.get()),
        TopologyConfig::Random(it) => random(it, receive_range(&config.air), at)?,
        TopologyConfig::Explicit(it) => explicit(it),
        TopologyConfig::Links(it) => named_by(it),
    };
    distinct(&nodes, at)?;
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
fn random(config: &RandomConfig, range: f64, at: &Locator<'_>) -> Result<Vec<Place>, ScenarioError> {
    for attempt in 0..TRIES {
        let mut rng = Rng::stream(config.seed, attempt, Entity::Whole, Purpose::Topology);
        let nodes: Vec<_> = (0..config.nodes)
            .map(|i| {
                let (x, y) = (rng.f64() * config.width.get(), rng.f64() * config.height.get());
                Place::new(i, x, y)
            })
            .collect();
        if !config.connected || parts(&positions(&nodes), range).iter().all(|&part| part == 0) {
            return Ok(nodes);
        }
    }
    Err(at.error(
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
    let names: IndexSet<&str> =
        config.link.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect();
    let turn = std::f64::consts::TAU / names.len() as f64;
    let at = |(name, number): (&str, u32)| {
        let angle = turn * f64::from(number);
        Place::new(name, CIRCLE * libm::cos(angle), CIRCLE * libm::sin(angle))
    };
    names.into_iter().zip(0..).map(at).collect()
}

/// The links of a list, between the nodes that it names. Their powers are the thresholds, unless noise would take
/// frames that are so weak: then both kinds of links are as much stronger as the mode needs that needs most.
pub(crate) fn table(config: &LinksConfig, scenario: &Scenario, nodes: &[Place]) -> LinkTable {
    let air = &scenario.air;
    let (decodable, sensed) = (air.receive_threshold.get(), air.sense_threshold.get());
    let gain = f64::max(1.0, least(scenario) / decodable);
    let numbers: HashMap<&str, NodeId> =
        nodes.iter().zip(0..).map(|(node, number)| (node.name.as_str(), NodeId(number))).collect();
    let number = |name: &str| numbers.get(name).copied().unwrap_or(NodeId(0)); // the nodes are named by the links
    let directions = config.link.iter().flat_map(|link| {
        let (from, to) = (number(&link.from), number(&link.to));
        let power = if link.sense_only { sensed } else { decodable };
        let one = move |from, to| ListedLink {
            from,
            link: Link { to, power: power * gain, sensed: true, decodable: power >= decodable },
            loss: link.loss,
        };
        std::iter::once(one(from, to)).chain((!link.one_way).then(|| one(to, from)))
    });
    LinkTable::new(nodes.len(), directions)
}

/// The length of a packet that fills a frame of Ethernet.
const USUAL: Bytes = Bytes(1500);

/// The power at which noise spares the data frames of each mode that a node could use \[W\].
fn least(scenario: &Scenario) -> f64 {
    let of = |mac: &MacConfig| {
        let modes = mac.modes().into_iter().chain([mac.data_vector()]);
        modes.map(|tx| least_power(&scenario.air, mac.mpdu(USUAL), tx)).fold(0.0, f64::max)
    };
    scenario.all_macs().map(|mac| of(&mac)).fold(0.0, f64::max)
}

/// The links by radio of nodes that stay where they are, by the places of their nodes in the list.
pub(crate) fn pairs(topology: &TopologyConfig, air: &AirConfig, nodes: &[Place]) -> Vec<(usize, usize)> {
    if let TopologyConfig::Links(listed) = topology {
        let numbers: HashMap<&str, usize> =
            nodes.iter().zip(0..).map(|(node, number)| (node.name.as_str(), number)).collect();
        let heard = listed.link.iter().filter(|link| !link.sense_only);
        return heard
            .filter_map(|link| Some((*numbers.get(&*link.from)?, *numbers.get(&*link.to)?)))
            .collect();
    }
    let (places, range) = (positions(nodes), receive_range(air));
    let near = |one: usize| {
        let places = &places;
        (0..one)
            .filter(move |&other| places[one].distance(&places[other]) <= range)
            .map(move |other| (other, one))
    };
    (0..places.len()).flat_map(near).collect()
}

/// Names must be unique.
fn distinct(nodes: &[Place], at: &Locator<'_>) -> Result<(), ScenarioError> {
    let mut names = HashSet::new();
    match nodes.iter().position(|node| !names.insert(&*node.name)) {
        None => Ok(()),
        Some(index) => Err(at.error(
            &format!("topology.node.{index}.name"),
            format!("two nodes are called `{}`", nodes[index].name),
            "give each its own name",
        )),
    }
}

/// Where the nodes are as the run begins.
pub(crate) fn positions(nodes: &[Place]) -> Vec<Position> {
    nodes.iter().map(Place::position).collect()
}
