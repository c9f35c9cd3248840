//! Random walk with reflection (Camp, Boleng and Davies, "A survey of mobility models for ad hoc network research",
//! Wireless Communications and Mobile Computing 2(5), 2002, section 2.1). In the long run places are uniform.

use super::area::{Area, AreaConfig};
use super::trace::{Start, Trace};
use crate::air::Position;
use multihop_proto::keys;
use multihop_proto::units::range::within;
use multihop_proto::units::{Dur, Rng, SimTime, Speed};

keys! {
    /// In a direction and at a speed that are drawn anew after each interval.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RandomWalkConfig {
        /// How long a node keeps direction and speed.
        pub interval: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), Dur::from_secs(1_000_000)),
        /// Least speed.
        pub min_speed: Speed = Speed::new(0.0) => within(Speed::new(0.0), Speed::FASTEST),
        /// Greatest speed.
        pub max_speed: Speed = Speed::new(10.0),
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
        within("max-speed", its.max_speed, its.min_speed.max(Speed::SLOWEST), Speed::FASTEST)
    }
}

impl RandomWalkConfig {
    pub(super) fn trace(&self, place: Position, area: &Area, rng: &mut Rng, end: SimTime) -> Trace {
        let mut trace = Trace::from(match self.start {
            Start::Placed => place,
            Start::Stationary => area.draw(rng),
        });
        let (least, greatest) = (self.min_speed.get(), self.max_speed.get());
        let mut interval_end = SimTime::ZERO;
        while trace.last().0 < end {
            let direction = std::f64::consts::TAU * rng.f64();
            let speed = least + (greatest - least) * rng.f64();
            interval_end += self.interval;
            let velocity = (speed * libm::cos(direction), speed * libm::sin(direction));
            walk(&mut trace, area, velocity, interval_end);
        }
        trace
    }

    /// Mean time between waypoints \[s\]: the interval, or the way across the area.
    pub(super) fn leg_s(&self, area: &Area) -> f64 {
        let across = area.width().min(area.height()) / self.max_speed.get();
        let interval = self.interval.as_secs_f64();
        1.0 / (1.0 / interval + 1.0 / across)
    }
}

/// Walks in a straight line until an instant, reflected by the sides.
fn walk(trace: &mut Trace, area: &Area, (mut vx, mut vy): (f64, f64), until: SimTime) {
    loop {
        let (now, here) = trace.last();
        let left = until.saturating_since(now).as_secs_f64();
        if left <= 0.0 {
            return;
        }
        let wall = |velocity: f64, low: f64, place: f64, high: f64| {
            if velocity > 0.0 {
                (high - place) / velocity
            } else if velocity < 0.0 {
                (low - place) / velocity
            } else {
                f64::INFINITY
            }
        };
        let to_side = wall(vx, area.left, here.x, area.right);
        let to_end = wall(vy, area.bottom, here.y, area.top);
        let first = to_side.min(to_end);
        if first >= left {
            let x = (here.x + vx * left).clamp(area.left, area.right);
            trace.reach(Position { x, y: (here.y + vy * left).clamp(area.bottom, area.top) }, left);
            return;
        }
        let (mut x, mut y) = (here.x + vx * first, here.y + vy * first);
        if to_side <= first {
            x = if vx > 0.0 { area.right } else { area.left };
            vx = -vx;
        }
        if to_end <= first {
            y = if vy > 0.0 { area.top } else { area.bottom };
            vy = -vy;
        }
        if first > 0.0 {
            trace.reach(Position { x, y }, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::units::{Entity, Purpose};

    const AREA: Area = Area { left: -100.0, bottom: 50.0, right: 100.0, top: 150.0 };

    #[test]
    fn sides_reflect() {
        let mut trace = Trace::from(Position { x: 90.0, y: 100.0 });
        walk(&mut trace, &AREA, (10.0, 20.0), SimTime::from_secs(4));
        let places: Vec<_> =
            trace.waypoints.iter().map(|it| (it.at.as_secs_f64(), it.place.x, it.place.y)).collect();
        assert_eq!(places, [(1.0, 100.0, 120.0), (2.5, 85.0, 150.0), (4.0, 70.0, 120.0)]);
    }

    #[test]
    fn it_stays_inside_keeps_its_speed_and_is_everywhere_alike() {
        let config = RandomWalkConfig { min_speed: Speed::new(5.0), ..RandomWalkConfig::default() };
        let mut rng = Rng::stream(1, 1, Entity::Node("0"), Purpose::Motion);
        let start = Position { x: 0.0, y: 60.0 };
        let end = SimTime::from_secs(200_000);
        let trace = config.trace(start, &AREA, &mut rng, end);
        assert!(trace.waypoints.iter().all(|it| AREA.contains(&it.place)));
        let mut before = (SimTime::ZERO, start);
        for it in &trace.waypoints {
            let (seconds, distance) =
                (it.at.saturating_since(before.0).as_secs_f64(), before.1.distance(&it.place));
            assert!(distance <= 10.0 * seconds + 1e-6 && distance >= 5.0 * seconds - 1e-6);
            before = (it.at, it.place);
        }
        let mut motion = crate::air::Motion::along(trace.start, &trace.waypoints);
        let mut quarters = [0_u32; 4];
        for second in (0..200_000).step_by(20) {
            let place = motion.place(SimTime::from_secs(second));
            quarters[usize::from(place.x > 0.0) + 2 * usize::from(place.y > 100.0)] += 1;
        }
        assert!(quarters.iter().all(|&n| (2300..2700).contains(&n)), "{quarters:?}");
    }
}
