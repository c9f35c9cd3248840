//! Where the nodes are: `[topology]`.

use crate::air::config::{FARTHEST, length};
use crate::traffic::config::node_name;
use multihop_proto::units::range::{Checked, Wrong, must, probability, within};
use multihop_proto::units::{Dur, Metres};
use multihop_proto::wire::address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More nodes than the engine's event keys serve.
const MOST_NODES: u64 = 10_001;
const _: () = assert!(MOST_NODES <= address::MOST_NODES as u64, "each has an address");

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
    /// Uniformly placed nodes, which form one connected network if nothing else is said.
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

/// Uniformly placed nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomConfig {
    /// Number of nodes.
    pub nodes: u32,
    /// Extent from left to right.
    pub width: Metres,
    /// Extent from bottom to top.
    pub height: Metres,
    /// Whether they are drawn again until they form one connected network.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub connected: bool,
    /// Seed of the placement alone: the run's seed does not move nodes.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

/// Nodes at given places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExplicitConfig {
    /// File of nodes and their motion, beside this one: ns-2's setdest, BonnMotion or SUMO's floating-car data; its
    /// contents tell which. What it says is read as if it stood in `node`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The nodes.
    #[serde(default)]
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
/// overlapping frames destroy each other, and noise damages no frame of any mode that data frames could have.
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

const fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over references
const fn is_true(value: &bool) -> bool {
    *value
}

const fn first_seed() -> u64 {
    1
}

impl TopologyConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        match self {
            Self::Chain(it) => {
                within("hops", it.hops, 1, 10_000)?;
                length("spacing", it.spacing)
            }
            Self::Cross(it) => {
                within("hops", it.hops, 2, 5_000)?;
                must(
                    it.hops.is_multiple_of(2),
                    "hops",
                    it.hops,
                    "be even, so that the chains share their middle",
                )?;
                length("spacing", it.spacing)
            }
            Self::Grid(it) => {
                within("columns", it.columns, 1, 10_000)?;
                within("rows", it.rows, 1, 10_000)?;
                count("rows", u64::from(it.columns) * u64::from(it.rows))?;
                length("spacing", it.spacing)
            }
            Self::Star(it) => {
                within("leaves", it.leaves, 1, 10_000)?;
                length("radius", it.radius)
            }
            Self::Random(it) => {
                within("nodes", it.nodes, 2, 10_000)?;
                within("seed", it.seed, 0, i64::MAX.unsigned_abs())?;
                length("width", it.width)?;
                // A strip without height is a line of nodes, which is legitimate.
                within("height", it.height, Metres::new(0.0), FARTHEST)
            }
            Self::Explicit(it) => {
                count("node", it.node.len() as u64)?;
                for (index, node) in it.node.iter().enumerate() {
                    let path = |key| format!("node.{index}.{key}");
                    let mut last = Dur::ZERO;
                    place(&path(""), node.x, node.y)?;
                    for (step, it) in node.waypoint.iter().enumerate() {
                        let path = |key| format!("node.{index}.waypoint.{step}.{key}");
                        place(&path(""), it.x, it.y)?;
                        let rule = match step {
                            0 => "lie after 0 s: `x` and `y` of the node say where it is then".to_owned(),
                            _ => format!("lie after the one before, {last}"),
                        };
                        must(it.at > last, &path("at"), it.at, rule)?;
                        last = it.at;
                    }
                }
                Ok(())
            }
            Self::Links(it) => linked(it),
        }
    }
}

fn linked(config: &LinksConfig) -> Checked {
    let mut names: Vec<&str> = config.link.iter().flat_map(|it| [&*it.from, &*it.to]).collect();
    names.sort_unstable();
    names.dedup();
    count("link", names.len() as u64)?;
    let mut seen = std::collections::HashMap::new();
    for (index, link) in config.link.iter().enumerate() {
        let path = |key| format!("link.{index}.{key}");
        must(link.from != link.to, &path("to"), &link.to, "be another node than `from`")?;
        probability(&path("loss"), link.loss)?;
        let back = (!link.one_way).then_some((&link.to, &link.from));
        for direction in std::iter::once((&link.from, &link.to)).chain(back) {
            if let Some(other) = seen.insert(direction, index + 1) {
                let message = format!(
                    "links {other} and {} both lead from `{}` to `{}`",
                    index + 1,
                    direction.0,
                    direction.1
                );
                return Err(Wrong::says(
                    path("from"),
                    message,
                    "name each direction once; a link counts for both unless `one-way = true`",
                ));
            }
        }
    }
    Ok(())
}

fn count(key: &str, nodes: u64) -> Checked {
    if (2..=MOST_NODES).contains(&nodes) {
        return Ok(());
    }
    let help = format!("between 2 and {MOST_NODES} can be simulated");
    Err(Wrong::says(key, format!("the topology has {nodes} node{}", if nodes == 1 { "" } else { "s" }), help))
}

/// Coordinates below the key given, which ends with a dot.
fn place(key: &str, x: Metres, y: Metres) -> Checked {
    [("x", x), ("y", y)]
        .into_iter()
        .try_for_each(|(axis, value)| within(&format!("{key}{axis}"), value, FARTHEST * -1.0, FARTHEST))
}
