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
    /// Coefficients of the square of the distance, by powers of the time \[m², ns\].
    square: [f64; 3],
}

/// How near to the edge of a range it is not said on which side a node is, as a part of the square of the distance: far
/// more than rounding errors, 0.1 µm at 250 m.
const EDGE: f64 = 1e-9;
/// Part of the time until a range is left that is left out, for rounding errors.
const EARLY: f64 = 1e-6;

impl Course {
    /// A node whose line has to be found out.
    pub(super) const fn unknown(to: NodeId) -> Self {
        let never = SimTime::ZERO;
        Self { to, reach: Reach::Beyond, turns: never, steady: never, square: [0.0; 3] }
    }

    /// The node `to`, which leaves its line when it `turns`, seen from another; what reaches it has to be found out.
    pub(super) fn between(here: &Line, there: &Line, to: NodeId, turns: SimTime) -> Self {
        let (x, y) = (there.start.x - here.start.x, there.start.y - here.start.y);
        let (u, v) = (there.velocity.0 - here.velocity.0, there.velocity.1 - here.velocity.1);
        let square = [x * x + y * y, 2.0 * (x * u + y * v), u * u + v * v];
        Self { to, reach: Reach::Beyond, turns, steady: SimTime::ZERO, square }
    }

    /// The square of the distance when so many nanoseconds have passed \[m²\]; nodes on the move may meet, but never
    /// count as nearer than nodes at rest may be placed.
    #[inline(always)]
    pub(super) fn square(&self, passed: f64) -> f64 {
        let [place, speed, bend] = self.square;
        let (square, least) = (place + passed * (speed + passed * bend), NEAREST.get() * NEAREST.get());
        if square > least { square } else { least }
    }

    /// Whether the distance stays as it is.
    #[inline]
    pub(super) fn is_still(&self) -> bool {
        self.square[2] == 0.0
    }

    /// For how long from then on, when so many nanoseconds have passed, the square of the distance surely stays between
    /// two bounds \[m²\]. It is zero at a bound.
    pub(super) fn stays(&self, passed: f64, (inner, outer): (f64, f64)) -> Dur {
        if self.is_still() {
            return Dur::from_ns(u64::MAX);
        }
        let (square, bend) = (self.square(passed), self.square[2]);
        let speed = self.square[1] + 2.0 * passed * bend;
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

#[cfg(test)]
mod tests {
    use super::super::links::Position;
    use super::*;

    fn line(x: f64, y: f64, u: f64, v: f64) -> Line {
        Line { start: Position { x, y }, velocity: (u * 1e-9, v * 1e-9) } // m/s
    }

    fn seen(there: &Line) -> Course {
        Course::between(&line(0.0, 0.0, 0.0, 0.0), there, NodeId(1), SimTime::MAX)
    }

    fn seconds(stays: Dur) -> f64 {
        stays.as_ns() as f64 / 1e9
    }

    #[test]
    fn the_square_of_the_distance_is_that_of_the_places() {
        let course = Course::between(
            &line(100.0, 0.0, 0.0, 10.0),
            &line(0.0, 50.0, 5.0, 0.0),
            NodeId(1),
            SimTime::MAX,
        );
        let square = course.square(4e9); // (100, 40) and (20, 50)
        assert!((square - 6500.0).abs() < 1e-6, "{square}");
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
            let square = course.square(passed);
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
                proptest::prop_assert!(between(course.square(then)), "{part} of {stays}");
            }
            if stays.as_ns() < 1_000_000_000_000 {
                let later = passed + stayed * (1.0 + 1e-5) + 1e5;
                proptest::prop_assert!(!between(course.square(later)) || stayed == 0.0, "{stays}");
            }
        }
    }
}
