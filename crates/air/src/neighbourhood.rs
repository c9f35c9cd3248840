//! The nodes near one: which of them its signal reaches, followed from frame to frame at little cost.

use multihop_proto::units::{NodeId, SimTime};

use super::config::{AirConfig, Propagation};
use super::course::{Course, Reach, Square, Squares, TOGETHER};
use super::link::{Link, strongest_first};
use super::motion::Motion;
use super::propagation::{Mean, range};

/// What a signal does at a power and a distance, and how far it does so on average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    /// Least powers \[W\] and, under the disk model, squares of the greatest distances \[m²\].
    receive: (f64, f64),
    sense: (f64, f64),
    floor: f64,
    /// Squares of the distances up to which a signal of mean power is decoded, sensed, and heard at all \[m²\].
    edges: [f64; 3],
}

impl Ranges {
    /// Those of a radio by which signals below the power `floor` \[W\] count as nothing.
    pub(super) fn new(config: &AirConfig, floor: f64) -> Self {
        let (receive, sense) = (config.receive_threshold.get(), config.sense_threshold.get());
        let disk = config.propagation == Propagation::Disk;
        let within = |distance: f64| if disk { distance } else { f64::INFINITY };
        let least = |power: f64| if disk { 0.0 } else { power }; // of a disk the thresholds may be the same
        let decoded = within(config.range.get());
        let sensed = within(config.sense_range.get().max(config.range.get()));
        let edge = |power, distance: f64| {
            let edge = range(config, power).min(distance);
            edge * edge
        };
        let edges = [edge(receive, decoded), edge(sense, sensed), edge(floor, f64::INFINITY)];
        let (receive, sense) = ((least(receive), decoded * decoded), (least(sense), sensed * sensed));
        Self { receive, sense, floor, edges }
    }

    /// What a signal does that arrives with a power after a distance, given by its square.
    #[inline]
    fn reach(&self, power: f64, square: f64) -> Reach {
        if power < self.floor || power <= 0.0 {
            Reach::Beyond
        } else if power >= self.receive.0 && square <= self.receive.1 {
            Reach::Decodes
        } else if power >= self.sense.0 && square <= self.sense.1 {
            Reach::Senses
        } else {
            Reach::Suffers
        }
    }

    /// The squares of the distances between which a signal of mean power does the same \[m²\].
    fn bounds(&self, reach: Reach) -> (f64, f64) {
        let [decoded, sensed, heard] = self.edges;
        match reach {
            Reach::Decodes => (-1.0, decoded), // of no edge
            Reach::Senses => (decoded, sensed),
            Reach::Suffers => (sensed, heard),
            Reach::Beyond => (heard, f64::INFINITY),
        }
    }

    /// The link to a node, if the signal reaches it.
    pub(super) fn link(&self, to: NodeId, power: f64, square: f64) -> Option<Link> {
        let reach = self.reach(power, square);
        (reach < Reach::Beyond).then(|| link(to, power, reach))
    }
}

fn link(to: NodeId, power: f64, reach: Reach) -> Link {
    // Where the receive threshold is the lower of the two, what is decoded is not always sensed.
    Link { to, power, sensed: reach <= Reach::Senses, decodable: reach == Reach::Decodes }
}

/// Whether the one comes before the other in a list of links, asked of two that mostly do not.
#[inline(always)]
fn goes_before(one: &Link, other: &Link) -> bool {
    one.power >= other.power && strongest_first(one) < strongest_first(other)
}

/// The nodes that may come within reach of one while no node moves by more than a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbourhood {
    /// Those that the signal reaches first, in the order of their links.
    courses: Vec<Course>,
    /// Of the same nodes the squares of the distances.
    squares: Squares,
    /// How many can decode the signal, and how many it reaches.
    decoding: usize,
    reached: usize,
    /// When courses began to count.
    since: SimTime,
    /// When the node itself turns or stops.
    turns: SimTime,
    /// Until when no course and no reach changes.
    steady: SimTime,
    /// Until when no other node comes near.
    pub(super) until: SimTime,
}

