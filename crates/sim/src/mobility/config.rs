//! `[mobility]`: which model moves the nodes.

use super::area::{Area, AreaConfig};
use super::gauss_markov::GaussMarkovConfig;
use super::random_walk::RandomWalkConfig;
use super::random_waypoint::RandomWaypointConfig;
use crate::air::{Position, Waypoint};
use multihop_proto::units::range::{Checked, within};
use multihop_proto::units::{Dur, Rng, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How nodes move that have no waypoints of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MobilityConfig {
    /// They stay where they are.
    Static(StaticConfig),
    /// To a place drawn from the area, in a straight line at a speed drawn anew; there a pause (Johnson and Maltz 1996).
    RandomWaypoint(RandomWaypointConfig),
    /// In a direction and at a speed that are drawn anew after each interval, reflected by the sides of the area (Camp,
    /// Boleng and Davies 2002, section 2.1).
    RandomWalk(RandomWalkConfig),
    /// Speed and direction that depend on those before (Camp, Boleng and Davies 2002, section 2.5).
    GaussMarkov(GaussMarkovConfig),
}

/// Nothing is to be said of nodes that stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticConfig {}

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

/// The way of a node in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Where it begins.
    pub start: Position,
    /// The places that it reaches, in the order of time.
    pub waypoints: Vec<Waypoint>,
}

impl Leg {
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

impl MobilityConfig {
    /// The names of all kinds.
    pub(crate) const KINDS: &[&str] = &["static", "random-waypoint", "random-walk", "gauss-markov"];

    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        if let Some(area) = self.area() {
            area.check().map_err(|wrong| wrong.inside("area"))?;
        }
        if let Some(seed) = self.seed() {
            within("seed", seed, 0, i64::MAX.unsigned_abs())?;
        }
        match self {
            Self::Static(_) => Ok(()),
            Self::RandomWaypoint(it) => it.check(),
            Self::RandomWalk(it) => it.check(),
            Self::GaussMarkov(it) => it.check(),
        }
    }

    /// Whether nodes move at all.
    #[must_use]
    pub const fn moves(&self) -> bool {
        !matches!(self, Self::Static(_))
    }

    /// The area that was said.
    #[must_use]
    pub const fn area(&self) -> Option<&AreaConfig> {
        match self {
            Self::Static(_) => None,
            Self::RandomWaypoint(it) => it.area.as_ref(),
            Self::RandomWalk(it) => it.area.as_ref(),
            Self::GaussMarkov(it) => it.area.as_ref(),
        }
    }

    /// The seed of the motion, if it is not that of the run.
    #[must_use]
    pub const fn seed(&self) -> Option<u64> {
        match self {
            Self::Static(_) => None,
            Self::RandomWaypoint(it) => it.seed,
            Self::RandomWalk(it) => it.seed,
            Self::GaussMarkov(it) => it.seed,
        }
    }

    /// Where nodes begin.
    #[must_use]
    pub const fn start(&self) -> Start {
        match self {
            Self::Static(_) => Start::Placed,
            Self::RandomWaypoint(it) => it.start,
            Self::RandomWalk(it) => it.start,
            Self::GaussMarkov(it) => it.start,
        }
    }

    /// The way of a node that the topology has at `place`, until the end of a run.
    #[must_use]
    pub fn way(&self, place: Position, area: &Area, rng: &mut Rng, end: SimTime) -> Leg {
        match self {
            Self::Static(_) => Leg::from(place),
            Self::RandomWaypoint(it) => it.way(place, area, rng, end),
            Self::RandomWalk(it) => it.way(place, area, rng, end),
            Self::GaussMarkov(it) => it.way(place, area, rng, end),
        }
    }

    /// About how many waypoints a node has in a run of this length.
    #[must_use]
    pub fn waypoints(&self, area: &Area, duration: Dur) -> u64 {
        let each = match self {
            Self::Static(_) => return 0,
            Self::RandomWaypoint(it) => it.leg_s(area) / 2.0,
            Self::RandomWalk(it) => it.leg_s(area),
            Self::GaussMarkov(it) => it.interval.as_secs_f64(),
        };
        (duration.as_secs_f64() / each) as u64 + 1 // saturates
    }
}
