//! Scenario files: what is simulated, with every value and where it came from.
//!
//! Layers, later wins: built-in defaults, a fidelity profile, the scenario file, technique overlays,
//! `--set path=value`. Each value remembers its layer; errors point at file, line and column.

mod agent;
mod blame;
mod channels;
mod config;
mod depth;
mod error;
mod event;
mod group;
mod import;
mod layers;
mod layout;
mod locate;
mod measure;
mod older;
mod origin;
mod overlay;
mod place;
mod places;
mod radio;
mod read;
mod requires;
mod resolved;
mod shipped;
mod standards;
mod synonyms;
#[cfg(test)]
mod tests;
mod tree;
mod wire;
mod words;

pub use agent::{AgentConfig, PathPlace};
pub use channels::{ChannelPlan, ChannelsConfig};
pub use config::{ABOUT_ROUTES, Scenario, json_schema};
pub use error::ScenarioError;
pub use event::{EventConfig, EventKind};
pub use group::NodeConfig;
pub use layers::{Layer, Sources};
pub use layout::{
    ChainConfig, CrossConfig, ExplicitConfig, GridConfig, LinkConfig, LinksConfig, PlaceConfig, RandomConfig,
    StarConfig, TopologyConfig, WaypointConfig,
};
pub use measure::{MeasureConfig, RunConfig, WindowConfig};
pub use place::{Agent, Happening, Place, Placement, WiredLink};
pub use places::{check_depth, places};
pub use radio::RadioGroup;
pub use resolved::{Resolved, Technique, Window};
pub use shipped::{Kind, shipped};
pub use synonyms::{Guess, guess};
pub use wire::WireConfig;

pub(crate) use import::{Reader, like_degrees};
pub(crate) use layers::Layers;
pub(crate) use locate::Locator;
pub(crate) use place::{agents, flows, name_last, nodes, positions, radios, schedule, wires};
pub(crate) use resolved::windows;
pub(crate) use synonyms::suggest;

pub use crate::traffic::Flow;
