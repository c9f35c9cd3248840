//! Configuration of Minstrel.

use crate::keys;
use crate::units::Dur;

keys! {
    /// Minstrel. The defaults are those of Linux and of ns-3.44.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MinstrelConfig {
        /// How often the statistics are taken.
        pub update: Dur = Dur::from_ms(100) => within(Dur::from_us(1), Dur::from_secs(60)),
        /// Share of the frames that try another rate.
        pub look_around: f64 = 0.1 => within(0.0, 1.0),
        /// Weight of what was known in the average of the share of successes.
        pub weight: f64 = 0.75 => within(0.0, 0.99),
        /// All tries at one rate of the retry chain fit into this time, but for the first.
        pub stage: Dur = Dur::from_ms(6) => within(Dur::ZERO, Dur::from_secs(1)),
    }
}
