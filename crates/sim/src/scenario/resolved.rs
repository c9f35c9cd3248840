//! The result: a scenario in which every value is settled, and its printed forms.

use super::channels::ChannelPlan;
use super::config::Scenario;
use super::error::ScenarioError;
use super::group::{FIRST_CHANNEL, RadioConfig};
use super::layout::TopologyConfig;
use super::measure::WindowConfig;
use super::place::{self, Agent, Happening, Place, WiredLink};
use crate::air::{Channel, Links, Motion, Position};
use crate::traffic::Flow;
use multihop_proto::contract::Stations;
use multihop_proto::units::{Dur, NodeId, SimTime};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A scenario with every value settled, ready to run.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Every value.
    pub config: Scenario,
    /// The nodes; a [`NodeId`] is a place in this list.
    pub nodes: Vec<Place>,
    /// Wired links.
    pub wires: Vec<WiredLink>,
    /// The flows; a [`FlowId`] is a place in this list.
    pub flows: Vec<Flow>,
    /// What stands in relays.
    pub agents: Vec<Agent>,
    /// What happens to the network, in the order of time.
    pub events: Vec<(SimTime, Happening)>,
    /// Spans of time to report.
    pub windows: Vec<Window>,
    /// The overlays used, in the order given.
    pub techniques: Vec<Technique>,
    /// Where each value that is no built-in default comes from, by dotted path.
    pub origins: BTreeMap<String, String>,
    /// What is allowed but likely not meant.
    pub warnings: Vec<String>,
}

/// A span of time to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its name.
    pub name: String,
    /// Its beginning.
    pub from: SimTime,
    /// Its end.
    pub to: SimTime,
}

/// An overlay that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Technique {
    /// As results call it, with its parameters: `small-window:8`.
    pub name: String,
    /// Counter of the engine that tells how often it acted.
    pub counter: Option<String>,
}

impl Resolved {
    /// End of the run.
    #[must_use]
    pub fn end(&self) -> SimTime {
        SimTime::ZERO + self.config.run.duration
    }

    /// Which nodes receive each other in a run of this number, by radio or over wires.
    #[must_use]
    pub fn links(&self, run: u64) -> Links {
        let wires = self.wires.iter().map(|wire| wire.ends).collect();
        self.radio_links(run).with_wires(wires)
    }

    /// The radios of the nodes, and their channels.
    #[must_use]
    pub fn stations(&self) -> Stations {
        let (count, links) = (self.nodes.len(), self.planned_links());
        let channels = |(place, own): (usize, Vec<u16>)| match (&self.config.channels, own.is_empty()) {
            (_, false) => own,
            (None, true) => vec![FIRST_CHANNEL],
            (Some(plan), true) => {
                let own = links.iter().filter(|((one, other), _)| *one == place || *other == place);
                plan.of(place, count, &own.map(|(_, channel)| *channel).collect::<Vec<_>>())
            }
        };
        let own = place::own_channels(&self.config, &self.nodes);
        let channels: Vec<Vec<u16>> = own.into_iter().enumerate().map(channels).collect();
        let number = |place: usize| NodeId(place as u32); // node counts are 32-bit
        let planned =
            links.into_iter().map(|((one, other), channel)| ((number(one), number(other)), channel));
        Stations::new(channels.iter().map(Vec::as_slice)).with_links(planned)
    }

    /// The links to which a plan gives channels, by the places of their nodes, the first names first.
    fn planned_links(&self) -> Vec<((usize, usize), u16)> {
        let Some(plan) = self.config.channels.as_ref().filter(|it| it.plan == ChannelPlan::ByLink) else {
            return Vec::new();
        };
        let mut links = place::pairs(&self.config.topology, &self.config.air, &self.nodes);
        let name = |place: usize| (self.nodes[place].name.len(), self.nodes[place].name.as_str());
        for pair in &mut links {
            if name(pair.0) > name(pair.1) {
                *pair = (pair.1, pair.0);
            }
        }
        links.sort_unstable_by_key(|&(one, other)| (name(one), name(other)));
        links.dedup();
        let channels = plan.by_link(&links);
        links.into_iter().zip(channels).collect()
    }

    /// What the random streams of each station are named by: the name of its node, and after the first radio its place.
    #[must_use]
    pub fn station_names(&self, stations: &Stations) -> Vec<String> {
        let mut names: Vec<String> = self.nodes.iter().map(|place| place.name.clone()).collect();
        for (place, node) in self.nodes.iter().zip((0..).map(NodeId)) {
            let further = stations.of(node).zip(1..).skip(1);
            names.extend(further.map(|(_, radio)| format!("{}, radio {radio}", place.name)));
        }
        names
    }

    fn radio_links(&self, run: u64) -> Links {
        let stations = self.stations();
        let (all, names) = (stations.clone(), self.station_names(&stations));
        let stations = Some(stations).filter(|stations| !stations.is_plain()).map(Arc::new);
        if let TopologyConfig::Links(listed) = &self.config.topology {
            let table = place::table(listed, &self.config, &self.nodes);
            return Links::listed(self.nodes.len(), table, stations);
        }
        let motion = |node: &Place| {
            let way = self.config.way(node, run);
            Motion::along(way.start, &way.waypoints)
        };
        let place = |station: u32| &self.nodes[all.node_of(NodeId(station)).index()];
        let count = all.count() as u32; // node counts are 32-bit
        let keys = names.iter().zip(0..).map(|(name, station)| (place(station).name.as_str(), name.as_str()));
        let channel = Channel::new(&self.config.air, keys, self.config.run.seed, run);
        let motions = (0..count).map(|station| motion(place(station))).collect();
        Links::through(&self.config.air, motions, channel, stations)
    }

