//! Parameters of FRN's routing.

use crate::keys;
use crate::units::Dur;
use crate::units::range::must;

keys! {
    /// Routing of the Flexible Radio Network (Yuki 2004, sections 2.1 and 2.2.2).
    #[derive(Clone, Debug, PartialEq)]
    pub struct FrnRoutingConfig {
        /// Configuration control cycle: how often a node sends its shortest relay counts. 0: never; the tables are
        /// those that long exchange would have left, computed once, as in runs in which the cycle is too long to
        /// matter.
        pub cycle: Dur = Dur::ZERO => period,
        /// Cycles over which the reliability of a neighbour is counted: X of the thesis, at most 32.
        pub reliability_window: u32 = 8 => within(1, 32),
        /// A node is a neighbour while the share of its control packets that arrived is above this; below 1.
        pub reliability_threshold: f64 = 0.5,
    }
    also(its) {
        let (key, share) = ("reliability-threshold", its.reliability_threshold);
        let rule = "be 0 or more and below 1: a neighbour is whose share of control packets is above it, and none is above 1";
        must((0.0..1.0).contains(&share), key, share, rule)
    }
}
