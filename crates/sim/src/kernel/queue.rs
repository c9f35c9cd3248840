//! The event queue: what fires, in which order. A key is `time | phase | entity` in one word.

use multihop_proto::node::Timer;
use multihop_proto::units::{NodeId, SimTime};

use super::tournament::{OFF, Tournament};

/// What fires. The order of the variants is the order of events at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node's transmission ends, or begins to arrive.
    End(NodeId),
    /// A node's back-off may have ended.
    Access(NodeId),
    /// The next step of a node's exchange is due.
    Sequence(NodeId),
    /// Something above a node's queue is due.
    Upper(NodeId),
    /// The application of a flow, by its index.
    Application(usize),
    /// A probe, by its index.
    Probe(usize),
    /// Something that the scenario has scheduled.
    Scheduled,
}

impl Event {
    /// The node whose event it is.
    const fn node(self) -> Option<NodeId> {
        match self {
            Self::End(node) | Self::Access(node) | Self::Sequence(node) | Self::Upper(node) => Some(node),
            Self::Application(_) | Self::Probe(_) | Self::Scheduled => None,
        }
    }

    /// When it comes among those of its instant.
    const fn phase(self) -> u64 {
        match self {
            Self::End(_) => 0,
            Self::Access(_) => 1,
            Self::Sequence(_) => 2,
            Self::Upper(_) => 3,
            Self::Application(_) => APPLICATION,
            Self::Probe(_) => PROBE,
            Self::Scheduled => SCHEDULED,
        }
    }
}

const PHASE_BITS: u32 = 3;
/// Slots of a node: the end of its transmission, and its timers.
const TIMERS: usize = 4;
const PROBES: usize = 3;
const APPLICATION: u64 = 4;
const PROBE: u64 = 5;
const SCHEDULED: u64 = 6;

/// The timers of nodes, applications and probes.
#[derive(Clone, Debug)]
pub struct EventQueue {
    nodes: Tournament,
    /// A slot for each flow's application, then the probes, then the schedule. Apart, because they fire seldom.
    outside: Tournament,
    outside_least: u64,
    flows: usize,
    /// Bits of a key that tell nodes apart, or flows, and those below its time. Each is well below 64: shifts by them
    /// wrap, which asks nothing, where a checked one asks twice an event.
    entity_bits: u32,
    time_shift: u32,
    entity_mask: u64,
    horizon: SimTime,
}

impl EventQueue {
    /// An empty queue for so many nodes and flows.
    #[must_use]
    pub fn new(nodes: usize, flows: usize) -> Self {
        let entity_bits = Self::entity_bits(nodes, flows);
        Self {
            nodes: Tournament::new(nodes * TIMERS),
            outside: Tournament::new(flows + PROBES + 1),
            outside_least: OFF,
            flows,
            entity_bits,
            time_shift: entity_bits + PHASE_BITS,
            entity_mask: (1 << entity_bits) - 1,
            horizon: Self::horizon(nodes, flows),
        }
    }

    /// Bits of a key that tell nodes apart, or flows.
    const fn entity_bits(nodes: usize, flows: usize) -> u32 {
        let most = if nodes > flows { nodes } else { flows };
        let most = if most > PROBES { most } else { PROBES };
        most.next_power_of_two().trailing_zeros()
    }

    /// Latest instant that can be told apart from never: 39 hours for 10 000 nodes, longer for fewer.
    #[must_use]
    pub const fn horizon(nodes: usize, flows: usize) -> SimTime {
        SimTime::from_ns((OFF >> (PHASE_BITS + Self::entity_bits(nodes, flows))) - 1)
    }

    /// Arms the end of a node's transmission.
    #[inline]
    pub fn arm_end(&mut self, node: NodeId, at: SimTime) {
        let key = self.key(node.index(), 0, at);
        self.nodes.put(node.index() * TIMERS, key);
    }

    /// For when the end of a node's transmission is armed, if it is.
    #[must_use]
    pub fn end_of(&self, node: NodeId) -> Option<SimTime> {
        let key = self.nodes.get(node.index() * TIMERS);
        (key != OFF).then(|| self.time(key))
    }

