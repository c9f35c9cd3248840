//! How far two nodes are from each other while both keep to their straight lines: the square of their distance is a
//! polynomial of time, so it is known when the one leaves the other's range.

use multihop_proto::units::{Dur, NodeId, SimTime};

use super::config::NEAREST;
use super::motion::Line;

/// What a signal does to a node that it reaches; the order is that of listeners in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// It can be decoded.
    Decodes,
    /// It is sensed.
    Senses,
    /// It is too weak to be sensed, but counts as interference.
    Suffers,
    /// Nothing.
    Beyond,
}

/// A node on its line, seen from another on its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// The node that is seen.
    pub(super) to: NodeId,
    /// What the other's signal does to it.
    pub(super) reach: Reach,
    /// When it turns or stops.
    pub(super) turns: SimTime,
    /// Until when neither its line nor its reach changes.
    pub(super) steady: SimTime,
}

impl Course {
    /// A node whose line has to be found out.
    pub(super) const fn unknown(to: NodeId) -> Self {
        Self { to, reach: Reach::Beyond, turns: SimTime::ZERO, steady: SimTime::ZERO }
    }
}

/// The square of the distance of two nodes on their lines: coefficients by powers of the time \[m², ns\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    place: f64,
    speed: f64,
    bend: f64,
}

/// How near to the edge of a range it is not said on which side a node is, as a part of the square of the distance: far
/// more than rounding errors, 0.1 µm at 250 m.
const EDGE: f64 = 1e-9;
/// Part of the time until a range is left that is left out, for rounding errors.
const EARLY: f64 = 1e-6;

/// Nodes that move may meet, but never count as nearer than nodes at rest may be placed.
#[inline(always)]
fn at_least(square: f64) -> f64 {
    let least = NEAREST.get() * NEAREST.get();
    if square > least { square } else { least }
}

impl Square {
    /// That of a node on a line, seen from another on its own.
    pub(super) fn between(here: &Line, there: &Line) -> Self {
        let (x, y) = (there.start.x - here.start.x, there.start.y - here.start.y);
        let (u, v) = (there.velocity.0 - here.velocity.0, there.velocity.1 - here.velocity.1);
        Self { place: x * x + y * y, speed: 2.0 * (x * u + y * v), bend: u * u + v * v }
    }

    /// What it is when so many nanoseconds have passed \[m²\].
    #[inline(always)]
    pub(super) fn at(&self, passed: f64) -> f64 {
        at_least(self.place + passed * (self.speed + passed * self.bend))
    }

    /// Whether the distance becomes shorter at first.
    pub(super) fn shrinks(&self) -> bool {
        self.speed < 0.0
    }

    /// Whether the distance stays as it is.
    #[inline]
    pub(super) fn is_still(&self) -> bool {
        self.bend == 0.0
    }

    /// For how long from then on, when so many nanoseconds have passed, the square of the distance surely stays between
    /// two bounds \[m²\]. It is zero at a bound.
    pub(super) fn stays(&self, passed: f64, (inner, outer): (f64, f64)) -> Dur {
        if self.is_still() {
            return Dur::from_ns(u64::MAX);
        }
        let (square, bend) = (self.at(passed), self.bend);
        let speed = self.speed + 2.0 * passed * bend;
        let (inward, outward) = (square - inner * (1.0 + EDGE), outer * (1.0 - EDGE) - square);
        if inward <= 0.0 || outward <= 0.0 {
            return Dur::ZERO;
        }
        // The root that lies ahead, written so that nothing cancels out.
        let ahead = |gap: f64, speed: f64| {
            let root = libm::sqrt(speed * speed + 4.0 * bend * gap);
            if speed > 0.0 { 2.0 * gap / (speed + root) } else { (root - speed) / (2.0 * bend) }
        };
        let leaves = if outward.is_finite() { ahead(outward, speed) } else { f64::INFINITY };
        let touches = speed < 0.0 && speed * speed >= 4.0 * bend * inward;
        let enters = if touches {
            2.0 * inward / (libm::sqrt(speed * speed - 4.0 * bend * inward) - speed)
        } else {
            f64::INFINITY
        };
        Dur::from_ns((leaves.min(enters) * (1.0 - EARLY)) as u64) // saturates
    }
}

/// Squares that are worked out at once.
pub(super) const TOGETHER: usize = 4;

/// Some squares, by coefficients: so that those of several are worked out at once.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    place: [f64; TOGETHER],
    speed: [f64; TOGETHER],
    bend: [f64; TOGETHER],
}

/// A list of squares.
#[derive(Clone, Debug, Default)]
pub(super) struct Squares(Vec<Block>);

