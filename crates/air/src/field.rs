//! The field: nodes at places that may change, and which nodes a signal reaches from there.

use std::sync::Arc;

use multihop_proto::contract::Stations;
use multihop_proto::units::{Dur, NodeId, Power, SimTime};

use super::channel::{Channel, greatest_gain};
use super::config::{AirConfig, Propagation, Reception};
use super::course::Square;
use super::geometry::Position;
use super::link::{Link, strongest_first};
use super::motion::Motion;
use super::neighbourhood::{Neighbourhood, Ranges};
use super::propagation::{Mean, range};

/// Part of the reach that a node may move before the grid is laid anew.
const SLACK: f64 = 0.1;
/// Part of the reach that a node may move before its neighbourhood is looked up anew in the grid.
const STEP: f64 = 0.1;

/// Nodes, their motion, and the grid in which they are looked up.
#[derive(Clone, Debug)]
pub(super) struct Field {
    mean: Mean,
    motions: Vec<Motion>,
    ranges: Ranges,
    /// Distance beyond which no signal reaches the floor \[m\].
    reach: f64,
    /// Greatest speed of any node \[m/ns\].
    fastest: f64,
    /// What the channel adds to the mean power.
    channel: Option<Box<Channel>>,
    /// Whether frames have begun, which may fade; before, powers are means.
    frames: bool,
    grid: Grid,
    /// Until when no node has left its square by more than the slack.
    grid_until: SimTime,
    /// The channels of radios, unless each may hear each other.
    stations: Option<Arc<Stations>>,
    /// Of each node.
    neighbourhoods: Vec<Neighbourhood>,
    /// Listeners that cannot decode; kept for its memory.
    others: Vec<Link>,
}

impl Field {
    /// The field at time zero.
    #[must_use]
    pub(super) fn new(
        config: &AirConfig,
        motions: Vec<Motion>,
        channel: Option<Channel>,
        stations: Option<Arc<Stations>>,
    ) -> Self {
        let floor = floor(config);
        let reach = reach(config, floor);
        let fastest = motions.iter().map(Motion::fastest).fold(0.0, f64::max);
        let mut field = Self {
            mean: Mean::new(config),
            neighbourhoods: vec![Neighbourhood::default(); motions.len()],
            others: Vec::new(),
            motions,
            ranges: Ranges::new(config, floor),
            reach,
            fastest,
            channel: channel.map(Box::new),
            stations,
            frames: false,
            grid: Grid::default(),
            grid_until: SimTime::ZERO,
        };
        field.lay_grid(SimTime::ZERO);
        field
    }

    /// From now on each asking is a frame's; returns whether frames fade, so that each has listeners of its own.
    pub(super) fn begin_frames(&mut self) -> bool {
        self.frames = true;
        self.fades()
    }

    /// Whether each frame has a power of its own.
    pub(super) const fn fades(&self) -> bool {
        matches!(&self.channel, Some(channel) if channel.fades())
    }

    /// Whether a node can decode what another sends at the mean power of the pair.
    pub(super) fn decodes_on_average(&mut self, from: NodeId, to: NodeId, now: SimTime) -> bool {
        let square = self.place(from, now).square(&self.place(to, now));
        let shadow = self.channel.as_ref().map_or(1.0, |channel| channel.shadow(from, to));
        let link = self.ranges.link(to, self.mean.at_square(square) * shadow, square);
        link.is_some_and(|link| link.decodable)
    }

    /// Where a node is.
    pub(super) fn place(&mut self, node: NodeId, now: SimTime) -> Position {
        self.motions[node.index()].place(now)
    }

    /// Whether nodes move.
    pub(super) const fn moves(&self) -> bool {
        self.fastest > 0.0
    }

    /// Whether two nodes come nearer to each other now.
    pub(super) fn approach(&mut self, one: NodeId, other: NodeId, now: SimTime) -> bool {
        let [here, there] = [one, other].map(|node| self.motions[node.index()].line(now, now).0);
        Square::between(&here, &there).shrinks()
    }

    /// The nodes near a place, with all that its signals could reach, and itself.
    pub(super) fn around(&mut self, node: NodeId, now: SimTime) -> Vec<NodeId> {
        if self.grid_until <= now {
            self.lay_grid(now);
        }
        let here = self.place(node, now);
        self.grid.near(&here).map(|(node, _)| node).collect()
    }

    /// Fills in the nodes that the signal of `from` reaches now, those that can decode it first and the strongest first
    /// among them; returns until when that holds, and until when they are the same at other powers.
    pub(super) fn listeners(
        &mut self,
        from: NodeId,
        now: SimTime,
        links: &mut Vec<Link>,
    ) -> (SimTime, SimTime) {
        let mut near = std::mem::take(&mut self.neighbourhoods[from.index()]);
        if near.until <= now {
            self.look_around(from, now, &mut near);
        }
        near.follow((from, now), &mut self.motions, &self.ranges, &self.mean);
        let until = if let Some(channel) = &self.channel {
            let fading = self.frames && channel.fades();
            let gain = |to| {
                let shadow = channel.shadow(from, to);
                if self.frames { shadow * channel.fade(from, to, now) } else { shadow }
            };
            for (to, square) in near.squares(now) {
                let power = self.mean.at_square(square) * gain(to);
                if let Some(link) = self.ranges.link(to, power, square) {
                    if link.decodable { links.push(link) } else { self.others.push(link) }
                }
            }
            links.sort_unstable_by_key(strongest_first);
            links.append(&mut self.others);
            (if fading { now } else { near.still_until(now) }, now)
        } else {
            near.list(now, &self.mean, links);
            (near.still_until(now), near.steady_until())
        };
        self.neighbourhoods[from.index()] = near;
        until
    }