impl Neighbourhood {
    /// It consists of these nodes until then.
    pub(super) fn renew(&mut self, nodes: impl Iterator<Item = NodeId>, until: SimTime) {
        self.courses.clear();
        self.courses.extend(nodes.map(Course::unknown));
        self.squares.clear(self.courses.len());
        (self.decoding, self.reached) = (0, 0);
        self.until = until;
        (self.turns, self.steady) = (SimTime::ZERO, SimTime::ZERO);
    }

    /// What has changed of courses and reaches until now is looked up.
    pub(super) fn follow(
        &mut self,
        (me, now): (NodeId, SimTime),
        motions: &mut [Motion],
        ranges: &Ranges,
        mean: &Mean,
    ) {
        if self.steady > now {
            return;
        }
        let turned = self.turns <= now;
        if turned {
            self.since = now;
        }
        let (here, turns) = motions[me.index()].line(now, self.since);
        self.turns = turns;
        let passed = self.passed(now);
        let mut regroup = false;
        for (place, course) in self.courses.iter_mut().enumerate() {
            if !turned && course.steady > now {
                continue;
            }
            if turned || course.turns <= now {
                let (there, turns) = motions[course.to.index()].line(now, self.since);
                course.turns = turns;
                self.squares.set(place, Square::between(&here, &there));
            }
            let distance = self.squares.get(place);
            let square = distance.at(passed);
            let reach = ranges.reach(mean.at_square(square), square);
            regroup |= reach != course.reach;
            course.reach = reach;
            course.steady = course.turns.min(now + distance.stays(passed, ranges.bounds(reach)));
        }
        self.steady = self.courses.iter().map(|course| course.steady).fold(turns, SimTime::min);
        if regroup {
            self.decoding = self.gather(0, Reach::Decodes);
            let sensing = self.gather(self.decoding, Reach::Senses);
            self.reached = self.gather(sensing, Reach::Suffers);
        }
    }

    /// Brings those to which the signal does the same to one place in the list; returns where they end.
    fn gather(&mut self, start: usize, reach: Reach) -> usize {
        let mut end = start;
        for place in start..self.courses.len() {
            if self.courses[place].reach == reach {
                if place != end {
                    self.courses.swap(end, place);
                    self.squares.swap(end, place);
                }
                end += 1;
            }
        }
        end
    }

    /// Until when no course and no reach changes, and no other node comes near.
    pub(super) fn steady_until(&self) -> SimTime {
        self.steady.min(self.until)
    }

    /// Until when no distance changes.
    pub(super) fn still_until(&self, now: SimTime) -> SimTime {
        let still = (0..self.courses.len()).all(|place| self.squares.get(place).is_still());
        if still { self.steady_until() } else { now }
    }

