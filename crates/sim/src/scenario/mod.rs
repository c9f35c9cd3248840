//! Scenario files: what is simulated, with every value and where it came from.
//!
//! Layers, later wins: built-in defaults, a fidelity profile, the scenario file, technique overlays,
//! `--set path=value`. Each value remembers its layer; errors point at file, line and column.

mod agent;
mod blame;
mod config;
mod depth;
mod error;
mod event;
mod flows;
mod group;
mod import;
mod layers;
mod layout;
mod locate;
mod measure;
mod motion;
mod overlay;
mod places;
mod read;
mod requires;
mod resolved;
mod shipped;
mod synonyms;
#[cfg(test)]
mod tests;
mod topology;
mod tree;

pub use agent::{Agent, AgentConfig, PathPlace, Placement};
pub use config::{Scenario, json_schema};
pub use error::ScenarioError;
pub use event::{EventConfig, EventKind, Happening};
pub use group::NodeConfig;
pub use layers::{Layer, Sources};
pub use layout::{
    ChainConfig, CrossConfig, ExplicitConfig, GridConfig, LinkConfig, LinksConfig, PlaceConfig, RandomConfig,
    StarConfig, TopologyConfig, WaypointConfig,
};
pub use measure::{MeasureConfig, RunConfig, WindowConfig};
pub use places::{check_depth, places};
pub use resolved::{Resolved, Technique, Window};
pub use shipped::{Kind, shipped};
pub use synonyms::{Guess, guess};
pub use topology::Place;

pub(crate) use agent::agents;
pub(crate) use event::schedule;
pub(crate) use flows::{flows, name_last};
pub(crate) use group::nodes;
pub(crate) use import::{Reader, like_degrees};
pub(crate) use layers::Layers;
pub(crate) use locate::Locator;
pub(crate) use resolved::windows;
pub(crate) use topology::positions;

pub use crate::traffic::Flow;
