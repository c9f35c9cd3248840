//! What a source of ATP counts.

use crate::units::counters;

counters! {
    /// How often it did what; monotone.
    pub struct Counters {
        /// Packets sent, probes and retransmissions included.
        pub sent = "atp.sent",
        /// Data packets sent again.
        pub retransmissions = "atp.retransmissions",
        /// Probes.
        pub probes = "atp.probes",
        /// Reports that came.
        pub reports = "atp.reports",
        /// Reports that did not come in time.
        pub missing = "atp.missing-reports",
        /// Reports after which the rate went up.
        pub increases = "atp.increases",
        /// Reports after which it went down.
        pub decreases = "atp.decreases",
        /// Times that it began with a probe.
        pub quick_starts = "atp.quick-starts",
    }
}
