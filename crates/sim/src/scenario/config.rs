//! The scenario file as types: the sections that belong to no machine, and the whole.

use super::event::EventConfig;
use crate::air::config::AirConfig;
use crate::machines::Parts;
use crate::traffic::config::{FlowConfig, node_name};
use multihop_proto::mac::config::MacConfig;
use multihop_proto::queue::config::QueueConfig;
use multihop_proto::routing::config::RoutingConfig;
use multihop_proto::tcp::config::TcpConfig;
use multihop_proto::udp::config::UdpConfig;
use multihop_proto::units::{Dur, Metres};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole scenario, every value settled.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario shows, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Fidelity profile that supplies what the file does not say.
    #[schemars(default = "Scenario::default_profile")]
    pub profile: String,
    /// Length and seed of a run.
    #[serde(default)]
    pub run: RunConfig,
    /// What is measured.
    #[serde(default)]
    pub measure: MeasureConfig,
    /// Where the nodes are.
    pub topology: TopologyConfig,
    /// The radio channel.
    #[serde(default)]
    pub air: AirConfig,
    /// Medium access.
    #[serde(default)]
    pub mac: MacConfig,
    /// The interface queue.
    #[serde(default)]
    pub queue: QueueConfig,
    /// Routing.
    #[serde(default)]
    pub routing: RoutingConfig,
    /// TCP.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// UDP.
    #[serde(default)]
    pub udp: UdpConfig,
    /// Who sends what to whom.
    #[serde(default)]
    pub flow: Vec<FlowConfig>,
    /// What happens to the network meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<EventConfig>,
}

impl Scenario {
    /// All defaults, around a topology.
    pub(super) fn around(topology: TopologyConfig) -> Self {
        Self {
            summary: None,
            profile: Self::default_profile(),
            run: RunConfig::default(),
            measure: MeasureConfig::default(),
            topology,
            air: AirConfig::default(),
            mac: MacConfig::default(),
            queue: QueueConfig::default(),
            routing: RoutingConfig::default(),
            tcp: TcpConfig::default(),
            udp: UdpConfig::default(),
            flow: Vec::new(),
            event: Vec::new(),
        }
    }

    /// What every node is made of that does not say otherwise.
    pub(crate) const fn parts(&self) -> Parts<'_> {
        Parts {
            mac: &self.mac,
            queue: &self.queue,
            routing: &self.routing,
            data_header: self.tcp.data_header,
        }
    }

    /// The profile of a file that names none.
    pub(super) fn default_profile() -> String {
        "ns2".to_owned()
    }
}

/// Length and seed of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunConfig {
    /// Simulated time.
    pub duration: Dur,
    /// Seed of all random streams; every run of a series has its own number besides.
    pub seed: u64,
    /// Changes the draws inside the network (back-off, frame errors) and nothing else. Two salts are two samples
    /// of one scenario: what the technique `placebo` changes.
    pub salt: u64,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { duration: Dur::from_secs(100), seed: 1, salt: 0 }
    }
}

impl RunConfig {
    /// Seed of the streams inside the network: back-off and frame errors. Equal to `seed` without salt.
    #[must_use]
    pub const fn inner_seed(&self) -> u64 {
        self.seed ^ self.salt.rotate_left(32)
    }
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasureConfig {
    /// Time at the start that does not count.
    pub warm_up: Dur,
    /// Time at which measuring ends; by default the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Dur>,
    /// Interval of the recorded series; `"0 s"`: none.
    pub sample: Dur,
    /// Lost packets and loss events that the series keep one by one, each; of more, every 2nd, 4th, 8th … is kept.
    /// All are counted, whatever this says.
    pub rows: u32,
    /// Further spans of time to report, besides the whole.
    pub window: Vec<WindowConfig>,
}

impl Default for MeasureConfig {
    fn default() -> Self {
        Self { warm_up: Dur::ZERO, until: None, sample: Dur::from_secs(1), rows: 100_000, window: Vec::new() }
    }
}

/// A span of time to report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WindowConfig {
    /// Name in tables; by default its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its beginning.
    pub from: Dur,
    /// Its end.
    pub to: Dur,
}

