//! Scenario files: what is simulated, with every value and where it came from.
//!
//! Layers, later wins: built-in defaults, a fidelity profile, the scenario file, technique overlays,
//! `--set path=value`. Each value remembers its layer; errors point at file, line and column.

mod agent;
mod blame;
mod config;
mod depth;
mod error;
mod estimate;
mod event;
mod flows;
mod group;
mod hearing;
mod idle;
mod import;
mod layout;
mod measure;
mod moving;
mod names;
mod noise;
mod overlay;
mod places;
mod reach;
mod read;
mod resolve;
mod resolved;
mod shipped;
mod synonyms;
#[cfg(test)]
mod tests;
mod topology;
mod tree;
mod unused;
mod validate;

pub use agent::{Agent, AgentConfig, PathPlace, Placement};
pub use config::{Scenario, json_schema};
pub use error::ScenarioError;
pub use estimate::MemoryShare;
pub use event::{EventConfig, EventKind, Happening};
pub use group::NodeConfig;
pub use layout::{
    ChainConfig, CrossConfig, ExplicitConfig, GridConfig, LinkConfig, LinksConfig, PlaceConfig, RandomConfig,
    StarConfig, TopologyConfig, WaypointConfig,
};
pub use measure::{MeasureConfig, RunConfig, WindowConfig};
pub use places::{check_depth, places};
pub use resolve::{Layer, Sources, resolve, resolve_with};
pub use resolved::{Resolved, Technique, Window};
pub use shipped::{Kind, shipped};
pub use synonyms::{Guess, guess};
pub use topology::Place;

pub use crate::traffic::Flow;
