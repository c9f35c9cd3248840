//! A tournament tree over timer slots: the earliest of all armed timers, ties to the lower slot.
//!
//! Each slot holds one key, `time << 3 | phase`; a timer that is off holds the greatest key. Removal of the
//! earliest is put off until the next operation, because the handler of an event usually arms the same timer
//! again.

use multihop_proto::units::SimTime;

/// Order of events at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Ends of transmissions, and with them of receptions.
    End = 0,
    /// Timers of the nodes. A transmission that starts now is heard only after these: stations that drew the
    /// same slot collide.
    Timer = 1,
    /// Applications.
    Application = 4,
    /// Probes: they see the state that an instant leaves behind.
    Probe = 5,
}

const OFF: u64 = u64::MAX;
const PHASE_BITS: u32 = 3;

/// The timers of all entities.
#[derive(Clone, Debug)]
pub struct TimerTree {
    /// Complete binary tree in heap order: `keys[1]` is the least key; the leaves start at `leaves`.
    keys: Vec<u64>,
    leaves: usize,
    /// The slot that fired last, still in the tree.
    fired: Option<usize>,
}

impl TimerTree {
    /// A tree of `slots` timers, all off.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        let leaves = slots.next_power_of_two().max(2);
        Self { keys: vec![OFF; 2 * leaves], leaves, fired: None }
    }

    /// Arms a timer, replacing its earlier deadline; `SimTime::MAX` turns it off.
    #[inline]
    pub fn arm(&mut self, slot: usize, at: SimTime, phase: Phase) {
        if self.fired == Some(slot) {
            self.fired = None;
        }
        let key = if at >= SimTime::from_ns(OFF >> PHASE_BITS) {
            OFF
        } else {
            at.as_ns() << PHASE_BITS | phase as u64
        };
        self.set(slot, key);
    }

    /// The next event's time, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<(SimTime, u64)> {
        if let Some(slot) = self.fired.take() {
            self.set(slot, OFF);
        }
        let key = self.keys[1];
        (key != OFF).then(|| (SimTime::from_ns(key >> PHASE_BITS), key & ((1 << PHASE_BITS) - 1)))
    }

    /// Takes the next event; to be called after [`TimerTree::peek`] found one.
    #[inline]
    pub fn take(&mut self) -> usize {
        let mut at = 1;
        while at < self.leaves {
            at *= 2;
            at += usize::from(self.keys[at] > self.keys[at + 1]);
        }
        let slot = at - self.leaves;
        self.fired = Some(slot);
        slot
    }

    #[inline]
    fn set(&mut self, slot: usize, key: u64) {
        let mut at = self.leaves + slot;
        self.keys[at] = key;
        while at > 1 {
            let least = self.keys[at].min(self.keys[at ^ 1]);
            at /= 2;
            if self.keys[at] == least {
                break;
            }
            self.keys[at] = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(tree: &mut TimerTree) -> Vec<(u64, usize)> {
        let mut events = Vec::new();
        while let Some((at, _)) = tree.peek() {
            events.push((at.as_ns(), tree.take()));
        }
        events
    }

    #[test]
    fn orders_by_time_then_phase_then_slot() {
        let mut tree = TimerTree::new(5);
        tree.arm(4, SimTime::from_ns(10), Phase::Timer);
        tree.arm(2, SimTime::from_ns(10), Phase::Timer);
        tree.arm(3, SimTime::from_ns(10), Phase::End);
        tree.arm(0, SimTime::from_ns(5), Phase::Probe);
        assert_eq!(drain(&mut tree), [(5, 0), (10, 3), (10, 2), (10, 4)]);
    }

    #[test]
    fn arming_again_replaces_and_never_means_off() {
        let mut tree = TimerTree::new(3);
        tree.arm(0, SimTime::from_ns(10), Phase::Timer);
        tree.arm(0, SimTime::from_ns(30), Phase::Timer);
        tree.arm(1, SimTime::from_ns(20), Phase::Timer);
        tree.arm(2, SimTime::from_ns(1), Phase::Timer);
        tree.arm(2, SimTime::MAX, Phase::Timer);
        assert_eq!(drain(&mut tree), [(20, 1), (30, 0)]);
    }

    #[test]
    fn a_timer_can_be_armed_while_it_fires() {
        let mut tree = TimerTree::new(2);
        tree.arm(1, SimTime::from_ns(1), Phase::Timer);
        assert!(tree.peek().is_some());
        assert_eq!(tree.take(), 1);
        tree.arm(1, SimTime::from_ns(2), Phase::Timer);
        assert_eq!(drain(&mut tree), [(2, 1)]);
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        let mut tree = TimerTree::new(37);
        let mut model = vec![u64::MAX; 37];
        let mut state = 1u64;
        let mut now = 0;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let slot = (state >> 33) as usize % 37;
            if state >> 60 < 10 {
                let at = now + (state >> 40) % 50;
                tree.arm(slot, SimTime::from_ns(at), Phase::Timer);
                model[slot] = at;
            } else if let Some((at, _)) = tree.peek() {
                let (least, slot) =
                    model.iter().zip(0..).map(|(&key, slot)| (key, slot)).min().expect("slots");
                assert_eq!((at.as_ns(), tree.take()), (least, slot));
                now = least;
                model[slot] = u64::MAX;
            }
        }
    }
}