/// Where the nodes are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TopologyConfig {
    /// A straight line.
    Chain(ChainConfig),
    /// Two chains that share their middle node.
    Cross(CrossConfig),
    /// A rectangular grid, numbered row by row.
    Grid(GridConfig),
    /// Node 0 in the middle, the others around it.
    Star(StarConfig),
    /// Uniformly placed nodes that form one connected network.
    Random(RandomConfig),
    /// Nodes at given places, where they stay or from where they go.
    Explicit(ExplicitConfig),
    /// Nodes without places, and the links between them.
    Links(LinksConfig),
}

impl TopologyConfig {
    /// The names of all kinds.
    pub(super) const KINDS: &[&str] = &["chain", "cross", "grid", "star", "random", "explicit", "links"];
}

/// A straight line: nodes `0` to `hops`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChainConfig {
    /// Hops from end to end.
    pub hops: u32,
    /// Distance between neighbours.
    #[serde(default = "usual_spacing")]
    pub spacing: Metres,
}

/// Two chains that cross: `0` to `hops` from left to right, the others from top to bottom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CrossConfig {
    /// Hops of each chain; even, so that they share the middle.
    pub hops: u32,
    /// Distance between neighbours.
    #[serde(default = "usual_spacing")]
    pub spacing: Metres,
}

/// A rectangular grid, numbered row by row from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridConfig {
    /// Nodes in a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Distance between neighbours in a row or column.
    #[serde(default = "usual_spacing")]
    pub spacing: Metres,
}

/// Node 0 in the middle, `1` to `leaves` evenly around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StarConfig {
    /// Nodes around the middle.
    pub leaves: u32,
    /// Their distance from it.
    #[serde(default = "usual_spacing")]
    pub radius: Metres,
}

/// Uniformly placed nodes, drawn again until they form one connected network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomConfig {
    /// Number of nodes.
    pub nodes: u32,
    /// Extent from left to right.
    pub width: Metres,
    /// Extent from bottom to top.
    pub height: Metres,
    /// Seed of the placement alone: the run's seed does not move nodes.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

/// Nodes at given places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExplicitConfig {
    /// The nodes.
    pub node: Vec<PlaceConfig>,
}

/// One node and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlaceConfig {
    /// Name of the node.
    #[serde(deserialize_with = "node_name")]
    pub name: String,
    /// From left to right.
    pub x: Metres,
    /// From bottom to top.
    #[serde(default)]
    pub y: Metres,
    /// Where it goes: the places that it reaches, in the order of time, in straight lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waypoint: Vec<WaypointConfig>,
}

/// A place that a node reaches at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WaypointConfig {
    /// When it is there.
    pub at: Dur,
    /// From left to right.
    pub x: Metres,
    /// From bottom to top.
    #[serde(default)]
    pub y: Metres,
}

/// Links by the names of their ends; the nodes are those that the links name. Powers and places mean nothing here:
/// overlapping frames destroy each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinksConfig {
    /// The links.
    pub link: Vec<LinkConfig>,
}

/// One link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinkConfig {
    /// One end.
    #[serde(deserialize_with = "node_name")]
    pub from: String,
    /// The other end.
    #[serde(deserialize_with = "node_name")]
    pub to: String,
    /// It carries only what goes from `from` to `to`.
    #[serde(default)]
    pub one_way: bool,
    /// The ends sense each other's transmissions but decode nothing of them.
    #[serde(default)]
    pub sense_only: bool,
    /// Probability that a frame is received wrong, besides all other errors.
    #[serde(default)]
    pub loss: f64,
}

/// The spacing of most published chains: in reach of the next node, not of the one after it.
const fn usual_spacing() -> Metres {
    Metres::new(200.0)
}

const fn first_seed() -> u64 {
    1
}

/// JSON Schema of the scenario file.
#[must_use]
pub fn json_schema() -> String {
    format!("{:#}", schemars::schema_for!(Scenario).as_value())
}
