//! The stream of bytes of one direction of a connection, whose numbers in headers have 32 bits.

use crate::datagram::TcpSeen;

/// Where a stream begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Its initial sequence number.
    initial: u32,
}

impl Stream {
    /// The stream of a segment. The SYN takes the initial number itself; what is first seen in the middle begins with
    /// the stream.
    pub(crate) const fn of(seen: &TcpSeen) -> Self {
        Self { initial: if seen.syn { seen.seq } else { seen.seq.wrapping_sub(1) } }
    }

    /// The byte that a number of 32 bits means, from 0: the one nearest to `near`. None before the stream.
    pub(crate) fn offset(self, number: u32, near: u64) -> Option<u64> {
        let ahead = number.wrapping_sub(self.initial).wrapping_sub(1).wrapping_sub(near as u32).cast_signed();
        near.checked_add_signed(i64::from(ahead))
    }
}
