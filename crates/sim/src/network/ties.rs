//! Which of several events of one kind and one instant is the first: that of the node whose name comes first.
//!
//! The kernel orders them by the numbers of their stations, that is, by the order in which a scenario lists its nodes, and
//! that must not matter.

use multihop_proto::units::NodeId;

use super::Network;
use super::stations::Nodes;
use crate::kernel::EventQueue;

/// The events that are put in order, and their order.
pub(super) struct TieBreak {
    /// Whether transmissions are that end together: a node may receive several of them, by different radios.
    ends: bool,
    /// Whether steps of slotted links are, which are due together: two nodes may have copies of a packet whose life is over, and
    /// the last of these is the one that is lost.
    steps: bool,
    /// Of each station the place of its node's name, then its own number: the radios of one node have theirs in their order.
    /// Empty if the numbers of all stations have this order.
    order: Vec<u64>,
    /// What is left of an instant, by that order, the first at the end.
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

    /// Takes all events from the queue that are of the kind and instant of one that was taken, and returns the station that is
    /// the first; the others follow by [`TieBreak::next`].
    #[cold]
    #[inline(never)]
    fn gather(&mut self, taken: NodeId, key: u64, timers: &mut EventQueue) -> NodeId {
        self.tied.push(self.order[taken.index()]);
        while let Some(station) = timers.take_tied(key) {
            self.tied.push(self.order[station.index()]);
        }
        self.tied.sort_unstable_by(|one, other| other.cmp(one));
        self.next().unwrap_or(taken)
    }

    /// The next station of those that were gathered, in the order of names.
    #[inline(always)]
    fn next(&mut self) -> Option<NodeId> {
        self.tied.pop().map(|place| NodeId(place as u32)) // the number is the lower half
    }
}

impl Network {
    /// Does to a station what its event asks for, which was taken with this key; and if that is `tied`, to all others with such
    /// an event at this instant. Returns how many others there are.
    #[inline(always)]
    pub(super) fn in_order(
        &mut self,
        taken: NodeId,
        key: u64,
        tied: bool,
        act: impl Fn(&mut Self, NodeId),
    ) -> u64 {
        let mut station = if tied { self.ties.gather(taken, key, &mut self.world.timers) } else { taken };
        let mut others = 0;
        loop {
            act(self, station);
            match self.ties.next() {
                Some(next) => station = next,
                None => return others,
            }
            others += 1;
            if !self.world.after.is_empty() {
                self.finish_event();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use multihop_proto::node::Timer;
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
        let first = ties.gather(NodeId(0), key, &mut timers);
        let others: Vec<u32> = std::iter::from_fn(|| ties.next()).map(|station| station.0).collect();
        assert_eq!((first.0, &others[..]), (1, &[3, 2, 0][..]));
        let (_, key) = timers.earliest();
        assert_eq!(timers.take(key), Event::Access(NodeId(1)));
        assert_eq!((ties.gather(NodeId(1), key, &mut timers).0, ties.next()), (1, None));
    }

    #[test]
    fn where_stations_are_numbered_by_name_nothing_is_put_in_order() {
        let order = [0, 1, 1, 2].into_iter().zip(0..).map(|(rank, station)| rank << 32 | station);
        let ties = TieBreak::of(order.collect(), true, true);
        assert!(!ties.has_ends() && !ties.has_steps());
    }
}
