//! Which of several events of one kind and one instant is the first: that of the node whose name comes first.
//!
//! The kernel orders them by the numbers of their stations, that is, by the order in which a scenario lists its nodes,
//! and that must not matter.

use multihop_proto::units::{NodeId, SimTime};

use super::stations::Nodes;
use crate::kernel::{Event, EventQueue};

/// The events that are put in order, and their order.
pub(super) struct TieBreak {
    /// Whether transmissions are that end together: a node may receive several of them, by different radios.
    ends: bool,
    /// Whether steps of slotted links are, which are due together: two nodes may have copies of a packet whose life is
    /// over, and the last of these is the one that is lost.
    steps: bool,
    /// Of each station the place of its node's name, then its own number: the radios of one node have theirs in their
    /// order. Empty if the numbers of all stations have this order.
    order: Vec<u64>,
    /// Instant and kind of what was put in order last.
    of: (SimTime, Event),
    /// What is left of it, the first at the end.
    tied: Vec<u64>,
}

impl TieBreak {
    /// Of the stations of these nodes. `ends`: whether a node has several radios. `steps`: whether links are slotted.
    pub(super) fn new(nodes: &Nodes, ends: bool, steps: bool) -> Self {
        let place = |station| u64::from(nodes.rank(station)) << 32 | u64::from(station.0);
        Self::of(nodes.all_stations().map(place).collect(), ends, steps)
    }

    fn of(order: Vec<u64>, ends: bool, steps: bool) -> Self {
        let as_numbered = order.is_sorted();
        Self {
            ends: ends && !as_numbered,
            steps: steps && !as_numbered,
            order: if as_numbered { Vec::new() } else { order },
            of: (SimTime::ZERO, Event::Scheduled),
            tied: Vec::new(),
        }
    }

    /// Whether transmissions that end together are put in order.
    #[inline(always)]
    pub(super) const fn has_ends(&self) -> bool {
        self.ends
    }

    /// Whether steps that are due together are put in order.
    #[inline(always)]
    pub(super) const fn has_steps(&self) -> bool {
        self.steps
    }

    /// Which station is the first of those whose events are of the kind and instant of one that was taken. That one
    /// goes back into the queue, unless it is the first.
    pub(super) fn first(
        &mut self,
        taken: NodeId,
        kind: fn(NodeId) -> Event,
        now: SimTime,
        timers: &mut EventQueue,
    ) -> NodeId {
        timers.put_back(kind(taken), now);
        let of = (now, kind(NodeId(0)));
        if self.of != of || self.tied.is_empty() {
            self.of = of;
            self.gather(kind, timers);
        }
        while let Some(place) = self.tied.pop() {
            let next = station(place);
            if timers.take_of(kind(next), now) {
                return next;
            }
        }
        timers.take_of(kind(taken), now);
        taken
    }

    /// Puts all events of an instant and kind in order. They stay in the queue.
    fn gather(&mut self, kind: fn(NodeId) -> Event, timers: &mut EventQueue) {
        let (at, any) = self.of;
        self.tied.clear();
        while let Some(other) = timers.take_tied(any, at) {
            self.tied.push(self.order[other.index()]);
        }
        self.tied.iter().for_each(|&place| timers.put_back(kind(station(place)), at));
        self.tied.sort_unstable_by(|one, other| other.cmp(one));
    }
}

/// The station of a place in the order of names.
const fn station(place: u64) -> NodeId {
    NodeId(place as u32) // the number is the lower half
}

#[cfg(test)]
mod tests {
    use multihop_proto::node::Timer;

    use super::*;

    /// Stations 0 to 3, whose nodes have their names in the order 2, 0, 1, 0: the last one is the second radio of the
    /// second.
    fn tie_break() -> TieBreak {
        let order = [2, 0, 1, 0].into_iter().zip(0..).map(|(rank, station)| rank << 32 | station);
        TieBreak::of(order.collect(), true, false)
    }

    /// Takes all events, as the loop does.
    fn drain(ties: &mut TieBreak, timers: &mut EventQueue) -> Vec<Event> {
        let mut taken = Vec::new();
        loop {
            let (now, key) = timers.earliest();
            if now > timers.latest() {
                return taken;
            }
            let event = timers.take(key);
            taken.push(match event {
                Event::End(station) => Event::End(ties.first(station, Event::End, now, timers)),
                other => other,
            });
        }
    }

    #[test]
    fn events_of_an_instant_have_the_order_of_names_and_others_stay() {
        let (mut ties, mut timers) = (tie_break(), EventQueue::new(4, 0));
        assert!(ties.has_ends() && !ties.has_steps());
        let at = SimTime::from_ns(5);
        (0..4).for_each(|station| timers.arm_end(NodeId(station), at));
        timers.arm(NodeId(1), Timer::Access, at);
        let ends = [1, 3, 2, 0].map(|station| Event::End(NodeId(station)));
        assert_eq!(drain(&mut ties, &mut timers), [&ends[..], &[Event::Access(NodeId(1))]].concat());
    }

    /// What is turned off meanwhile does not come, and what is armed meanwhile comes last.
    #[test]
    fn what_changes_meanwhile_counts() {
        let (mut ties, mut timers) = (tie_break(), EventQueue::new(4, 0));
        let at = SimTime::from_ns(5);
        (1..4).for_each(|station| timers.arm_end(NodeId(station), at));
        let (now, key) = timers.earliest();
        assert_eq!(timers.take(key), Event::End(NodeId(1)));
        assert_eq!(ties.first(NodeId(1), Event::End, now, &mut timers), NodeId(1));
        timers.arm_end(NodeId(3), SimTime::from_ns(9));
        timers.arm_end(NodeId(0), at);
        let ends = [2, 0, 3].map(|station| Event::End(NodeId(station)));
        assert_eq!(drain(&mut ties, &mut timers), ends);
    }

    #[test]
    fn where_stations_are_numbered_by_name_nothing_is_put_in_order() {
        let order = [0, 1, 1, 2].into_iter().zip(0..).map(|(rank, station)| rank << 32 | station);
        let ties = TieBreak::of(order.collect(), true, true);
        assert!(!ties.has_ends() && !ties.has_steps());
    }
}
