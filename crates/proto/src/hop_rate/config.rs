//! Configuration of hop-by-hop rate control.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST};

keys! {
    /// Hop-by-hop rate control. The paper is not at hand but for what others say of it; the rule and its values are
    /// ours.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct HopRateConfig {
        /// Whether nodes control the rates of TCP segments with payload.
        pub on: bool = false,
        /// Segments of a flow that shall wait in the next node.
        pub target: f64 = 3.0 => within(0.0, f64::from(MOST)),
        /// Time in which a queue that is too long, or too short, shall have come to the target.
        pub time: Dur = Dur::from_ms(500) => within(Dur::from_ms(1), LONGEST),
        /// Time between two settings of the rates.
        pub tick: Dur = Dur::from_ms(100) => within(Dur::from_ms(1), LONGEST),
        /// Least rate of a flow that the next node may ask for \[segments/s\].
        pub least: f64 = 1.0 => positive(1e6),
        /// Segments that may wait for their turn in one node; what comes then is lost.
        pub buffer: u32 = 50 => within(1, MOST),
    }
}
