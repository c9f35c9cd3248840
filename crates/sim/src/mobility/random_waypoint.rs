//! Random waypoint.
//!
//! The long run: Navidi and Camp, "Stationary distributions for the random waypoint mobility model", IEEE Trans. Mobile
//! Computing 3(1), 2004. A node then pauses with the share of time that pauses take; else it is on a trip drawn in
//! proportion to its length, at a place uniform along it, at a speed drawn in proportion to 1/v.

use super::area::{Area, AreaConfig};
use super::trace::{Start, Trace};
use crate::air::Position;
use multihop_proto::keys;
use multihop_proto::units::range::within;
use multihop_proto::units::{Dur, Rng, SimTime, Speed};

keys! {
    /// To a place drawn from the area, in a straight line at a speed drawn anew; there a pause.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RandomWaypointConfig {
        /// Least speed; above zero, else nodes come to rest in the long run (Yoon, Liu and Noble 2003).
        pub min_speed: Speed = Speed::new(1.0) => within(Speed::SLOWEST, Speed::FASTEST),
        /// Greatest speed.
        pub max_speed: Speed = Speed::new(10.0),
        /// How long a node stays at each place; also at its first one if it begins where it is placed.
        pub pause: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(10_000_000)),
        /// The area; by default that of a `random` topology.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub area: Option<AreaConfig> = None,
        /// Where nodes begin.
        pub start: Start = Start::Placed,
        /// Seed of the motion alone, which then is the same in all runs; by default each run has its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seed: Option<u64> = None,
    }
    also(its) {
        within("max-speed", its.max_speed, its.min_speed, Speed::FASTEST)
    }
}

impl RandomWaypointConfig {
    pub(super) fn trace(&self, place: Position, area: &Area, rng: &mut Rng, end: SimTime) -> Trace {
        let mut trace = match self.start {
            Start::Placed => {
                let mut trace = Trace::from(place);
                self.rest(&mut trace, self.pause.as_secs_f64());
                trace
            }
            Start::Stationary => self.stationary(area, rng),
        };
        while trace.last().0 < end {
            let (goal, speed) = (area.draw(rng), self.speed(rng));
            self.trip(&mut trace, goal, speed);
            self.rest(&mut trace, self.pause.as_secs_f64());
        }
        trace
    }

