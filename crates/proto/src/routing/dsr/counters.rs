//! What a node's DSR has done.

use super::wire::{RouteError, Trouble};
use crate::units::counters;

counters! {
    /// Counts since the start.
    pub struct Counters {
        /// Requests of this node.
        pub rreq_originated = "dsr.rreq-originated",
        /// Requests of others passed on.
        pub rreq_forwarded = "dsr.rreq-forwarded",
        /// Requests with an error on board, of these two.
        pub rreq_with_rerr = "dsr.rreq-with-rerr",
        /// Replies of this node, as a target, from its cache, or about a shorter way.
        pub rrep_originated = "dsr.rrep-originated",
        /// Replies of others passed on.
        pub rrep_forwarded = "dsr.rrep-forwarded",
        /// Replies sent another way, or after they had waited for one.
        pub rrep_resent = "dsr.rrep-resent",
        /// Messages with errors about links: of this node, and those that it takes on from here.
        pub rerr_originated = "dsr.rerr-originated",
        /// The same of others, passed on.
        pub rerr_forwarded = "dsr.rerr-forwarded",
        /// The same, sent another way, or after they had waited for one.
        pub rerr_resent = "dsr.rerr-resent",
        /// Messages with errors about nothing but flows that a relay does not know (RFC 4728 §7.3): of this node.
        pub flow_unknown_originated = "dsr.flow-unknown-originated",
        /// The same of others, passed on.
        pub flow_unknown_forwarded = "dsr.flow-unknown-forwarded",
        /// The same, sent another way, or after they had waited for one.
        pub flow_unknown_resent = "dsr.flow-unknown-resent",
        /// Replies from the cache, of `rrep_originated`.
        pub cached_replies = "dsr.cached-replies",
        /// Replies about a shorter way, of `rrep_originated`.
        pub gratuitous_replies = "dsr.gratuitous-replies",
        /// Packets of others sent another way.
        pub salvaged = "dsr.salvaged",
    }
}

/// The counters of messages with errors of one kind.
pub(super) struct OfErrors<'a> {
    pub(super) originated: &'a mut u64,
    pub(super) forwarded: &'a mut u64,
    pub(super) resent: &'a mut u64,
}

impl Counters {
    /// Where a message with these errors on board is counted; nowhere if there are none.
    pub(super) fn of_errors(&mut self, errors: &[RouteError]) -> Option<OfErrors<'_>> {
        let about_link = |error: &RouteError| matches!(error.what, Trouble::Unreachable(_));
        match errors {
            [] => None,
            _ if errors.iter().any(about_link) => Some(OfErrors {
                originated: &mut self.rerr_originated,
                forwarded: &mut self.rerr_forwarded,
                resent: &mut self.rerr_resent,
            }),
            _ => Some(OfErrors {
                originated: &mut self.flow_unknown_originated,
                forwarded: &mut self.flow_unknown_forwarded,
                resent: &mut self.flow_unknown_resent,
            }),
        }
    }
}
