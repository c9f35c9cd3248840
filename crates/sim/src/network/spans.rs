//! When the latest transmissions of a station arrive.

use multihop_proto::units::SimTime;

/// So many are kept: an A-MPDU of 5 ms may meet several frames of one station.
const KEPT: usize = 8;

/// When the latest transmissions of a station begin and end to arrive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spans {
    spans: [(SimTime, SimTime); KEPT],
    next: usize,
}

impl Spans {
    /// It has sent nothing yet.
    pub(super) const NONE: Self = Self { spans: [(SimTime::ZERO, SimTime::ZERO); KEPT], next: 0 };

    /// Another one begins.
    pub(super) const fn push(&mut self, begin: SimTime, end: SimTime) {
        self.spans[self.next] = (begin, end);
        self.next = (self.next + 1) % KEPT;
    }

    /// Those that were arriving at any time after `since` and before `until`.
    pub(super) fn within(&self, since: SimTime, until: SimTime) -> impl Iterator<Item = (SimTime, SimTime)> {
        self.spans.iter().copied().filter(move |&(begin, end)| begin < until && end > since)
    }
}
