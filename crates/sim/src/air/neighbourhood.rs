//! The nodes near one: which of them its signal reaches, followed from frame to frame at little cost.

use multihop_proto::units::{NodeId, SimTime};

use super::config::{AirConfig, NEAREST, Propagation};
use super::course::{Course, Reach};
use super::links::{Link, strongest_first};
use super::motion::Motion;
use super::propagation::range;

/// What a signal does at a power and a distance, and how far it does so on average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    /// Least powers \[W\] and, under the disk model, greatest distances \[m\].
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
        let decoded = within(config.range.get());
        let sensed = within(config.sense_range.get().max(config.range.get()));
        let edge = |power, distance: f64| {
            let edge = range(config, power).min(distance);
            edge * edge
        };
        let edges = [edge(receive, decoded), edge(sense, sensed), edge(floor, f64::INFINITY)];
        Self { receive: (receive, decoded), sense: (sense, sensed), floor, edges }
    }

    /// What a signal does that arrives with a power after a distance.
    #[inline]
    fn reach(&self, power: f64, distance: f64) -> Reach {
        if power < self.floor || power <= 0.0 {
            Reach::Beyond
        } else if power >= self.receive.0 && distance <= self.receive.1 {
            Reach::Decodes
        } else if power >= self.sense.0 && distance <= self.sense.1 {
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
    pub(super) fn link(&self, to: NodeId, power: f64, distance: f64) -> Option<Link> {
        let reach = self.reach(power, distance);
        (reach < Reach::Beyond).then(|| link(to, power, reach))
    }
}

fn link(to: NodeId, power: f64, reach: Reach) -> Link {
    // Where the receive threshold is the lower of the two, what is decoded is not always sensed.
    Link { to, power, sensed: reach <= Reach::Senses, decodable: reach == Reach::Decodes }
}

/// The nodes that may come within reach of one while nobody moves by more than a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbourhood {
    /// Those that the signal reaches first, in the order of their links.
    courses: Vec<Course>,
    /// How many can decode the signal, and how many it reaches.
    decoding: usize,
    reached: usize,
    /// When courses began to count.
    since: SimTime,
    /// When the node itself turns or stops.
    turns: SimTime,
    /// Until when no course and no reach changes.
    steady: SimTime,
    /// Until when nobody else comes near.
    pub(super) until: SimTime,
}

impl Neighbourhood {
    /// It consists of these nodes until then.
    pub(super) fn renew(&mut self, nodes: impl Iterator<Item = NodeId>, until: SimTime) {
        self.courses.clear();
        self.courses.extend(nodes.map(Course::unknown));
        self.until = until;
        (self.turns, self.steady) = (SimTime::ZERO, SimTime::ZERO);
    }

    /// What has changed of courses and reaches until now is looked up, with the mean power after a distance.
    pub(super) fn follow(
        &mut self,
        (me, now): (NodeId, SimTime),
        motions: &mut [Motion],
        ranges: &Ranges,
        mean: impl Fn(f64) -> f64,
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
        for course in self.courses.iter_mut().filter(|course| turned || course.steady <= now) {
            if turned || course.turns <= now {
                let (there, turns) = motions[course.to.index()].line(now, self.since);
                *course = Course::between(&here, &there, course.to, turns);
            }
            let distance = libm::sqrt(course.square(passed));
            course.reach = ranges.reach(mean(distance.max(NEAREST.get())), distance);
            course.steady = course.turns.min(now + course.stays(passed, ranges.bounds(course.reach)));
        }
        self.steady = self.courses.iter().map(|course| course.steady).fold(turns, SimTime::min);
        self.decoding = self.gather(0, Reach::Decodes);
        let sensing = self.gather(self.decoding, Reach::Senses);
        self.reached = self.gather(sensing, Reach::Suffers);
    }

    /// Brings those to which the signal does the same to one place in the list; returns where they end.
    fn gather(&mut self, start: usize, reach: Reach) -> usize {
        let mut end = start;
        for place in start..self.courses.len() {
            if self.courses[place].reach == reach {
                self.courses.swap(end, place);
                end += 1;
            }
        }
        end
    }

    /// Until when no course and no reach changes, and nobody else comes near.
    pub(super) fn steady_until(&self) -> SimTime {
        self.steady.min(self.until)
    }

    /// Until when no distance changes.
    pub(super) fn still_until(&self, now: SimTime) -> SimTime {
        if self.courses.iter().all(Course::is_still) { self.steady_until() } else { now }
    }

    /// The nodes and the squares of their distances now \[m²\].
    pub(super) fn squares(&self, now: SimTime) -> impl Iterator<Item = (NodeId, f64)> + '_ {
        let passed = self.passed(now);
        self.courses.iter().map(move |course| (course.to, course.square(passed)))
    }

    /// Fills in whom the signal reaches with the mean power after a distance, those that can decode it first and the
    /// strongest first among them.
    pub(super) fn list(&mut self, now: SimTime, mean: impl Fn(f64) -> f64, links: &mut Vec<Link>) {
        links.extend(self.courses[..self.reached].iter().map(|course| link(course.to, 0.0, course.reach)));
        self.refresh(now, mean, links);
    }

    /// Whom the signal reaches is as it was; the powers change.
    #[inline(always)]
    pub(super) fn refresh(&mut self, now: SimTime, mean: impl Fn(f64) -> f64, links: &mut [Link]) {
        let passed = self.passed(now);
        for (link, course) in links.iter_mut().zip(&self.courses[..self.reached]) {
            let distance = libm::sqrt(course.square(passed));
            link.power = mean(distance.max(NEAREST.get())); // nodes on the move may meet
        }
        // Mostly in order already.
        let (links, courses) = (&mut links[..self.decoding], &mut self.courses[..self.decoding]);
        for place in 1..links.len() {
            let mut place = place;
            while place > 0 && strongest_first(&links[place]) < strongest_first(&links[place - 1]) {
                links.swap(place, place - 1);
                courses.swap(place, place - 1);
                place -= 1;
            }
        }
    }

    /// Nanoseconds for which courses have counted.
    fn passed(&self, now: SimTime) -> f64 {
        (now - self.since).as_ns() as i64 as f64 // far below 2^63
    }
}
