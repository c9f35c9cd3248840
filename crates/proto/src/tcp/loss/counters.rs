//! Counters of the loss detectors that do more than the standard.

use crate::units::counters;

counters! {
    /// How often a loss detector acted; monotone.
    pub struct Counters {
        /// Decisions put off.
        pub delays = "judge.delays",
        /// Of these, those that the missing segment came in time for.
        pub averted = "judge.averted",
        /// Segments sent again without a word to the window.
        pub repairs = "judge.repairs",
        /// Times that the window was halved without a loss or a mark.
        pub slowed = "judge.slowed",
    }
}

counters! {
    /// What RACK has marked; monotone.
    pub struct RackCounters {
        /// Segments marked as lost.
        pub marked = "rack.marked",
        /// Of these, retransmissions.
        pub again = "rack.marked-again",
    }
}