    /// Where the nodes are as a run of this number begins.
    #[must_use]
    pub fn starts(&self, run: u64) -> Vec<Position> {
        self.nodes.iter().map(|node| self.config.start(node, run)).collect()
    }

    /// The measured time, from and to.
    #[must_use]
    pub fn measured(&self) -> (SimTime, SimTime) {
        let until = self.config.measure.until.unwrap_or(self.config.run.duration);
        (SimTime::ZERO + self.config.measure.warm_up, SimTime::ZERO + until)
    }

    /// Every value and where it comes from, nodes, flows, windows, warnings.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut values = Map::new();
        for (path, value) in flatten(&self.config) {
            let from = self.origins.get(&path).map_or("default", String::as_str);
            values.insert(path, json!({ "value": value, "from": from }));
        }
        let (from, to) = self.measured();
        let name = |id: NodeId| &self.nodes[id.index()].name;
        let mut document = json!({
            "summary": self.config.summary,
            "profile": self.config.profile,
            "hash": self.hash(),
            "seed": self.config.run.seed,
            "duration_s": self.config.run.duration.as_secs_f64(),
            "measure": { "from_s": from.as_secs_f64(), "to_s": to.as_secs_f64() },
            "windows": self.windows.iter().map(|it| json!({
                "name": it.name, "from_s": it.from.as_secs_f64(), "to_s": it.to.as_secs_f64(),
            })).collect::<Vec<_>>(),
            "nodes": self.nodes.iter().map(|it| json!({
                "name": it.name, "x": it.x.get(), "y": it.y.get(),
            })).collect::<Vec<_>>(),
            "flows": self.flows.iter().map(|it| json!({
                "id": it.name, "from": name(it.from), "to": name(it.to), "kind": it.config.kind,
                "transport": it.transport, "start_s": it.start.as_secs_f64(), "stop_s": it.stop.as_secs_f64(),
            })).collect::<Vec<_>>(),
            "events": self.events.iter().map(|(at, what)| json!({
                "at_s": at.as_secs_f64(), "what": what.words(|node| name(node).as_str()),
            })).collect::<Vec<_>>(),
            "techniques": self.techniques.iter().map(|it| json!({
                "name": it.name, "counter": it.counter,
            })).collect::<Vec<_>>(),
            "warnings": self.warnings,
            "values": values,
        });
        let stations = self.stations();
        if !stations.is_plain() {
            document["channels"] = json!(stations.channels());
        }
        let said = stations.channels().into_iter().map(|number| self.config.channel(number));
        let said: Vec<RadioConfig> = said.filter(|radio| !radio.is_plain()).collect();
        if !said.is_empty() {
            document["channel_modes"] = json!(said);
        }
        document.to_string()
    }

    /// A scenario file that says every value and resolves to the same ones.
    ///
    /// # Errors
    /// If TOML cannot hold a value, which no valid scenario has.
    pub fn to_toml(&self) -> Result<String, ScenarioError> {
        toml::to_string(&self.config)
            .map_err(|error| ScenarioError::of("resolved scenario", error.to_string()))
    }

    /// Hash (SHA-256, hexadecimal) of all values that can change a result: everything but the summary and the
    /// profile's name. Comments, layout and the way a value was set do not count.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut values = serde_json::to_value(&self.config).unwrap_or_default();
        if let Value::Object(map) = &mut values {
            map.shift_remove("summary");
            map.shift_remove("profile");
        }
        Sha256::digest(values.to_string()).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The spans of time to report, named.
pub(crate) fn windows(config: &Scenario) -> Vec<Window> {
    config.measure.window.iter().map(window).collect()
}

fn window(config: &WindowConfig) -> Window {
    Window {
        name: config.name.clone().unwrap_or_else(|| span(config.from, config.to)),
        from: SimTime::ZERO + config.from,
        to: SimTime::ZERO + config.to,
    }
}

/// `200-300 s` for whole seconds.
fn span(from: Dur, to: Dur) -> String {
    format!("{}-{} s", from.as_secs_f64(), to.as_secs_f64())
}

/// All single values by dotted path, in the order of the file.
pub(super) fn flatten(config: &Scenario) -> Vec<(String, Value)> {
    let mut leaves = Vec::new();
    collect("", serde_json::to_value(config).unwrap_or_default(), &mut leaves);
    leaves
}

fn collect(path: &str, value: Value, leaves: &mut Vec<(String, Value)>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.into_iter().for_each(|(key, value)| collect(&below(&key), value, leaves)),
        Value::Array(list) => {
            list.into_iter()
                .enumerate()
                .for_each(|(index, value)| collect(&below(&index.to_string()), value, leaves));
        }
        value => leaves.push((path.to_owned(), value)),
    }
}
