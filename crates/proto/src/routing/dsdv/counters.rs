//! What a DSDV machine counts: of what it tells, and of what it makes of what it hears.

use super::table::{INFINITY, Route, newer};
use super::wire::Line;
use crate::units::NodeId;

/// Lines by kind, and which of those heard took the place of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Lines advertised.
    pub lines: u64,
    /// Of these, those that tell of a loss, by an infinite metric.
    pub lines_broken: u64,
    /// Of these, those whose number does not go with it: odd with a finite metric, or even with an infinite one.
    pub lines_mismatched: u64,
    /// Lines with a newer number that were taken.
    pub taken_newer: u64,
    /// Lines with the same number and a lower metric that were taken.
    pub taken_shorter: u64,
    /// Lines that were taken although they were neither newer nor shorter.
    pub taken_worse: u64,
    /// Lines that were newer or shorter, and were not taken.
    pub left_better: u64,
}

impl Counters {
    /// Tells each by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("dsdv.lines", self.lines);
        tell("dsdv.lines-broken", self.lines_broken);
        tell("dsdv.lines-mismatched", self.lines_mismatched);
        tell("dsdv.taken-newer", self.taken_newer);
        tell("dsdv.taken-shorter", self.taken_shorter);
        tell("dsdv.taken-worse", self.taken_worse);
        tell("dsdv.left-better", self.left_better);
    }

    /// These lines go out.
    pub(super) fn told(&mut self, lines: &[Line]) {
        for line in lines {
            let broken = line.metric == INFINITY;
            self.lines += 1;
            self.lines_broken += u64::from(broken);
            self.lines_mismatched += u64::from(broken != (line.sequence % 2 == 1));
        }
    }

    /// A line of this neighbour about a known destination was heard: what was known before, and is now.
    pub(super) fn heard(&mut self, from: NodeId, line: &Line, before: &Route, after: &Route) {
        let metric = line.metric.saturating_add(1);
        let is_newer = newer(line.sequence, before.sequence);
        let is_shorter = line.sequence == before.sequence && metric < before.metric;
        let of = |route: &Route| (route.next_hop, route.metric, route.sequence);
        let taken = of(after) == (from, metric, line.sequence) && of(before) != of(after);
        let counter = match (taken, is_newer, is_shorter) {
            (true, true, _) => &mut self.taken_newer,
            (true, false, true) => &mut self.taken_shorter,
            (true, false, false) => &mut self.taken_worse,
            (false, false, false) => return,
            (false, _, _) => &mut self.left_better,
        };
        *counter += 1;
    }
}
