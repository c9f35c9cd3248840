//! Energy: what radios draw ([`config`]), how long each is in which state ([`times`]), by a clock ([`meter`]) or by
//! ns-2's rules ([`charged`]).

mod charged;
pub mod config;
pub mod meter;
pub mod state;
pub mod times;

pub use config::{Accounting, Card, EnergyConfig};
pub use meter::EnergyMeter;
pub use state::RadioState;
pub use times::StateTimes;
