//! What an AODV machine counts.

/// Messages by type, and what it did of its own accord.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests made.
    pub rreq_originated: u64,
    /// Requests passed on.
    pub rreq_forwarded: u64,
    /// Replies made, gratuitous ones included.
    pub rrep_originated: u64,
    /// Replies passed on.
    pub rrep_forwarded: u64,
    /// Acknowledgments of replies.
    pub rrep_acks: u64,
    /// Errors that tell of a link broken here, or of a packet that found no route here.
    pub rerr_originated: u64,
    /// Errors that pass on what another one told.
    pub rerr_forwarded: u64,
    /// Hellos.
    pub hellos: u64,
    /// Routes that this relay has begun to mend.
    pub repairs: u64,
    /// Routes that it has mended.
    pub repaired: u64,
    /// Searches that ended without a route.
    pub searches_failed: u64,
    /// Errors that were not sent, for the limit.
    pub rerr_limited: u64,
    /// Neighbours put on the blacklist.
    pub blacklisted: u64,
    /// Destinations that became unreachable: the neighbour on the way was gone, or said that it had lost its own route.
    pub routes_lost: u64,
}

impl Counters {
    /// Tells each by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("aodv.rreq-originated", self.rreq_originated);
        tell("aodv.rreq-forwarded", self.rreq_forwarded);
        tell("aodv.rrep-originated", self.rrep_originated);
        tell("aodv.rrep-forwarded", self.rrep_forwarded);
        tell("aodv.rrep-acks", self.rrep_acks);
        tell("aodv.rerr-originated", self.rerr_originated);
        tell("aodv.rerr-forwarded", self.rerr_forwarded);
        tell("aodv.hellos", self.hellos);
        tell("aodv.repairs", self.repairs);
        tell("aodv.repaired", self.repaired);
        tell("aodv.searches-failed", self.searches_failed);
        tell("aodv.rerr-limited", self.rerr_limited);
        tell("aodv.blacklisted", self.blacklisted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `routes_lost` is told by all routing machines alike, as `routing.routes-lost`.
    #[test]
    fn each_is_told_by_its_own_name() {
        let counters = Counters {
            rreq_originated: 1,
            rreq_forwarded: 2,
            rrep_originated: 3,
            rrep_forwarded: 4,
            rrep_acks: 5,
            rerr_originated: 6,
            rerr_forwarded: 7,
            hellos: 8,
            repairs: 9,
            repaired: 10,
            searches_failed: 11,
            rerr_limited: 12,
            blacklisted: 13,
            routes_lost: 14,
        };
        let mut told = Vec::new();
        counters.each(&mut |name, n| told.push((name, n)));
        let expected = [
            ("aodv.rreq-originated", 1),
            ("aodv.rreq-forwarded", 2),
            ("aodv.rrep-originated", 3),
            ("aodv.rrep-forwarded", 4),
            ("aodv.rrep-acks", 5),
            ("aodv.rerr-originated", 6),
            ("aodv.rerr-forwarded", 7),
            ("aodv.hellos", 8),
            ("aodv.repairs", 9),
            ("aodv.repaired", 10),
            ("aodv.searches-failed", 11),
            ("aodv.rerr-limited", 12),
            ("aodv.blacklisted", 13),
        ];
        assert_eq!(told, expected);
    }
}
