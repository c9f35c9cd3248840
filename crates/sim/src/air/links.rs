//! Who hears whom: for each node, the nodes that its signal reaches, in one contiguous list.

use multihop_proto::units::{NodeId, Power};

use super::config::{AirConfig, Propagation, Reception};
use super::propagation::path_loss;

/// A place in the plane \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// From left to right.
    pub x: f64,
    /// From bottom to top.
    pub y: f64,
}

impl Position {
    /// Distance \[m\].
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        libm::sqrt(dx * dx + dy * dy)
    }
}

/// One listener of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The listener.
    pub to: NodeId,
    /// Power at which the signal arrives \[W\].
    pub power: f64,
    /// Whether it is strong enough to be sensed; weaker ones only interfere.
    pub sensed: bool,
}

/// The listeners of all nodes: those that can decode first, then those that only sense or suffer.
#[derive(Clone, Debug)]
pub struct Links {
    links: Vec<Link>,
    /// Per node: start, end of the decodable ones, end.
    bounds: Vec<(u32, u32, u32)>,
}

impl Links {
    /// The links between nodes that stand still at `positions`.
    #[must_use]
    pub fn new(config: &AirConfig, positions: &[Position]) -> Self {
        let floor = Self::floor(config);
        let reach = Self::reach(config, floor);
        let grid = Grid::new(positions, reach);
        let mut links = Vec::new();
        let mut bounds = Vec::with_capacity(positions.len());
        for (from, here) in positions.iter().enumerate() {
            let start = links.len();
            let mut heard: Vec<Link> = grid
                .near(here)
                .filter(|&to| to != from)
                .map(|to| Self::link(config, to, here.distance(&positions[to])))
                .filter(|link| link.power >= floor && link.power > 0.0)
                .collect();
            heard.sort_by(|a, b| b.power.total_cmp(&a.power).then(a.to.cmp(&b.to)));
            let decodable = heard.iter().filter(|link| link.power >= config.receive_threshold.get()).count();
            links.extend(heard);
            bounds.push((start as u32, (start + decodable) as u32, links.len() as u32));
        }
        Self { links, bounds }
    }

    /// About how many links there would be, counted at a few hundred of the nodes.
    #[must_use]
    pub fn estimate(config: &AirConfig, positions: &[Position]) -> u64 {
        const SAMPLE: usize = 400;
        let floor = Self::floor(config);
        let reach = Self::reach(config, floor);
        let step = positions.len().div_ceil(SAMPLE).max(1);
        let near = |here: &Position| {
            positions.iter().filter(|there| here.distance(there) <= reach).count() as u64 - 1
        };
        let (mut found, mut asked) = (0, 0);
        for here in positions.iter().step_by(step) {
            found += near(here);
            asked += 1;
        }
        found * positions.len() as u64 / asked.max(1)
    }

    /// Nodes that can decode what `from` sends.
    #[inline]
    #[must_use]
    pub fn decodable(&self, from: NodeId) -> &[Link] {
        let (start, end, _) = self.bounds[from.index()];
        &self.links[start as usize..end as usize]
    }

    /// All listeners of `from`, and how many of them, the first ones, can decode.
    #[inline]
    #[must_use]
    pub fn all(&self, from: NodeId) -> (&[Link], usize) {
        let (start, decodable, end) = self.bounds[from.index()];
        (&self.links[start as usize..end as usize], (decodable - start) as usize)
    }

    /// Places of all listeners of `from` in the list, and where those that can decode end.
    #[inline]
    #[must_use]
    pub fn range(&self, from: NodeId) -> (std::ops::Range<usize>, usize) {
        let (start, decodable, end) = self.bounds[from.index()];
        (start as usize..end as usize, decodable as usize)
    }

    /// The listener at a place in the list.
    #[inline]
    #[must_use]
    pub fn at(&self, index: usize) -> Link {
        self.links[index]
    }

    fn link(config: &AirConfig, to: usize, distance: f64) -> Link {
        let sensed = config.propagation != Propagation::Disk
            || distance <= config.sense_range.get().max(config.range.get());
        let power = path_loss(config, distance);
        let to = NodeId(u32::try_from(to).expect("node numbers are 32-bit"));
        Link { to, power, sensed: sensed && power >= config.sense_threshold.get() }
    }

    /// Weakest signal that matters \[W\]: the sense threshold, or with a sum of interference a hundredth of the
    /// weakest decodable one.
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
}

/// Nodes by squares of side `reach`.
struct Grid {
    side: f64,
    cells: std::collections::BTreeMap<(i64, i64), Vec<usize>>,
}

impl Grid {
    fn new(positions: &[Position], side: f64) -> Self {
        let mut grid = Self { side, cells: std::collections::BTreeMap::new() };
        for (index, position) in positions.iter().enumerate() {
            let cell = grid.cell(position);
            grid.cells.entry(cell).or_default().push(index);
        }
        grid
    }

    fn cell(&self, position: &Position) -> (i64, i64) {
        (libm::floor(position.x / self.side) as i64, libm::floor(position.y / self.side) as i64)
    }

    fn near(&self, position: &Position) -> impl Iterator<Item = usize> + '_ {
        let (x, y) = self.cell(position);
        let around = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        around.filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }
}
