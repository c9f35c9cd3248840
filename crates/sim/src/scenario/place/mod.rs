//! From the words of a scenario to nodes, flows, agents and events.

mod agents;
mod events;
mod flows;
mod motion;
mod nodes;
mod radios;
mod topology;
mod wires;

pub use agents::{Agent, Placement};
pub use events::Happening;
pub use topology::Place;
pub use wires::WiredLink;

pub(crate) use agents::agents;
pub(crate) use events::schedule;
pub(crate) use flows::{flows, name_last};
pub(crate) use nodes::nodes;
pub(crate) use radios::{own_channels, radios};
pub(crate) use topology::{pairs, positions, table};
pub(crate) use wires::wires;
