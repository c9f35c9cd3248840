//! What a receiver may do beside the standards.

use crate::keys;
use crate::units::range::MOST;

keys! {
    /// What a receiver does beside the standards: a window that grows with the transfer, and ACKs that follow its pace.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReceiverConfig {
        /// The receive window grows with what a round trip brings, up to `max-window` (dynamic right-sizing as in
        /// Linux). Else it is `max-window` from the start.
        pub autotune: bool = false,
        /// Receive window at the start in segments, with `autotune` (Linux: below 64 KiB).
        pub window: u32 = 44 => within(1, MOST),
        /// Segments that the receiver's buffer has room for at the start, with `autotune` (Linux: 128 KiB; five eighths
        /// are payload).
        pub buffer: u32 = 55 => within(1, MOST),
        /// The receiver acknowledges segments one by one at the start, after silence, and when a segment comes twice;
        /// else an ACK waits as long as the pace of segments suggests (Linux). `quick-acks` says how many segments at
        /// most.
        pub adaptive_acks: bool = false,
    }
}
