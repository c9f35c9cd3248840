//! Which of several events of one kind and one instant is the first: that of the node whose name comes first.
//!
//! The kernel orders them by the numbers of their stations, that is, by the order in which a scenario lists its nodes, and
//! that must not matter.

use multihop_proto::node::Timer;
use multihop_proto::units::NodeId;

use super::Network;
use super::stations::Nodes;
use crate::kernel::EventQueue;

/// The events that are put in order, and their order.
pub(super) struct TieBreak {
    /// Whether a node may receive several frames that end together.
    ends: bool,
    /// Whether links take their steps at the same instants.
    steps: bool,
    /// Of each station the place of its node's name, then its own number: the radios of one node have theirs in their order.
    /// Empty if the numbers of all stations have this order.
    order: Vec<u64>,
    /// The events of an instant by that order; kept for its memory.
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

    /// Takes all events from the queue that are of the kind and instant of one that was taken, and puts them in order.
    fn gather(&mut self, first: NodeId, key: u64, timers: &mut EventQueue) -> Vec<u64> {
        let mut tied = std::mem::take(&mut self.tied);
        tied.clear();
        let mut next = Some(first);
        let mut sorted = true;
        while let Some(station) = next {
            let place = self.order[station.index()];
            sorted &= tied.last().is_none_or(|&before| before < place);
            tied.push(place);
            next = timers.take_tied(key);
        }
        if !sorted {
            tied.sort_unstable();
        }
        tied
    }
}

impl Network {
    /// This transmission ends, and all others of this instant. A node may receive several of them, by different radios.
    /// Returns how many others there are.
    #[cold]
    pub(super) fn end_together(&mut self, first: NodeId, key: u64) -> u64 {
        self.in_order(first, key, Self::end_transmission)
    }

    /// The next step of this node is due, and those of all other nodes at this instant. Two of them may have copies of a packet
    /// whose life is over, and the last of these is the one that is lost. Returns how many others there are.
    #[inline(never)]
    pub(super) fn step_together(&mut self, first: NodeId, key: u64) -> u64 {
        self.in_order(first, key, |network, station| network.fire(station, Timer::Sequence))
    }

    /// Does to each of the stations what its event asks for.
    fn in_order(&mut self, first: NodeId, key: u64, act: impl Fn(&mut Self, NodeId)) -> u64 {
        let tied = self.ties.gather(first, key, &mut self.world.timers);
        for &place in &tied {
            act(self, NodeId(place as u32)); // the number is the lower half
            if !self.world.after.is_empty() {
                self.finish_event();
            }
        }
        let others = tied.len() as u64 - 1;
        self.ties.tied = tied;
        others
    }
}

#[cfg(test)]
mod tests {
    use multihop_proto::units::SimTime;

    use super::*;
    use crate::kernel::Event;

    /// Stations 0 to 3, whose nodes have their names in the order 2, 0, 1, 0: the last one is the second radio of the second.
    fn tie_break() -> TieBreak {
        let order = [2, 0, 1, 0].into_iter().zip(0..).map(|(rank, station)| rank << 32 | station);
        TieBreak::of(order.collect(), true, false)
    }

    #[test]
    fn events_of_an_instant_have_the_order_of_names_and_others_stay() {
        let (mut ties, mut timers) = (tie_break(), EventQueue::new(4, 0));
        assert!(ties.has_ends() && !ties.has_steps());
        let at = SimTime::from_ns(5);
        (0..4).for_each(|station| timers.arm_end(NodeId(station), at));
        timers.arm(NodeId(1), Timer::Access, at);
        let (_, key) = timers.earliest();
        assert_eq!(timers.take(key), Event::End(NodeId(0)));
        let stations = |tied: &[u64]| tied.iter().map(|&place| place as u32).collect::<Vec<_>>();
        assert_eq!(stations(&ties.gather(NodeId(0), key, &mut timers)), [1, 3, 2, 0]);
        let (_, key) = timers.earliest();
        assert_eq!(timers.take(key), Event::Access(NodeId(1)));
        assert_eq!(stations(&ties.gather(NodeId(1), key, &mut timers)), [1]);
    }

    #[test]
    fn where_stations_are_numbered_by_name_nothing_is_put_in_order() {
        let order = [0, 1, 1, 2].into_iter().zip(0..).map(|(rank, station)| rank << 32 | station);
        let ties = TieBreak::of(order.collect(), true, true);
        assert!(!ties.has_ends() && !ties.has_steps());
    }
}
