//! Integer time, sizes and rates, radio quantities, identifiers and keyed random streams.
//!
//! Everything here is `Copy`, totally ordered and cheap. In files a quantity is a string with its
//! unit (`"20 us"`, `"2 Mbps"`, `"250 m"`); a bare number is refused, because no reader can tell
//! whether `20` meant microseconds or slots.

mod count;
mod decimal;
mod id;
mod keys;
mod quantity;
mod radio;
pub mod range;
mod rng;
pub mod rules;
mod size;
mod space;
mod time;
mod worth;

pub use count::Count;
pub(crate) use count::counters;
pub use id::{FlowId, NodeId};
pub use quantity::QuantityError;
pub use radio::{Decibel, Energy, Frequency, Power};
pub use rng::{Entity, Purpose, Rng};
pub use size::{Bitrate, Bytes};
pub use space::{Angle, Metres, Speed};
pub use time::{Dur, SimTime};
pub use worth::unit_worths;