    /// Arms a node's timer, replacing its earlier deadline; `SimTime::MAX` turns it off.
    #[inline(never)]
    pub fn arm(&mut self, node: NodeId, timer: Timer, at: SimTime) {
        let place = timer as usize;
        let key = self.key(node.index(), place as u64, at);
        self.nodes.put(node.index() * TIMERS + place, key);
    }

    /// Arms the next act of a flow's application.
    pub fn arm_application(&mut self, flow: usize, at: SimTime) {
        let key = self.key(flow, APPLICATION, at);
        self.put_outside(flow, key);
    }

    /// Arms a probe.
    pub fn arm_probe(&mut self, probe: usize, at: SimTime) {
        let key = self.key(probe, PROBE, at);
        self.put_outside(self.flows + probe, key);
    }

    /// Arms what the scenario has scheduled next.
    pub fn arm_scheduled(&mut self, at: SimTime) {
        let key = self.key(0, SCHEDULED, at);
        self.put_outside(self.flows + PROBES, key);
    }

    /// Time and key of the next event; it stays in the queue until [`EventQueue::take`]. A time after
    /// [`EventQueue::latest`] means that there is none.
    #[inline]
    pub fn earliest(&mut self) -> (SimTime, u64) {
        debug_assert!(self.outside.is_settled(), "an application that acted was not armed again");
        let key = self.nodes.least().min(self.outside_least);
        (self.time(key), key)
    }

    /// Latest instant for which anything can be armed.
    #[must_use]
    pub const fn latest(&self) -> SimTime {
        self.horizon
    }

    /// Whether the event belongs to a node's own timers: what is decided in them takes effect on the air only
    /// when all of the instant have fired.
    #[inline]
    #[must_use]
    pub const fn is_timer(&self, key: u64) -> bool {
        self.phase(key) < APPLICATION
    }

    /// Takes the event that [`EventQueue::earliest`] has just named. An application is armed again, if only for never,
    /// before the next event is asked for.
    #[inline]
    pub fn take(&mut self, key: u64) -> Event {
        let entity = (key & self.entity_mask) as usize;
        let node = NodeId(entity as u32); // node counts are 32-bit
        let phase = self.phase(key);
        if phase >= APPLICATION {
            return self.take_outside(phase, entity);
        }
        self.nodes.take(entity * TIMERS + phase as usize);
        match phase {
            0 => Event::End(node),
            1 => Event::Access(node),
            2 => Event::Sequence(node),
            _ => Event::Upper(node),
        }
    }

    /// Takes the next event if it is one of a node, of this kind, and of this instant; returns its node.
    pub fn take_tied(&mut self, kind: Event, at: SimTime) -> Option<NodeId> {
        let first = self.key(0, kind.phase(), at);
        let next = self.nodes.least();
        (next >> self.entity_bits == first >> self.entity_bits).then(|| {
            let node = (next & self.entity_mask) as usize;
            self.nodes.take(node * TIMERS + kind.phase() as usize);
            NodeId(node as u32) // node counts are 32-bit
        })
    }

    /// Takes an event of a node, if it is due at this instant; returns whether it is.
    pub fn take_of(&mut self, event: Event, at: SimTime) -> bool {
        let Some((slot, key)) = self.place(event, at) else { return false };
        let due = self.nodes.get(slot) == key;
        if due {
            self.nodes.put(slot, OFF);
        }
        due
    }

    /// An event of a node that was taken is due again.
    pub fn put_back(&mut self, event: Event, at: SimTime) {
        if let Some((slot, key)) = self.place(event, at) {
            self.nodes.put(slot, key);
        }
    }

    /// Slot and key of an event of a node.
    fn place(&self, event: Event, at: SimTime) -> Option<(usize, u64)> {
        let node = event.node()?.index();
        let phase = event.phase();
        Some((node * TIMERS + phase as usize, self.key(node, phase, at)))
    }

    #[cold]
    fn take_outside(&mut self, phase: u64, which: usize) -> Event {
        let (slot, event) = match phase {
            APPLICATION => {
                self.outside.take(which);
                return Event::Application(which);
            }
            PROBE => (self.flows + which, Event::Probe(which)),
            _ => (self.flows + PROBES, Event::Scheduled),
        };
        self.put_outside(slot, OFF);
        event
    }

