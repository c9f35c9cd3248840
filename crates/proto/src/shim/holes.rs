//! Which holes known from SACK are to be sent again: each once a round trip, and no more at a time than the window
//! holds.

use crate::contract::{TcpView, lost_below};
use crate::units::{Dur, SimTime};
use crate::wire::{RangeSet, Segment};

/// What of the holes has been sent again, and when.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    resent: Vec<(u64, SimTime)>,
}

impl Holes {
    /// Whether what the receiver holds means that the first unacknowledged segment is lost (RFC 6675 §4, `IsLost`).
    pub(super) fn lost(segment: &Segment, tcp: &TcpView<'_>) -> bool {
        let una = segment.ack.max(tcp.una);
        una < lost_below(&held(Some(segment), tcp), u64::from(tcp.segment))
    }

    /// All may be sent again at once.
    pub(super) fn forget(&mut self) {
        self.resent.clear();
    }

    /// The segments that are to be sent again now; the first unacknowledged one if no hole is known.
    pub(super) fn due(&mut self, now: SimTime, segment: Option<&Segment>, tcp: &TcpView<'_>) -> Vec<u64> {
        let una = segment.map_or(tcp.una, |segment| segment.ack.max(tcp.una));
        let trip = tcp.srtt.unwrap_or(tcp.rto).max(Dur::from_ns(1));
        self.resent.retain(|&(seq, at)| seq >= una && now.saturating_since(at) < trip);
        let size = u64::from(tcp.segment.max(1));
        let held = held(segment, tcp);
        let top = held.iter().map(|(_, end)| end).max().unwrap_or(una);
        let mut room = (tcp.cwnd as usize).max(1); // saturates
        room = room.saturating_sub(self.resent.len() + (tcp.max_sent.saturating_sub(top) / size) as usize);
        let mut starts = vec![una];
        let mut at = una;
        for (start, end) in held.iter() {
            let mut seq = at;
            while seq < start {
                starts.push(seq);
                seq += size;
            }
            at = at.max(end);
        }
        let first_known = at > una;
        let mut due = Vec::new();
        for seq in starts.into_iter().skip(usize::from(first_known)) {
            let known = self.resent.iter().any(|&(resent, _)| resent == seq);
            let first = seq == una; // it goes whatever is under way
            if known || seq >= tcp.max_sent || (room == 0 && !first) {
                continue;
            }
            room = room.saturating_sub(1);
            self.resent.push((seq, now));
            due.push(seq);
        }
        due
    }
}

/// What the receiver holds beyond what it acknowledges, with what this segment says.
fn held(segment: Option<&Segment>, tcp: &TcpView<'_>) -> RangeSet {
    let una = segment.map_or(tcp.una, |segment| segment.ack.max(tcp.una));
    let said = segment.map(|segment| (segment, segment.ack));
    let blocks = said.into_iter().flat_map(|(segment, ack)| segment.sack.around(ack));
    let mut held = RangeSet::default();
    for (start, end) in tcp.sacked.iter().chain(blocks) {
        let (start, end) = (start.max(una), end.min(tcp.max_sent));
        if start < end {
            held.insert(start, end);
        }
    }
    held
}