    /// The listeners of `from`, which are the same as before, at their powers now.
    pub(super) fn refresh(&mut self, from: NodeId, now: SimTime, links: &mut [Link]) {
        let near = &mut self.neighbourhoods[from.index()];
        near.refresh(now, &self.mean, links);
    }

    /// Looks up anew which nodes may come within reach of one.
    fn look_around(&mut self, from: NodeId, now: SimTime, near: &mut Neighbourhood) {
        if self.grid_until <= now {
            self.lay_grid(now);
        }
        let step = if self.fastest > 0.0 { self.reach * STEP } else { 0.0 };
        let far = self.reach + 2.0 * step; // both may move
        let farther = far + self.reach * SLACK;
        let here = self.motions[from.index()].place(now);
        let motions = &mut self.motions;
        let stations = self.stations.as_deref();
        let meets = |to: NodeId| to != from && stations.is_none_or(|stations| stations.meet(from, to));
        let mut within = |to: NodeId| here.square(&motions[to.index()].place(now)) <= far * far;
        let nodes = self
            .grid
            .near(&here)
            .filter(|&(to, was)| meets(to) && here.square(&was) <= farther * farther && within(to));
        near.renew(nodes.map(|(to, _)| to), lasts(now, step, self.fastest));
    }

    fn lay_grid(&mut self, now: SimTime) {
        let (slack, step) =
            if self.fastest > 0.0 { (self.reach * SLACK, self.reach * STEP) } else { (0.0, 0.0) };
        let places: Vec<Position> = self.motions.iter_mut().map(|motion| motion.place(now)).collect();
        self.grid = Grid::new(&places, self.reach + slack + 2.0 * step);
        self.grid_until = lasts(now, slack, self.fastest);
    }
}

/// Until when no node moves by more than a length \[m\] at a greatest speed \[m/ns\].
fn lasts(now: SimTime, length: f64, fastest: f64) -> SimTime {
    if fastest > 0.0 {
        now + Dur::from_ns(((length / fastest) as u64).max(1)) // the whole nanosecond below
    } else {
        SimTime::MAX
    }
}

/// Weakest signal that matters \[W\]: the sense threshold, or with a sum of interference a hundredth of the weakest
/// decodable one.
fn floor(config: &AirConfig) -> f64 {
    match config.reception {
        Reception::Ns2 => config.sense_threshold.get(),
        Reception::Sinr => config.interference_floor.map_or_else(
            || config.sense_threshold.get().min(config.receive_threshold.get() / 100.0),
            Power::get,
        ),
    }
}

/// Distance beyond which no signal reaches the floor \[m\].
fn reach(config: &AirConfig, floor: f64) -> f64 {
    if config.propagation == Propagation::Disk {
        return config.range.get().max(config.sense_range.get()).max(config.interference_range.get());
    }
    range(config, floor / greatest_gain(config))
}

/// About how many links there would be between nodes at these places, counted at a few hundred of them.
pub(super) fn estimate(config: &AirConfig, places: &[Position]) -> u64 {
    const SAMPLE: usize = 400;
    let reach = reach(config, floor(config));
    let step = places.len().div_ceil(SAMPLE).max(1);
    let near =
        |here: &Position| places.iter().filter(|there| here.distance(there) <= reach).count() as u64 - 1;
    let (mut found, mut asked) = (0, 0);
    for here in places.iter().step_by(step) {
        found += near(here);
        asked += 1;
    }
    found * places.len() as u64 / asked.max(1)
}

/// Nodes by squares, and where they were.
#[derive(Clone, Debug, Default)]
struct Grid {
    side: f64,
    cells: std::collections::BTreeMap<(i64, i64), Vec<(NodeId, Position)>>,
}

impl Grid {
    fn new(places: &[Position], side: f64) -> Self {
        let mut grid = Self { side, cells: std::collections::BTreeMap::new() };
        for (&place, node) in places.iter().zip(0..) {
            let cell = grid.cell(&place);
            grid.cells.entry(cell).or_default().push((NodeId(node), place));
        }
        grid
    }

    fn cell(&self, place: &Position) -> (i64, i64) {
        (libm::floor(place.x / self.side) as i64, libm::floor(place.y / self.side) as i64)
    }

    fn near(&self, place: &Position) -> impl Iterator<Item = (NodeId, Position)> + '_ {
        let (x, y) = self.cell(place);
        let around = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        around.filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }
}
