//! What ns-2's `Sack1` sends in recovery: its pipe is a count of packets (Fall & Floyd, *Simulation-based comparisons
//! of Tahoe, Reno, and SACK TCP*, 1996). Every rule was seen in traces of two wired nodes, from which packets of a list
//! were lost.

use super::contract::{Next, Recovery, Repeated, Seen};
use crate::contract::DUP_THRESH;

/// The recovery of ns-2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sack1 {
    /// Packets believed to be in the network.
    pipe: i64,
}

impl Recovery for Sack1 {
    /// If its blocks tell something new since the last new ACK; in recovery any is, after a timeout none is before the
    /// next new ACK.
    fn is_duplicate(&self, ack: &Repeated) -> bool {
        ack.recovering || ack.fresh && !ack.timed_out
    }

    fn forgets_with_acks(&self) -> bool {
        true
    }

    /// The window opens with the next ACK.
    fn opens_with_last_ack(&self) -> bool {
        false
    }

    fn sends_at_once(&self) -> bool {
        false
    }

    /// What is outstanding but for what three duplicates tell of. The packet that is sent again at once stands for the
    /// one that was lost.
    fn begin(&mut self, seen: &Seen<'_>, _brought: u64) {
        let outstanding = (seen.max_sent - seen.una).div_ceil(seen.segment);
        self.pipe = outstanding.cast_signed() - i64::from(DUP_THRESH);
    }

    fn on_duplicate(&mut self) {
        self.pipe -= 1;
    }

    /// What was sent again, and what it was sent for.
    fn on_partial_ack(&mut self) {
        self.pipe -= 2;
    }

    /// While the pipe is below the whole window: any hole below a block that has not been sent again, then new data.
    fn next(&self, seen: &Seen<'_>) -> Next {
        if self.pipe >= seen.cwnd as i64 {
            return Next::Nothing;
        }
        match seen.scoreboard.next_hole(seen.una, seen.segment, true) {
            Some((start, end)) => Next::Again(start, end),
            None if seen.new => Next::New,
            None => Next::Nothing,
        }
    }

    fn sent(&mut self, _bytes: u64) {
        self.pipe += 1;
    }
}
