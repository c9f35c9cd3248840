//! What a shim counts.

use crate::units::{Dur, SimTime, counters};

counters! {
    /// How often a shim acted; monotone.
    pub struct Counters {
        /// Times that TCP was stopped.
        pub freezes = "shim.freezes",
        /// For how long, pauses that are over.
        pub frozen: Dur = "shim.frozen-ms",
        /// Probes sent.
        pub probes = "shim.probes",
        /// Retransmissions asked for: of one segment, or of all that is outstanding.
        pub retransmissions = "shim.retransmissions",
        /// Retransmission timeouts that TCP never heard of.
        pub timeouts_hidden = "shim.timeouts-hidden",
        /// Duplicate ACKs that TCP never heard of.
        pub dupacks_hidden = "shim.dupacks-hidden",
        /// Times that TCP's timer was started afresh.
        pub restarts = "shim.restarts",
    }
}

impl Counters {
    /// A pause that began then is over.
    pub fn thawed(&mut self, now: SimTime, since: SimTime) {
        self.frozen += now.saturating_since(since);
    }
}
