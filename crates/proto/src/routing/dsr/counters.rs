//! What a node's DSR has done.

use super::wire::{RouteError, Trouble};

/// Messages that tell of errors, as a node sends them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// Of this node, and those that it takes on from here.
    pub originated: u64,
    /// Of others, passed on.
    pub forwarded: u64,
    /// Sent another way, or after they had waited for one.
    pub resent: u64,
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests of this node.
    pub rreq_originated: u64,
    /// Requests of others passed on.
    pub rreq_forwarded: u64,
    /// Requests with an error on board, of these two.
    pub rreq_with_rerr: u64,
    /// Replies of this node, as a target, from its cache, or about a shorter way.
    pub rrep_originated: u64,
    /// Replies of others passed on.
    pub rrep_forwarded: u64,
    /// Replies sent another way, or after they had waited for one.
    pub rrep_resent: u64,
    /// Errors about links.
    pub rerr: ErrorCounts,
    /// Errors about nothing but flows that a relay does not know (RFC 4728 §7.3).
    pub flow_unknown: ErrorCounts,
    /// Replies from the cache, of `rrep_originated`.
    pub cached_replies: u64,
    /// Replies about a shorter way, of `rrep_originated`.
    pub gratuitous_replies: u64,
    /// Packets of others sent another way.
    pub salvaged: u64,
    /// Destinations that became unreachable.
    pub routes_lost: u64,
}

impl Counters {
    /// Where a message with these errors on board is counted; nowhere if there are none.
    pub(super) fn of_errors(&mut self, errors: &[RouteError]) -> Option<&mut ErrorCounts> {
        let about_link = |error: &RouteError| matches!(error.what, Trouble::Unreachable(_));
        match errors {
            [] => None,
            _ if errors.iter().any(about_link) => Some(&mut self.rerr),
            _ => Some(&mut self.flow_unknown),
        }
    }

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("dsr.rreq-originated", self.rreq_originated);
        tell("dsr.rreq-forwarded", self.rreq_forwarded);
        tell("dsr.rreq-with-rerr", self.rreq_with_rerr);
        tell("dsr.rrep-originated", self.rrep_originated);
        tell("dsr.rrep-forwarded", self.rrep_forwarded);
        tell("dsr.rrep-resent", self.rrep_resent);
        tell("dsr.rerr-originated", self.rerr.originated);
        tell("dsr.rerr-forwarded", self.rerr.forwarded);
        tell("dsr.rerr-resent", self.rerr.resent);
        tell("dsr.flow-unknown-originated", self.flow_unknown.originated);
        tell("dsr.flow-unknown-forwarded", self.flow_unknown.forwarded);
        tell("dsr.flow-unknown-resent", self.flow_unknown.resent);
        tell("dsr.cached-replies", self.cached_replies);
        tell("dsr.gratuitous-replies", self.gratuitous_replies);
        tell("dsr.salvaged", self.salvaged);
    }
}
