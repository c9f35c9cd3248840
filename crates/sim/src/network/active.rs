//! When flows had something to do: over that time their goodput counts.

use multihop_proto::units::{Dur, SimTime};

use super::Network;

impl Network {
    /// The part of the measured time in which a flow had begun, and had neither stopped nor completed; the end does not
    /// lie before the beginning.
    pub(super) fn active(&self, index: usize) -> (SimTime, SimTime) {
        let (from, to) = self.world.recorder.measured();
        let flow = &self.flows[index];
        let whole = self.completion_s(index).and(self.world.recorder.flows[index].completed);
        let begin = flow.start.max(from);
        let end = whole.unwrap_or(flow.stop).min(to);
        (begin, end.max(begin))
    }

    /// The part of the measured time in which any flow was active.
    pub(super) fn in_use(&self) -> Dur {
        let mut spans: Vec<_> = (0..self.flows.len()).map(|index| self.active(index)).collect();
        spans.sort_unstable();
        let mut until = SimTime::ZERO;
        let mut sum = Dur::ZERO;
        for (begin, end) in spans {
            sum += end.saturating_since(begin.max(until));
            until = until.max(end);
        }
        sum
    }
}