    /// The nodes and the squares of their distances now \[m²\].
    pub(super) fn squares(&self, now: SimTime) -> impl Iterator<Item = (NodeId, f64)> + '_ {
        let passed = self.passed(now);
        self.courses.iter().zip(self.squares.at(passed).flatten()).map(|(course, square)| (course.to, square))
    }

    /// Fills in which nodes the signal reaches at mean power, those that can decode it first and the
    /// strongest first among them.
    pub(super) fn list(&mut self, now: SimTime, mean: &Mean, links: &mut Vec<Link>) {
        links.extend(self.courses[..self.reached].iter().map(|course| link(course.to, 0.0, course.reach)));
        self.refresh(now, mean, links);
    }

    /// Which nodes the signal reaches is as it was; the powers change.
    #[inline(always)]
    pub(super) fn refresh(&mut self, now: SimTime, mean: &Mean, links: &mut [Link]) {
        match mean {
            Mean::TwoRay(two_ray) => self.put_powers(now, |squares| two_ray.at_squares(squares), links),
            Mean::Other(_) => {
                self.put_powers(now, |squares| squares.map(|square| mean.at_square(square)), links)
            }
        }
        // Mostly in order already.
        let links = &mut links[..self.decoding];
        for place in 1..links.len() {
            let mut place = place;
            while place > 0 && goes_before(&links[place], &links[place - 1]) {
                links.swap(place, place - 1);
                self.courses.swap(place, place - 1);
                self.squares.swap(place, place - 1);
                place -= 1;
            }
        }
    }

    #[inline(always)]
    fn put_powers(
        &self,
        now: SimTime,
        mean: impl Fn([f64; TOGETHER]) -> [f64; TOGETHER],
        links: &mut [Link],
    ) {
        let squares = self.squares.at(self.passed(now));
        for (links, squares) in links[..self.reached].chunks_mut(TOGETHER).zip(squares) {
            for (link, power) in links.iter_mut().zip(mean(squares)) {
                link.power = power;
            }
        }
    }

    /// Nanoseconds for which courses have counted.
    fn passed(&self, now: SimTime) -> f64 {
        (now - self.since).as_ns() as i64 as f64 // far below 2^63
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Position;
    use super::super::links::Links;
    use super::super::motion::Waypoint;
    use super::super::propagation::path_loss;
    use super::*;
    use proptest::prelude::*;

    const NODES: usize = 25;

    /// Ways with rests and turns; in one run in four with haste and jumps.
    fn ways() -> impl Strategy<Value = Vec<Motion>> {
        prop_oneof![3 => Just(20u64..90), 1 => Just(0..5)].prop_flat_map(|times| {
            let start = (0.0..1200.0f64, 0.0..800.0f64).prop_map(|(x, y)| Position { x, y });
            let leg = (-80.0..80.0f64, -80.0..80.0f64, times);
            let way = (start, prop::collection::vec(leg, 0..8)).prop_map(|(start, legs)| {
                let (mut at, mut place) = (0, start);
                let waypoint = |(x, y, seconds): (f64, f64, u64)| {
                    at += seconds;
                    let rests = x > 60.0;
                    place = if rests { place } else { Position { x: place.x + x, y: place.y + y } };
                    Waypoint { at: SimTime::from_secs(at), place }
                };
                let waypoints: Vec<Waypoint> = legs.into_iter().map(waypoint).collect();
                Motion::along(start, &waypoints)
            });
            prop::collection::vec(way, NODES)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// The nodes followed from frame to frame are those that measuring every distance at every frame finds.
        #[test]
        fn following_finds_whom_measuring_finds(ways in ways(), gaps in prop::collection::vec(1u64..400_000_000, 800)) {
            let config = AirConfig::default();
            let mut links = Links::new(&config, ways.clone());
            let mut ways = ways;
            let floor = config.sense_threshold.get().min(config.receive_threshold.get() / 100.0);
            let mut now = SimTime::ZERO;
            for (frame, gap) in gaps.into_iter().enumerate() {
                now += multihop_proto::units::Dur::from_ns(gap);
                let from = frame % NODES;
                let here = ways[from].place(now);
                let heard = links.begin(NodeId(from as u32), now).to_vec();
                prop_assert!(heard.is_sorted_by_key(|link| !link.decodable));
                let strengths = heard.iter().filter(|link| link.decodable).map(strongest_first);
                prop_assert!(strengths.is_sorted());
                for (to, way) in ways.iter_mut().enumerate().filter(|(to, _)| *to != from) {
                    let power = path_loss(&config, here.distance(&way.place(now)).max(0.01));
                    let link = heard.iter().find(|link| link.to.index() == to);
                    let near = |edge: f64| (power / edge - 1.0).abs() < 1e-6;
                    if let Some(link) = link {
                        prop_assert!((link.power / power - 1.0).abs() < 1e-6, "{} {power}", link.power);
                    }
                    if [floor, config.sense_threshold.get(), config.receive_threshold.get()].into_iter().any(near) {
                        continue; // a rounding error may decide
                    }
                    prop_assert_eq!(link.is_some(), power >= floor);
                    prop_assert_eq!(link.is_some_and(|link| link.sensed), power >= config.sense_threshold.get());
                    prop_assert_eq!(link.is_some_and(|link| link.decodable), power >= config.receive_threshold.get());
                }
            }
        }
    }
}
