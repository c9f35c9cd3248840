//! The trace of a node: what every model of motion makes.

use crate::air::{Position, Waypoint};
use multihop_proto::units::{Dur, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a node begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Where the topology has it.
    #[default]
    Placed,
    /// As if it had moved for ever: place, speed and pause are drawn from what the model comes to in the long run. What
    /// the topology says is the number of nodes and their names.
    Stationary,
}

/// Where a node is in one run: its start and its waypoints, with straight lines between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Where it begins.
    pub start: Position,
    /// The places that it reaches, in the order of time.
    pub waypoints: Vec<Waypoint>,
}

impl Trace {
    pub(super) const fn from(start: Position) -> Self {
        Self { start, waypoints: Vec::new() }
    }

    /// When and where it is at its last waypoint.
    pub(super) fn last(&self) -> (SimTime, Position) {
        self.waypoints.last().map_or((SimTime::ZERO, self.start), |last| (last.at, last.place))
    }

    /// It reaches a place so long after its last waypoint, at least a nanosecond.
    pub(super) fn reach(&mut self, place: Position, seconds: f64) {
        let length = Dur::from_secs_f64(seconds).max(Dur::from_ns(1));
        self.waypoints.push(Waypoint { at: self.last().0 + length, place });
    }
}
