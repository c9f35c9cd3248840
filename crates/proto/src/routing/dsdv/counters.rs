//! What a DSDV machine counts: of what it tells, and of what it makes of what it hears.

use super::table::{INFINITY, Route, newer};
use super::wire::Line;
use crate::units::{NodeId, counters};

counters! {
    /// Lines by kind, and which of those heard took the place of a route.
    pub struct Counters {
        /// Lines advertised.
        pub lines = "dsdv.lines",
        /// Of these, those that tell of a loss, by an infinite metric.
        pub lines_broken = "dsdv.lines-broken",
        /// Of these, those whose number does not go with it: odd with a finite metric, or even with an infinite one.
        pub lines_mismatched = "dsdv.lines-mismatched",
        /// Lines with a newer number that were taken.
        pub taken_newer = "dsdv.taken-newer",
        /// Lines with the same number and a lower metric that were taken.
        pub taken_shorter = "dsdv.taken-shorter",
        /// Lines that were taken although they were neither newer nor shorter.
        pub taken_worse = "dsdv.taken-worse",
        /// Lines that were newer or shorter, and were not taken.
        pub left_better = "dsdv.left-better",
    }
}

impl Counters {
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
