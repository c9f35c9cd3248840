//! `[mobility]`: which model moves the nodes.

use super::area::{Area, AreaConfig};
use super::gauss_markov::GaussMarkovConfig;
use super::random_walk::RandomWalkConfig;
use super::random_waypoint::RandomWaypointConfig;
use super::trace::{Start, Trace};
use crate::air::Position;
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
    /// To a place drawn from the area, in a straight line at a speed drawn anew; there a pause (Johnson and Maltz
    /// 1996).
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

    /// The trace of a node that the topology has at `place`, until the end of a run.
    #[must_use]
    pub fn trace(&self, place: Position, area: &Area, rng: &mut Rng, end: SimTime) -> Trace {
        match self {
            Self::Static(_) => Trace::from(place),
            Self::RandomWaypoint(it) => it.trace(place, area, rng, end),
            Self::RandomWalk(it) => it.trace(place, area, rng, end),
            Self::GaussMarkov(it) => it.trace(place, area, rng, end),
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