impl Squares {
    /// Makes room for so many, all of them zero.
    pub(super) fn clear(&mut self, count: usize) {
        self.0.clear();
        self.0.resize(count.div_ceil(TOGETHER), Block::default());
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Square {
        let (block, place) = (&self.0[index / TOGETHER], index % TOGETHER);
        Square { place: block.place[place], speed: block.speed[place], bend: block.bend[place] }
    }

    #[inline]
    pub(super) fn set(&mut self, index: usize, square: Square) {
        let (block, place) = (&mut self.0[index / TOGETHER], index % TOGETHER);
        (block.place[place], block.speed[place], block.bend[place]) =
            (square.place, square.speed, square.bend);
    }

    pub(super) fn swap(&mut self, one: usize, other: usize) {
        let (first, second) = (self.get(one), self.get(other));
        self.set(one, second);
        self.set(other, first);
    }

    /// All of them when so many nanoseconds have passed, some at once \[m²\]; those after the last one mean nothing.
    #[inline(always)]
    pub(super) fn at(&self, passed: f64) -> impl Iterator<Item = [f64; TOGETHER]> {
        self.0.iter().map(move |Block { place, speed, bend }| {
            std::array::from_fn(|i| at_least(place[i] + passed * (speed[i] + passed * bend[i])))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Position;
    use super::*;

    fn line(x: f64, y: f64, u: f64, v: f64) -> Line {
        Line { start: Position { x, y }, velocity: (u * 1e-9, v * 1e-9) } // m/s
    }

    fn seen(there: &Line) -> Square {
        Square::between(&line(0.0, 0.0, 0.0, 0.0), there)
    }

    fn seconds(stays: Dur) -> f64 {
        stays.as_ns() as f64 / 1e9
    }

    #[test]
    fn the_square_of_the_distance_is_that_of_the_places() {
        let seen = Square::between(&line(100.0, 0.0, 0.0, 10.0), &line(0.0, 50.0, 5.0, 0.0));
        let square = seen.at(4e9); // (100, 40) and (20, 50)
        assert!((square - 6500.0).abs() < 1e-6, "{square}");
    }

    #[test]
    fn squares_worked_out_at_once_are_the_same_to_the_bit() {
        let square = |i: usize| {
            let (x, speed) = (30.0 * i as f64, 1.0 + i as f64);
            seen(&line(x - 100.0, 7.0, speed, -2.0))
        };
        let mut squares = Squares::default();
        squares.clear(TOGETHER + 2);
        (0..TOGETHER + 2).for_each(|i| squares.set(i, square(i)));
        squares.swap(1, TOGETHER);
        let passed = 12_345_678_901.0;
        let at_once: Vec<f64> = squares.at(passed).flatten().take(TOGETHER + 2).collect();
        let mut one_by_one: Vec<f64> = (0..TOGETHER + 2).map(|i| square(i).at(passed)).collect();
        one_by_one.swap(1, TOGETHER);
        assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn a_node_that_passes_enters_a_range_and_leaves_it() {
        // At 3 m from the path, a range of 5 m is entered 4 m before the nearest place and left 4 m after it.
        let course = seen(&line(-104.0, 3.0, 2.0, 0.0));
        let outside = seconds(course.stays(0.0, (25.0, f64::INFINITY)));
        assert!((outside - 50.0).abs() < 1e-3, "{outside}");
        let inside = seconds(course.stays(51e9, (0.0, 25.0)));
        assert!((inside - 3.0).abs() < 1e-3, "{inside}");
        let after = course.stays(55e9, (25.0, f64::INFINITY));
        assert_eq!(after, Dur::from_ns(u64::MAX));
    }

    #[test]
    fn one_that_does_not_come_near_enough_or_does_not_move_stays_for_ever() {
        assert_eq!(
            seen(&line(-100.0, 6.0, 2.0, 0.0)).stays(0.0, (25.0, f64::INFINITY)),
            Dur::from_ns(u64::MAX)
        );
        assert_eq!(seen(&line(3.0, 4.0, 0.0, 0.0)).stays(0.0, (25.0, 26.0)), Dur::from_ns(u64::MAX));
    }

    #[test]
    fn at_the_edge_nothing_is_said() {
        let course = seen(&line(3.0, 4.0, 1.0, 0.0));
        assert_eq!(course.stays(0.0, (25.0, 100.0)), Dur::ZERO);
        assert_eq!(course.stays(0.0, (0.0, 25.0)), Dur::ZERO);
    }

    proptest::proptest! {
        /// Until then it is between the bounds at every instant, and soon after it no longer is.
        #[test]
        fn between_the_bounds_until_then(
            (x, y) in (-600.0..600.0f64, -600.0..600.0f64),
            (u, v) in (-20.0..20.0f64, -20.0..20.0f64),
            passed in 0.0..5e9f64,
        ) {
            let course = seen(&line(x, y, u, v));
            let square = course.at(passed);
            let bounds = match square {
                near if near <= 62_500.0 => (-1.0, 62_500.0),
                middle if middle <= 302_500.0 => (62_500.0, 302_500.0),
                _ => (302_500.0, f64::INFINITY),
            };
            let stays = course.stays(passed, bounds);
            let between = |square: f64| bounds.0 < square && square <= bounds.1;
            let stayed = (stays.as_ns() as f64).min(1e13);
            for part in 0..=100 {
                let then = passed + stayed * f64::from(part) / 100.0;
                proptest::prop_assert!(between(course.at(then)), "{part} of {stays}");
            }
            if stays.as_ns() < 1_000_000_000_000 {
                let later = passed + stayed * (1.0 + 1e-5) + 1e5;
                proptest::prop_assert!(!between(course.at(later)) || stayed == 0.0, "{stays}");
            }
        }
    }
}
