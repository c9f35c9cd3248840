//! Configuration of Minstrel-HT.

use crate::keys;
use crate::units::Dur;

keys! {
    /// Minstrel-HT. The defaults are Linux's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MinstrelConfig {
        /// How often the statistics are taken.
        pub update: Dur = Dur::from_ms(50) => within(Dur::from_us(1), Dur::from_secs(60)),
        /// Least time between two frames that try a rate.
        pub sample: Dur = Dur::from_ms(20) => within(Dur::from_us(1), Dur::from_secs(60)),
        /// Most tries at one rate of the retry chain.
        pub tries: u32 = 7 => within(1, 100),
        /// All tries at one rate fit into this time, but for the first two.
        pub stage: Dur = Dur::from_ms(6) => within(Dur::ZERO, Dur::from_secs(1)),
    }
}
