//! The event queue: rows of timers, groups of rows, and a tournament over the groups.
//!
//! A key is `time | phase | entity` in one word; a timer that is off holds the greatest key. Arming a timer
//! touches its row and its group. The group touched last plays in the tournament only when another group is
//! touched or the next event is asked for: an event and its answers mostly concern the same few nodes.

use multihop_proto::node::Timer;
use multihop_proto::units::{NodeId, SimTime};

/// What fires. The order of the variants is the order of events at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node's transmission ends.
    End(NodeId),
    /// A node's timer: access, sequence, upper.
    Timer(NodeId, Timer),
    /// The application of a flow, by its index.
    Application(usize),
    /// A probe, by its index.
    Probe(usize),
}

const OFF: u64 = u64::MAX;
/// Timers of an entity; nodes have four, flows one, the row of probes three.
const ROW: usize = 4;
const PHASE_BITS: u32 = 3;
const APPLICATION: u64 = 4;
const PROBE: u64 = 5;

/// Entities of a group.
const GROUP: usize = 8;

/// The timers of nodes, applications and probes.
#[derive(Clone, Debug)]
pub struct EventQueue {
    rows: Vec<[u64; ROW]>,
    /// The least key of each row, by group.
    groups: Vec<[u64; GROUP]>,
    /// The group that has changed since it played last.
    touched: usize,
    /// Complete binary tree in heap order: `least[1]` is the least key of all; the groups are its leaves.
    least: Vec<u64>,
    nodes: usize,
    flows: usize,
    entity_bits: u32,
    /// Latest instant that can be told apart from never.
    horizon: SimTime,
}

impl EventQueue {
    /// Most probes.
    pub const PROBES: usize = ROW;

    /// An empty queue for so many nodes and flows.
    #[must_use]
    pub fn new(nodes: usize, flows: usize) -> Self {
        let entities = nodes + flows + 1;
        let groups = entities.div_ceil(GROUP);
        let entity_bits = entities.next_power_of_two().trailing_zeros();
        Self {
            rows: vec![[OFF; ROW]; entities],
            groups: vec![[OFF; GROUP]; groups],
            touched: 0,
            least: vec![OFF; 2 * groups.next_power_of_two()],
            nodes,
            flows,
            entity_bits,
            horizon: SimTime::from_ns((OFF >> (PHASE_BITS + entity_bits)) - 1),
        }
    }

    /// Latest instant that can be told apart from never: 39 hours for 10 000 nodes, longer for fewer.
    #[must_use]
    pub const fn horizon(&self) -> SimTime {
        self.horizon
    }

    /// Arms the end of a node's transmission.
    #[inline]
    pub fn arm_end(&mut self, node: NodeId, at: SimTime) {
        self.set(node.index(), 0, 0, at);
    }

    /// Arms a node's timer, replacing its earlier deadline; `SimTime::MAX` turns it off.
    #[inline]
    pub fn arm(&mut self, node: NodeId, timer: Timer, at: SimTime) {
        let place = 1 + timer as usize;
        self.set(node.index(), place, place as u64, at);
    }

    /// Arms the next act of a flow's application.
    pub fn arm_application(&mut self, flow: usize, at: SimTime) {
        self.set(self.nodes + flow, 0, APPLICATION, at);
    }

    /// Arms a probe.
    pub fn arm_probe(&mut self, probe: usize, at: SimTime) {
        // Probes are told apart by their place in the row; at one instant they fire in that order.
        self.set(self.nodes + self.flows, probe, PROBE, at);
    }

    /// Time and key of the next event; it stays in the queue until [`EventQueue::take`].
    #[inline]
    pub fn earliest(&mut self) -> Option<(SimTime, u64)> {
        self.play(self.touched);
        let key = self.least[1];
        (key != OFF).then(|| (SimTime::from_ns(key >> (PHASE_BITS + self.entity_bits)), key))
    }

    /// Whether the event belongs to a node's own timers: what is decided in them takes effect on the air only
    /// when all of the instant have fired.
    #[inline]
    #[must_use]
    pub const fn is_timer(&self, key: u64) -> bool {
        self.phase(key) < APPLICATION
    }

    /// Takes the event that [`EventQueue::earliest`] has just named.
    #[inline]
    pub fn take(&mut self, key: u64) -> Event {
        let entity = (key & ((1 << self.entity_bits) - 1)) as usize;
        let node = NodeId(entity as u32); // node counts are 32-bit
        let (place, event) = match self.phase(key) {
            0 => (0, Event::End(node)),
            1 => (1, Event::Timer(node, Timer::Access)),
            2 => (2, Event::Timer(node, Timer::Sequence)),
            3 => (3, Event::Timer(node, Timer::Upper)),
            APPLICATION => (0, Event::Application(entity - self.nodes)),
            _ => {
                let place = self.rows[entity].iter().position(|&armed| armed == key).unwrap_or(0);
                (place, Event::Probe(place))
            }
        };
        self.put(entity, place, OFF);
        event
    }