    /// Begins as if it had moved for ever.
    fn stationary(&self, area: &Area, rng: &mut Rng) -> Trace {
        let pause = self.pause.as_secs_f64();
        if rng.f64() * self.leg_s(area) < pause {
            let mut trace = Trace::from(area.draw(rng));
            self.rest(&mut trace, pause * rng.f64());
            return trace;
        }
        let longest = libm::hypot(area.width(), area.height());
        let (from, to) = loop {
            let (from, to) = (area.draw(rng), area.draw(rng));
            if rng.f64() * longest < from.distance(&to) {
                break (from, to);
            }
        };
        let part = rng.f64();
        let start = Position { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
        let (least, greatest) = (self.min_speed.get(), self.max_speed.get());
        let speed = least * libm::pow(greatest / least, rng.f64());
        let mut trace = Trace::from(start);
        self.trip(&mut trace, to, speed);
        self.rest(&mut trace, pause);
        trace
    }

    fn speed(&self, rng: &mut Rng) -> f64 {
        let (least, greatest) = (self.min_speed.get(), self.max_speed.get());
        least + (greatest - least) * rng.f64()
    }

    fn trip(&self, trace: &mut Trace, goal: Position, speed: f64) {
        let distance = trace.last().1.distance(&goal);
        trace.reach(goal, distance / speed);
    }

    fn rest(&self, trace: &mut Trace, seconds: f64) {
        if seconds > 0.0 {
            trace.reach(trace.last().1, seconds);
        }
    }

    /// Mean time of a trip and a pause \[s\].
    pub(super) fn leg_s(&self, area: &Area) -> f64 {
        let (least, greatest) = (self.min_speed.get(), self.max_speed.get());
        let slowness =
            if greatest > least { libm::log(greatest / least) / (greatest - least) } else { 1.0 / least };
        mean_distance(area.width(), area.height()) * slowness + self.pause.as_secs_f64()
    }
}

/// Mean distance of two places drawn from a rectangle with these sides \[m\] (Ghosh 1951).
fn mean_distance(a: f64, b: f64) -> f64 {
    let d = libm::hypot(a, b);
    let (aa, bb) = (a * a, b * b);
    let powers = (a * aa / bb + b * bb / aa + d * (3.0 - aa / bb - bb / aa)) / 15.0;
    powers + (bb / a * libm::log((a + d) / b) + aa / b * libm::log((b + d) / a)) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::{Entity, Purpose};

    const AREA: Area = Area { left: 0.0, bottom: 0.0, right: 1500.0, top: 300.0 };

    fn stream(run: u64) -> Rng {
        Rng::stream(1, run, Entity::Node("0"), Purpose::Motion)
    }

    #[test]
    fn the_mean_distance_is_that_of_drawn_places() {
        // 0.521405 of the side of a square (Ghosh 1951).
        assert!((mean_distance(1.0, 1.0) - 0.521_405).abs() < 1e-6);
        let mut rng = stream(1);
        let sum: f64 = (0..200_000).map(|_| AREA.draw(&mut rng).distance(&AREA.draw(&mut rng))).sum();
        let (drawn, formula) = (sum / 200_000.0, mean_distance(1500.0, 300.0));
        assert!((drawn / formula - 1.0).abs() < 0.005, "{drawn} {formula}");
    }

    #[test]
    fn it_goes_at_drawn_speeds_and_pauses_at_each_place() {
        let config = RandomWaypointConfig { pause: Dur::from_secs(5), ..RandomWaypointConfig::default() };
        let start = Position { x: 100.0, y: 100.0 };
        let trace = config.trace(start, &AREA, &mut stream(1), SimTime::from_secs(100_000));
        assert_eq!(trace.waypoints[0].place, start);
        let mut speeds = Vec::new();
        for (rest, trip) in trace.waypoints.iter().zip(&trace.waypoints[1..]).step_by(2) {
            let seconds = trip.at.saturating_since(rest.at).as_secs_f64();
            speeds.push(rest.place.distance(&trip.place) / seconds);
            assert!(AREA.contains(&trip.place));
        }
        for (trip, rest) in trace.waypoints[1..].iter().zip(&trace.waypoints[2..]).step_by(2) {
            assert_eq!((trip.place, rest.at.saturating_since(trip.at)), (rest.place, Dur::from_secs(5)));
        }
        assert!(speeds.iter().all(|speed| (0.999_999..10.000_001).contains(speed)));
        let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
        assert!((mean - 5.5).abs() < 0.3, "{mean} over {}", speeds.len());
    }

    /// What is drawn at the start is as it is much later: mean speed, share of pauses, mean distance from the middle.
    #[test]
    fn a_stationary_start_is_as_the_long_run() {
        let config = RandomWaypointConfig {
            pause: Dur::from_secs(60),
            start: Start::Stationary,
            ..RandomWaypointConfig::default()
        };
        let (middle, runs) = (Position { x: 750.0, y: 150.0 }, 4000);
        let mut at_start = [0.0; 3];
        let mut later = [0.0; 3];
        for run in 0..runs {
            let trace =
                config.trace(AREA.draw(&mut stream(run)), &AREA, &mut stream(run), SimTime::from_secs(3000));
            let mut motion = crate::air::Motion::along(trace.start, &trace.waypoints);
            for (sums, second) in [(&mut at_start, 0), (&mut later, 2500)] {
                let here = motion.place(SimTime::from_secs(second));
                let speed = here.distance(&motion.place(SimTime::from_secs(second) + Dur::from_us(1))) * 1e6;
                sums[0] += speed;
                sums[1] += f64::from(u8::from(speed < 0.5));
                sums[2] += here.distance(&middle);
            }
        }
        let runs = runs as f64;
        let paused = 60.0 / config.leg_s(&AREA);
        assert!((at_start[1] / runs - paused).abs() < 0.025, "{} {paused}", at_start[1] / runs);
        // Mean speed while moving: (v1 - v0) / ln(v1 / v0).
        let mean = (1.0 - paused) * 9.0 / libm::log(10.0);
        assert!((at_start[0] / runs / mean - 1.0).abs() < 0.05, "{} {mean}", at_start[0] / runs);
        for (sum, other) in at_start.iter().zip(&later) {
            assert!((sum / other - 1.0).abs() < 0.08, "{at_start:?} {later:?}");
        }
    }
}
