//! The field: nodes at places that may change, and whom a signal reaches from there.

use multihop_proto::units::{Dur, NodeId, Power, SimTime};

use super::channel::{Channel, greatest_gain};
use super::config::{AirConfig, NEAREST, Propagation, Reception};
use super::links::{Link, Position};
use super::motion::Motion;
use super::propagation::path_loss;

/// Part of the reach that a node may move before the grid is laid anew.
const SLACK: f64 = 0.1;

/// Nodes, their motion, and the grid in which they are looked up.
#[derive(Clone, Debug)]
pub(super) struct Field {
    config: AirConfig,
    motions: Vec<Motion>,
    /// Weakest signal that matters \[W\].
    floor: f64,
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
}

impl Field {
    /// The field at time zero.
    #[must_use]
    pub(super) fn new(config: &AirConfig, motions: Vec<Motion>, channel: Option<Channel>) -> Self {
        let floor = floor(config);
        let reach = reach(config, floor);
        let fastest = motions.iter().map(Motion::fastest).fold(0.0, f64::max);
        let mut field = Self {
            config: config.clone(),
            motions,
            floor,
            reach,
            fastest,
            channel: channel.map(Box::new),
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
        self.channel.as_ref().is_some_and(|channel| channel.fades())
    }

    /// Where a node is.
    pub(super) fn place(&mut self, node: NodeId, now: SimTime) -> Position {
        self.motions[node.index()].place(now)
    }

    /// The nodes near a place, with all that its signals could reach, and itself.
    pub(super) fn around(&mut self, node: NodeId, now: SimTime) -> Vec<NodeId> {
        if self.grid_until <= now {
            self.lay_grid(now);
        }
        let here = self.place(node, now);
        self.grid.near(&here).collect()
    }

    /// Fills in the nodes that the signal of `from` reaches now; returns until when that holds.
    pub(super) fn listeners(&mut self, from: NodeId, now: SimTime, links: &mut Vec<Link>) -> SimTime {
        if self.grid_until <= now {
            self.lay_grid(now);
        }
        let here = self.motions[from.index()].place(now);
        let mut fresh_until = self.motions[from.index()].still_until(now);
        for to in self.grid.near(&here) {
            if to == from {
                continue;
            }
            let there = &mut self.motions[to.index()];
            let mut gain = 1.0;
            if let Some(channel) = &self.channel {
                gain = channel.shadow(from, to);
                if self.frames {
                    gain *= channel.fade(from, to, now);
                }
            }
            let link = link(&self.config, to, here.distance(&there.place(now)), gain);
            fresh_until = fresh_until.min(there.still_until(now));
            if link.power >= self.floor && link.power > 0.0 {
                links.push(link);
            }
        }
        if self.frames && self.channel.as_ref().is_some_and(|channel| channel.fades()) {
            return now;
        }
        // Who is not near now may come near when the grid is laid again.
        fresh_until.min(self.grid_until)
    }

    fn lay_grid(&mut self, now: SimTime) {
        let slack = if self.fastest > 0.0 { self.reach * SLACK } else { 0.0 };
        let places: Vec<Position> = self.motions.iter_mut().map(|motion| motion.place(now)).collect();
        self.grid = Grid::new(&places, self.reach + slack);
        self.grid_until = if self.fastest > 0.0 {
            let nanoseconds = slack / self.fastest;
            now + Dur::from_ns((nanoseconds as u64).max(1)) // the whole nanosecond below
        } else {
            SimTime::MAX
        };
    }
}

fn link(config: &AirConfig, to: NodeId, distance: f64, gain: f64) -> Link {
    let sensed = config.propagation != Propagation::Disk
        || distance <= config.sense_range.get().max(config.range.get());
    let mut power = path_loss(config, distance.max(NEAREST.get())); // nodes on the move may meet
    if gain != 1.0 {
        power *= gain;
    }
    let sensed = sensed && power >= config.sense_threshold.get();
    Link { to, power, sensed, decodable: power >= config.receive_threshold.get() }
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
    let floor = floor / greatest_gain(config);
    let (mut low, mut high) = (1.0, 1.0);
    while path_loss(config, high) >= floor && high < 1e7 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if path_loss(config, middle) >= floor { low = middle } else { high = middle }
    }
    high
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

/// Nodes by squares.
#[derive(Clone, Debug, Default)]
struct Grid {
    side: f64,
    cells: std::collections::BTreeMap<(i64, i64), Vec<NodeId>>,
}

impl Grid {
    fn new(places: &[Position], side: f64) -> Self {
        let mut grid = Self { side, cells: std::collections::BTreeMap::new() };
        for (place, node) in places.iter().zip(0..) {
            let cell = grid.cell(place);
            grid.cells.entry(cell).or_default().push(NodeId(node));
        }
        grid
    }

    fn cell(&self, place: &Position) -> (i64, i64) {
        (libm::floor(place.x / self.side) as i64, libm::floor(place.y / self.side) as i64)
    }

    fn near(&self, place: &Position) -> impl Iterator<Item = NodeId> + '_ {
        let (x, y) = self.cell(place);
        let around = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        around.filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }
}
