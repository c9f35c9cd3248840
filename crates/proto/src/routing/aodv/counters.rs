//! What an AODV machine counts.

use crate::units::counters;

counters! {
    /// Messages sent by type, and actions without a message.
    pub struct Counters {
        /// Requests made.
        pub rreq_originated = "aodv.rreq-originated",
        /// Requests passed on.
        pub rreq_forwarded = "aodv.rreq-forwarded",
        /// Replies made, gratuitous ones included.
        pub rrep_originated = "aodv.rrep-originated",
        /// Replies passed on.
        pub rrep_forwarded = "aodv.rrep-forwarded",
        /// Acknowledgments of replies.
        pub rrep_acks = "aodv.rrep-acks",
        /// Errors that tell of a link broken here, or of a packet that found no route here.
        pub rerr_originated = "aodv.rerr-originated",
        /// Errors that pass on what another one told.
        pub rerr_forwarded = "aodv.rerr-forwarded",
        /// Hellos.
        pub hellos = "aodv.hellos",
        /// Routes that this relay has begun to mend.
        pub repairs = "aodv.repairs",
        /// Routes that it has mended.
        pub repaired = "aodv.repaired",
        /// Searches that ended without a route.
        pub searches_failed = "aodv.searches-failed",
        /// Errors that were not sent, for the limit.
        pub rerr_limited = "aodv.rerr-limited",
        /// Neighbours put on the blacklist.
        pub blacklisted = "aodv.blacklisted",
        /// Destinations that became unreachable: the neighbour on the way was gone, or said that it had lost its own
        /// route.
        pub routes_lost: u64,
    }
}
