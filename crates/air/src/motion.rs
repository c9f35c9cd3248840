//! Motion: where a node is, as a function of time alone.
//!
//! Every model of motion comes down to places that are reached at instants, with straight lines between them. A node
//! stands at its first place until that place's instant, and at its last one from then on.

use multihop_proto::units::SimTime;

use super::geometry::Position;

/// A place that a node reaches at an instant, from the place before in a straight line at constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// When it is there.
    pub at: SimTime,
    /// Where.
    pub place: Position,
}

/// The way of one node, read forward in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    waypoints: Box<[Waypoint]>,
    /// The first waypoint that still lies ahead.
    ahead: usize,
    leg: Leg,
    fastest: f64,
}

/// The straight line, or the stay, on which a node is now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Leg {
    since: SimTime,
    start: Position,
    /// Per nanosecond \[m\].
    velocity: (f64, f64),
    until: SimTime,
}

/// A straight line along which a node moves, or a place at which it stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Where it is when time begins to count.
    pub(super) start: Position,
    /// Per nanosecond \[m\].
    pub(super) velocity: (f64, f64),
}

impl Motion {
    /// A node that never moves.
    #[must_use]
    pub fn still(place: Position) -> Self {
        Self::along(place, &[])
    }

    /// A node that stands at `start` when time begins and then takes its waypoints, in order of time.
    #[must_use]
    pub fn along(start: Position, waypoints: &[Waypoint]) -> Self {
        let leg = Leg { since: SimTime::ZERO, start, velocity: (0.0, 0.0), until: SimTime::MAX };
        let mut motion = Self { waypoints: waypoints.into(), ahead: 0, leg, fastest: 0.0 };
        motion.depart();
        motion.fastest = motion.clone().top_speed();
        motion
    }

    /// Where it is. Instants must not go back.
    #[inline]
    pub fn place(&mut self, now: SimTime) -> Position {
        while now >= self.leg.until {
            self.arrive();
        }
        let passed = (now - self.leg.since).as_ns() as i64 as f64; // far below 2^63
        let Leg { start, velocity, .. } = self.leg;
        Position { x: start.x + velocity.0 * passed, y: start.y + velocity.1 * passed }
    }

    /// The straight line on which it is now, as if it had been on it at `since` already, and when it leaves that line.
    pub(super) fn line(&mut self, now: SimTime, since: SimTime) -> (Line, SimTime) {
        let Position { x, y } = self.place(now);
        let velocity = self.leg.velocity;
        let passed = (now - since).as_ns() as f64;
        let start = Position { x: x - velocity.0 * passed, y: y - velocity.1 * passed };
        (Line { start, velocity }, self.leg.until)
    }

    /// Its greatest speed at any time \[m/ns\]; infinite if it ever jumps.
    #[must_use]
    pub const fn fastest(&self) -> f64 {
        self.fastest
    }

    /// Goes the whole way and finds the greatest speed on it.
    fn top_speed(mut self) -> f64 {
        let mut fastest = 0.0_f64;
        while let Some(next) = self.waypoints.get(self.ahead) {
            let jumps = next.at <= self.leg.since && next.place != self.leg.start;
            let (x, y) = if jumps { (f64::INFINITY, 0.0) } else { self.leg.velocity };
            fastest = fastest.max(libm::hypot(x, y));
            self.arrive();
        }
        fastest
    }

    /// The waypoint ahead is reached.
    fn arrive(&mut self) {
        let Waypoint { at, place } = self.waypoints[self.ahead];
        self.ahead += 1;
        (self.leg.since, self.leg.start) = (at, place);
        self.depart();
    }

    /// Sets out from where the leg starts towards the waypoint ahead.
    fn depart(&mut self) {
        let Leg { since, start, .. } = self.leg;
        let Some(next) = self.waypoints.get(self.ahead) else {
            (self.leg.velocity, self.leg.until) = ((0.0, 0.0), SimTime::MAX);
            return;
        };
        let length = next.at.saturating_since(since).as_ns() as f64;
        let along = |from: f64, to: f64| if length > 0.0 { (to - from) / length } else { 0.0 };
        self.leg.velocity = (along(start.x, next.place.x), along(start.y, next.place.y));
        self.leg.until = next.at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, x: f64, y: f64) -> Waypoint {
        Waypoint { at: SimTime::from_secs(seconds), place: Position { x, y } }
    }

    #[test]
    fn straight_lines_between_waypoints_and_rest_after_the_last() {
        let start = Position { x: 10.0, y: 0.0 };
        let mut motion = Motion::along(start, &[at(10, 10.0, 0.0), at(20, 30.0, 40.0), at(30, 30.0, 40.0)]);
        for (ms, x, y) in [(0, 10.0, 0.0), (9_999, 10.0, 0.0), (15_000, 20.0, 20.0), (20_000, 30.0, 40.0)] {
            let place = motion.place(SimTime::from_ms(ms));
            assert!((place.x - x).abs() < 1e-9 && (place.y - y).abs() < 1e-9, "{ms} ms: {place:?}");
        }
        assert_eq!(motion.place(SimTime::from_secs(1000)), Position { x: 30.0, y: 40.0 });
    }

    #[test]
    fn knows_until_when_it_stands_still_and_how_fast_it_ever_is() {
        let start = Position { x: 0.0, y: 0.0 };
        let mut motion = Motion::along(start, &[at(10, 0.0, 0.0), at(20, 200.0, 0.0), at(60, 200.0, 400.0)]);
        assert!((motion.fastest() * 1e9 - 20.0).abs() < 1e-9);
        let line = |seconds| motion.clone().line(SimTime::from_secs(seconds), SimTime::from_secs(seconds));
        assert_eq!(line(3), (Line { start, velocity: (0.0, 0.0) }, SimTime::from_secs(10)));
        let moving = Line { start: Position { x: 40.0, y: 0.0 }, velocity: (20e-9, 0.0) };
        assert_eq!(line(12), (moving, SimTime::from_secs(20)));
        assert_eq!(line(70).1, SimTime::MAX);
        let earlier = motion.line(SimTime::from_secs(12), SimTime::from_secs(11)).0;
        assert!((earlier.start.x - 20.0).abs() < 1e-9, "{earlier:?}");
    }

    #[test]
    fn two_waypoints_of_one_instant_are_a_jump() {
        let mut motion = Motion::along(Position { x: 0.0, y: 0.0 }, &[at(5, 0.0, 0.0), at(5, 90.0, 0.0)]);
        assert!(motion.place(SimTime::from_ms(4_999)).x < 1e-9);
        assert!((motion.place(SimTime::from_secs(5)).x - 90.0).abs() < 1e-9);
        assert!(motion.fastest().is_infinite());
    }
}