    fn put_outside(&mut self, slot: usize, key: u64) {
        self.outside.put(slot, key);
        self.outside_least = self.outside.least();
    }

    #[inline]
    const fn time(&self, key: u64) -> SimTime {
        SimTime::from_ns(key.wrapping_shr(self.time_shift))
    }

    #[inline]
    const fn phase(&self, key: u64) -> u64 {
        key.wrapping_shr(self.entity_bits) & ((1 << PHASE_BITS) - 1)
    }

    #[inline]
    fn key(&self, entity: usize, phase: u64, at: SimTime) -> u64 {
        if at > self.horizon {
            return OFF;
        }
        (at.as_ns() << PHASE_BITS | phase).wrapping_shl(self.entity_bits) | entity as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(queue: &mut EventQueue) -> Option<(u64, Event)> {
        let (at, key) = queue.earliest();
        (at <= queue.latest()).then(|| {
            let event = queue.take(key);
            if let Event::Application(flow) = event {
                queue.arm_application(flow, SimTime::MAX);
            }
            (at.as_ns(), event)
        })
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
        queue.arm_scheduled(at);
        for timer in [Timer::Upper, Timer::Sequence, Timer::Access] {
            queue.arm(B, timer, at);
        }
        queue.arm_end(B, at);
        queue.arm(A, Timer::Access, at);
        let order: Vec<Event> = drain(&mut queue).into_iter().map(|(_, event)| event).collect();
        let expected = [
            Event::End(B),
            Event::Access(A),
            Event::Access(B),
            Event::Sequence(B),
            Event::Upper(B),
            Event::Application(0),
            Event::Probe(0),
            Event::Probe(1),
            Event::Scheduled,
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn events_of_one_kind_and_instant_are_taken_together() {
        let mut queue = EventQueue::new(3, 1);
        let at = SimTime::from_ns(5);
        for node in [A, B, NodeId(2)] {
            queue.arm(node, Timer::Sequence, at);
        }
        queue.arm(B, Timer::Access, at);
        queue.arm(A, Timer::Upper, at);
        queue.arm_application(0, at);
        let (_, key) = queue.earliest();
        let event = queue.take(key);
        assert_eq!((event, queue.take_tied(event, at)), (Event::Access(B), None));
        let (_, key) = queue.earliest();
        let event = queue.take(key);
        assert_eq!(event, Event::Sequence(A));
        let later = SimTime::from_ns(6);
        queue.arm(NodeId(2), Timer::Sequence, later);
        assert_eq!((queue.take_tied(event, at), queue.take_tied(event, at)), (Some(B), None));
        let [second, third] = [B, NodeId(2)].map(Event::Sequence);
        queue.put_back(second, at);
        assert!(!queue.take_of(third, at) && queue.take_of(second, at), "the third is due later");
        assert!(!queue.take_of(second, at) && !queue.take_of(Event::Scheduled, at));
        assert_eq!(drain(&mut queue).len(), 3, "what comes later or is of another kind stays");
    }

    #[test]
    fn arming_again_replaces_and_never_means_off() {
        let mut queue = EventQueue::new(2, 0);
        queue.arm(A, Timer::Access, SimTime::from_ns(10));
        queue.arm(A, Timer::Access, SimTime::from_ns(30));
        queue.arm(B, Timer::Access, SimTime::from_ns(20));
        queue.arm(B, Timer::Upper, SimTime::from_ns(1));
        queue.arm(B, Timer::Upper, SimTime::MAX);
        assert_eq!(drain(&mut queue), [(20, Event::Access(B)), (30, Event::Access(A))]);
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
        let events = [Event::Access, Event::Sequence, Event::Upper];
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
                let expected = events[slot / nodes](NodeId((slot % nodes) as u32));
                assert_eq!((at, event), (least, expected));
                now = least;
                model[slot] = u64::MAX;
            }
        }
    }

    #[test]
    fn ten_thousand_nodes_have_more_than_a_day() {
        assert!(EventQueue::horizon(10_000, 1000) > SimTime::from_secs(100_000));
    }
}
