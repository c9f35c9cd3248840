//! What a node's DSR has done.

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
    /// Errors of this node, and those that it takes on from here.
    pub rerr_originated: u64,
    /// Errors of others passed on.
    pub rerr_forwarded: u64,
    /// Errors sent another way, or after they had waited for one.
    pub rerr_resent: u64,
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
    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("dsr.rreq-originated", self.rreq_originated);
        tell("dsr.rreq-forwarded", self.rreq_forwarded);
        tell("dsr.rreq-with-rerr", self.rreq_with_rerr);
        tell("dsr.rrep-originated", self.rrep_originated);
        tell("dsr.rrep-forwarded", self.rrep_forwarded);
        tell("dsr.rrep-resent", self.rrep_resent);
        tell("dsr.rerr-originated", self.rerr_originated);
        tell("dsr.rerr-forwarded", self.rerr_forwarded);
        tell("dsr.rerr-resent", self.rerr_resent);
        tell("dsr.cached-replies", self.cached_replies);
        tell("dsr.gratuitous-replies", self.gratuitous_replies);
        tell("dsr.salvaged", self.salvaged);
    }
}
