//! RFC 6675 §5 (C): while the pipe has room for a segment, holes that are lost go first, then new data, then other
//! holes.

use super::contract::{Next, Recovery, Seen};

/// The recovery of RFC 6675.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pipe {
    /// Bytes believed to be in the network, during an attempt to send.
    pub(super) pipe: u64,
}

impl Recovery for Pipe {
    fn look(&mut self, seen: &Seen<'_>) {
        self.pipe = seen.pipe();
    }

    fn next(&self, seen: &Seen<'_>) -> Next {
        if (self.pipe + seen.segment) as f64 > seen.cwnd.max(1.0) * seen.segment as f64 {
            return Next::Nothing;
        }
        seen.next_segment()
    }

    fn sent(&mut self, bytes: u64) {
        self.pipe += bytes;
    }
}