    #[inline]
    const fn phase(&self, key: u64) -> u64 {
        (key >> self.entity_bits) & ((1 << PHASE_BITS) - 1)
    }

    #[inline]
    fn set(&mut self, entity: usize, place: usize, phase: u64, at: SimTime) {
        let key = if at > self.horizon {
            OFF
        } else {
            (at.as_ns() << PHASE_BITS | phase) << self.entity_bits | entity as u64
        };
        self.put(entity, place, key);
    }

    #[inline]
    fn put(&mut self, entity: usize, place: usize, key: u64) {
        let row = &mut self.rows[entity];
        row[place] = key;
        let least = row[0].min(row[1]).min(row[2].min(row[3]));
        let group = entity / GROUP;
        if group != self.touched {
            self.play(self.touched);
            self.touched = group;
        }
        self.groups[group][entity % GROUP] = least;
    }

    /// The group enters the tournament with its least key.
    #[inline]
    fn play(&mut self, group: usize) {
        let [a, b, c, d, e, f, g, h] = self.groups[group];
        let mut least = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        let tree = self.least.as_mut_slice();
        let mut at = tree.len() / 2 + group;
        while tree[at] != least {
            tree[at] = least;
            if at == 1 {
                break;
            }
            least = least.min(tree[at ^ 1]);
            at /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(queue: &mut EventQueue) -> Option<(u64, Event)> {
        let (at, key) = queue.earliest()?;
        Some((at.as_ns(), queue.take(key)))
    }

    fn drain(queue: &mut EventQueue) -> Vec<(u64, Event)> {
        std::iter::from_fn(|| pop(queue)).collect()
    }

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    #[test]
    fn phases_of_one_instant_follow_each_other() {
        let mut queue = EventQueue::new(2, 1);
        let at = SimTime::from_ns(5);
        queue.arm_probe(1, at);
        queue.arm_probe(0, at);
        queue.arm_application(0, at);
        for timer in [Timer::Upper, Timer::Sequence, Timer::Access] {
            queue.arm(B, timer, at);
        }
        queue.arm_end(B, at);
        queue.arm(A, Timer::Access, at);
        let order: Vec<Event> = drain(&mut queue).into_iter().map(|(_, event)| event).collect();
        let expected = [
            Event::End(B),
            Event::Timer(A, Timer::Access),
            Event::Timer(B, Timer::Access),
            Event::Timer(B, Timer::Sequence),
            Event::Timer(B, Timer::Upper),
            Event::Application(0),
            Event::Probe(0),
            Event::Probe(1),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn arming_again_replaces_and_never_means_off() {
        let mut queue = EventQueue::new(2, 0);
        queue.arm(A, Timer::Access, SimTime::from_ns(10));
        queue.arm(A, Timer::Access, SimTime::from_ns(30));
        queue.arm(B, Timer::Access, SimTime::from_ns(20));
        queue.arm(B, Timer::Upper, SimTime::from_ns(1));
        queue.arm(B, Timer::Upper, SimTime::MAX);
        assert_eq!(
            drain(&mut queue),
            [(20, Event::Timer(B, Timer::Access)), (30, Event::Timer(A, Timer::Access))]
        );
    }

    #[test]
    fn a_timer_can_be_armed_while_it_fires() {
        let mut queue = EventQueue::new(1, 0);
        queue.arm_end(A, SimTime::from_ns(1));
        assert_eq!(pop(&mut queue), Some((1, Event::End(A))));
        queue.arm_end(A, SimTime::from_ns(2));
        assert_eq!(drain(&mut queue), [(2, Event::End(A))]);
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        let nodes = 37;
        let mut queue = EventQueue::new(nodes, 0);
        let timers = [Timer::Access, Timer::Sequence, Timer::Upper];
        let mut model = vec![u64::MAX; 3 * nodes]; // by timer, then node: the order of an instant
        let mut state = 1u64;
        let mut now = 0;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (node, timer) = ((state >> 33) as usize % nodes, (state >> 28) as usize % 3);
            if state >> 60 < 10 {
                let at = now + (state >> 40) % 50;
                queue.arm(NodeId(node as u32), timers[timer], SimTime::from_ns(at));
                model[timer * nodes + node] = at;
            } else if let Some((at, event)) = pop(&mut queue) {
                let (least, slot) =
                    model.iter().zip(0..).map(|(&key, slot)| (key, slot)).min().expect("slots");
                let expected = Event::Timer(NodeId((slot % nodes) as u32), timers[slot / nodes]);
                assert_eq!((at, event), (least, expected));
                now = least;
                model[slot] = u64::MAX;
            }
        }
    }

    #[test]
    fn ten_thousand_nodes_have_more_than_a_day() {
        assert!(EventQueue::new(10_000, 1000).horizon() > SimTime::from_secs(100_000));
    }
}
