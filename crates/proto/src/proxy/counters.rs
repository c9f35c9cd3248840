//! What an agent counts.

use crate::units::counters;

counters! {
    /// How often an agent acted; monotone.
    pub struct Counters {
        /// Segments that it acknowledged in the destination's name for the first time.
        pub acknowledged = "agent.acknowledged",
        /// Segments that it sent again on its own.
        pub retransmissions = "agent.retransmissions",
        /// Duplicate ACKs that the source never heard of.
        pub hidden = "agent.dupacks-hidden",
        /// ACKs marked as asking for what was not lost by congestion.
        pub marked = "agent.acks-marked",
        /// Payload that it had acknowledged, and that was lost with its node before the next one had it \[B\].
        pub lost_bytes = "agent.lost-bytes",
    }
}
