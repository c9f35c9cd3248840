//! What a link has done.

use crate::units::counters;

counters! {
    /// Counters of one node; monotone, so that two readings give the figures of the time between.
    pub struct Counters {
        /// Frames with packets sent.
        pub frames = "frn.frames",
        /// Of these, frames with a packet to all.
        pub broadcasts = "frn.broadcasts",
        /// Of these, frames with a data packet and a TCP ACK.
        pub combined = "frn.combined",
        /// FRN ACKs sent.
        pub acks = "frn.acks",
        /// Packets sent again, combined ones each.
        pub retransmissions = "frn.retransmissions",
        /// Echoes and FRN ACKs that came in their slot, or later if that counts.
        pub echoes = "frn.echoes",
        /// Echoes and FRN ACKs that did not come.
        pub missed = "frn.missed",
        /// Echoes and FRN ACKs no longer waited for: the packet's life ended first, it was received again, or the node
        /// went down. Without late echoes each packet of a frame to a neighbour is an echo, missed, one of these, or
        /// still under way.
        pub unawaited = "frn.unawaited",
        /// Slots in which the node did not send because another node had begun before.
        pub deferrals = "frn.deferrals",
        /// Slots in which nothing was sent so as not to disturb the echo of the other part of a combined frame.
        pub silences = "frn.silences",
        /// Packets received again that were still here: they are sent on once more, but not twice.
        pub repeated = "frn.repeated",
        /// Packets received again that had been passed on, or taken in, before: two copies are in the network.
        pub duplicates = "frn.duplicates",
        /// Packets whose lifetime ended.
        pub outlived = "frn.outlived",
        /// Packets given up after the last retransmission.
        pub given_up = "frn.given-up",
        /// Slots added to retransmission intervals by load or failures in a row.
        pub widened_slots = "frn.widened-slots",
        /// Transmissions to another forward neighbour than the one whose turn it was, as fewer failed to it.
        pub spread = "frn.spread",
    }
}
