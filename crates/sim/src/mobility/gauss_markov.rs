//! Gauss-Markov (Camp, Boleng and Davies, "A survey of mobility models for ad hoc network research", Wireless
//! Communications and Mobile Computing 2(5), 2002, section 2.5; Liang and Haas 1999).
//!
//! After each interval speed and direction are `α·s + (1 - α)·s̄ + √(1 - α²)·w`, w normal with mean 0. Near a side the
//! mean direction becomes the one that leads away from it, and stays so until the node is near another side. What the
//! paper leaves open: of the mean direction and itself plus whole turns the nearest counts; a speed below 0 is 0; a
//! node that would still leave is reflected, with its mean direction.

use super::area::{Area, AreaConfig};
use super::trace::{Start, Trace};
use crate::air::Position;
use multihop_proto::keys;
use multihop_proto::units::range::must;
use multihop_proto::units::{Angle, Dur, Metres, Rng, SimTime, Speed};
use std::f64::consts::{PI, TAU};

keys! {
    /// Speed and direction that depend on those before.
    #[derive(Clone, Debug, PartialEq)]
    pub struct GaussMarkovConfig {
        /// After how long speed and direction change.
        pub interval: Dur = Dur::from_secs(1) => within(Dur::from_ms(1), Dur::from_secs(1_000_000)),
        /// How much of speed and direction is kept: 0 is a walk without memory, 1 a straight line.
        pub alpha: f64 = 0.75,
        /// Mean speed.
        pub mean_speed: Speed = Speed::new(5.0) => within(Speed::new(0.0), Speed::FASTEST),
        /// Standard deviation of the speed.
        pub speed_deviation: Speed = Speed::new(1.0) => within(Speed::new(0.0), Speed::FASTEST),
        /// Standard deviation of the direction.
        pub direction_deviation: Angle = Angle::new(30.0) => within(Angle::new(0.0), Angle::new(360.0)),
        /// Distance from a side within which nodes turn away from it.
        pub margin: Metres = Metres::new(20.0) => within(Metres::new(0.0), Metres::new(1e6)),
        /// The area; by default that of a `random` topology.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub area: Option<AreaConfig> = None,
        /// Where nodes begin. `stationary` draws a place from the area, all alike: an approximation, since margins are
        /// visited less.
        pub start: Start = Start::Placed,
        /// Seed of the motion alone, which then is the same in all runs; by default each run has its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub seed: Option<u64> = None,
    }
    also(its) {
        must((0.0..=1.0).contains(&its.alpha), "alpha", its.alpha, "lie between 0 and 1")
    }
}

impl GaussMarkovConfig {
    pub(super) fn trace(&self, place: Position, area: &Area, rng: &mut Rng, end: SimTime) -> Trace {
        let mut trace = Trace::from(match self.start {
            Start::Placed => place,
            Start::Stationary => area.draw(rng),
        });
        let mut mean_direction = TAU * rng.f64();
        let mean_speed = self.mean_speed.get();
        let (mut speed, mut direction) = (mean_speed, mean_direction);
        let (kept, spread) = (self.alpha, libm::sqrt(1.0 - self.alpha * self.alpha));
        let seconds = self.interval.as_secs_f64();
        while trace.last().0 < end {
            let here = trace.last().1;
            let (vx, vy) = (speed * libm::cos(direction), speed * libm::sin(direction));
            let (x, turned_x) = reflected(here.x + vx * seconds, area.left, area.right);
            let (y, turned_y) = reflected(here.y + vy * seconds, area.bottom, area.top);
            trace.reach(Position { x, y }, seconds);
            if turned_x || turned_y {
                let mirrored = |x: f64, y: f64| {
                    libm::atan2(if turned_y { -y } else { y }, if turned_x { -x } else { x })
                };
                direction = mirrored(vx, vy);
                mean_direction = mirrored(libm::cos(mean_direction), libm::sin(mean_direction));
            }
            mean_direction = self.away(&trace.last().1, area).unwrap_or(mean_direction);
            let mean = mean_direction + TAU * libm::round((direction - mean_direction) / TAU);
            let (for_speed, for_direction) = (rng.normal(), rng.normal());
            speed =
                kept * speed + (1.0 - kept) * mean_speed + spread * self.speed_deviation.get() * for_speed;
            speed = speed.max(0.0);
            let deviation = self.direction_deviation.get() * PI / 180.0;
            direction = kept * direction + (1.0 - kept) * mean + spread * deviation * for_direction;
        }
        trace
    }

    /// The direction that leads away from the sides that are near, if any is.
    fn away(&self, place: &Position, area: &Area) -> Option<f64> {
        let margin = self.margin.get();
        let side = |low: f64, here: f64, high: f64| {
            f64::from(i8::from(here - low < margin) - i8::from(high - here < margin))
        };
        let (x, y) = (side(area.left, place.x, area.right), side(area.bottom, place.y, area.top));
        (x != 0.0 || y != 0.0).then(|| libm::atan2(y, x))
    }
}

