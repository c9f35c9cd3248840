//! Forward acknowledgement: what is below the last byte that SACK tells of has left the network (Mathis & Mahdavi,
//! *Forward acknowledgment: Refining TCP congestion control*, SIGCOMM 1996, §2).
//!
//! ```text
//! awnd = sent beyond snd.fack + sent again (retran_data)
//! ```

use super::contract::{Next, Recovery, Seen};

/// The recovery of FACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fack {
    /// Bytes in the network, during an attempt to send.
    awnd: u64,
}

impl Recovery for Fack {
    fn look(&mut self, seen: &Seen<'_>) {
        let beyond = seen.max_sent - seen.scoreboard.forward(seen.una).min(seen.max_sent);
        self.awnd = beyond + seen.scoreboard.repairs(seen.una);
    }

    /// While there is room for a segment: any hole below the last block that was not sent again, then new data.
    fn next(&self, seen: &Seen<'_>) -> Next {
        if (self.awnd + seen.segment) as f64 > seen.cwnd.max(1.0) * seen.segment as f64 {
            return Next::Nothing;
        }
        match seen.scoreboard.next_hole(seen.una, seen.segment, true) {
            Some((start, end)) => Next::Again(start, end),
            None if seen.new => Next::New,
            None => Next::Nothing,
        }
    }

    fn sent(&mut self, bytes: u64) {
        self.awnd += bytes;
    }
}