/// A coordinate folded into its range, and whether its direction turned.
fn reflected(place: f64, low: f64, high: f64) -> (f64, bool) {
    let width = high - low;
    let folds = libm::floor((place - low) / width);
    if folds == 0.0 {
        return (place, false);
    }
    let rest = (place - low - folds * width).clamp(0.0, width);
    let odd = libm::fmod(folds, 2.0) != 0.0;
    (if odd { high - rest } else { low + rest }, odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::{Entity, Purpose};

    const AREA: Area = Area { left: 0.0, bottom: 0.0, right: 1000.0, top: 500.0 };

    fn trace(config: &GaussMarkovConfig, seconds: u64) -> Trace {
        let mut rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Motion);
        config.trace(Position { x: 500.0, y: 250.0 }, &AREA, &mut rng, SimTime::from_secs(seconds))
    }

    fn speeds(trace: &Trace) -> Vec<f64> {
        let all: Vec<Position> =
            std::iter::once(trace.start).chain(trace.waypoints.iter().map(|it| it.place)).collect();
        all.windows(2).map(|two| two[0].distance(&two[1])).collect()
    }

    #[test]
    fn coordinates_fold_at_the_sides() {
        assert_eq!(reflected(4.0, 0.0, 10.0), (4.0, false));
        assert_eq!(reflected(-3.0, 0.0, 10.0), (3.0, true));
        assert_eq!(reflected(12.0, 0.0, 10.0), (8.0, true));
        assert_eq!(reflected(23.0, 0.0, 10.0), (3.0, false));
    }

    /// The long run has the mean and the deviation asked for, and what is kept from step to step is alpha.
    #[test]
    fn speeds_are_a_gauss_markov_process() {
        let config = GaussMarkovConfig::default();
        let trace = trace(&config, 100_000);
        assert!(trace.waypoints.iter().all(|it| AREA.contains(&it.place)));
        let speeds = speeds(&trace);
        let count = speeds.len() as f64;
        let mean = speeds.iter().sum::<f64>() / count;
        let square = |shift: usize| {
            speeds.iter().zip(&speeds[shift..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / count
        };
        assert!((mean - 5.0).abs() < 0.05, "{mean}");
        assert!((libm::sqrt(square(0)) - 1.0).abs() < 0.05, "{}", square(0));
        assert!((square(1) / square(0) - 0.75).abs() < 0.03, "{}", square(1) / square(0));
    }

    /// No node stays at a side: the mean direction is turned for good, by a margin or by the side itself.
    #[test]
    fn places_are_spread_over_the_area() {
        for margin in [20.0, 0.0] {
            let margin = Metres::new(margin);
            let config =
                GaussMarkovConfig { margin, start: Start::Stationary, ..GaussMarkovConfig::default() };
            let mut places = Vec::new();
            for run in 1..=60 {
                let mut rng = Rng::stream(1, run, Entity::Node("0"), Purpose::Motion);
                let trace = config.trace(
                    Position { x: 500.0, y: 250.0 },
                    &AREA,
                    &mut rng,
                    SimTime::from_secs(20_000),
                );
                places.extend(trace.waypoints.iter().map(|it| it.place));
            }
            let share = |within: fn(&Position) -> bool| {
                places.iter().filter(|place| within(place)).count() as f64 / places.len() as f64
            };
            let sides = [
                share(|place| place.x < 250.0),
                share(|place| place.x > 750.0),
                share(|place| place.y < 125.0),
                share(|place| place.y > 375.0),
            ];
            assert!(sides.iter().all(|side| (0.15..0.3).contains(side)), "{margin:?}: {sides:?}");
        }
    }

    #[test]
    fn with_all_kept_it_goes_straight_and_with_none_it_forgets() {
        let straight =
            GaussMarkovConfig { alpha: 1.0, margin: Metres::new(0.0), ..GaussMarkovConfig::default() };
        let way_straight = trace(&straight, 40);
        let (first, last) = (way_straight.start, way_straight.waypoints[39].place);
        assert!((first.distance(&last) - 200.0).abs() < 1e-6, "40 s at 5 m/s");
        let none = GaussMarkovConfig { alpha: 0.0, ..GaussMarkovConfig::default() };
        let speeds = speeds(&trace(&none, 20_000));
        let mean = speeds.iter().sum::<f64>() / speeds.len() as f64;
        let lag = speeds.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum::<f64>();
        let all = speeds.iter().map(|speed| (speed - mean) * (speed - mean)).sum::<f64>();
        assert!((lag / all).abs() < 0.03, "{}", lag / all);
    }

    #[test]
    fn near_a_side_it_turns_away() {
        let config = GaussMarkovConfig::default();
        let away = |x, y| config.away(&Position { x, y }, &AREA).map(|angle| libm::round(angle * 180.0 / PI));
        assert_eq!(away(500.0, 250.0), None);
        assert_eq!(away(5.0, 250.0), Some(0.0));
        assert_eq!(away(995.0, 250.0), Some(180.0));
        assert_eq!(away(5.0, 495.0), Some(-45.0));
        assert_eq!(away(500.0, 5.0), Some(90.0));
    }
}
