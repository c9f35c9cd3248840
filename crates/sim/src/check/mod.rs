//! What can be said of a scenario before it runs: what is wrong, what is likely not meant, which node reaches which,
//! how fast a flow can be, and how much memory a run takes.

mod ceiling;
pub(crate) mod flows;
mod hops;
pub(crate) mod lint;
mod memory;
pub(crate) mod motion;
pub(crate) mod names;
mod noise;
mod older;
pub(crate) mod paths;
pub(crate) mod ranges;
mod reach;
mod slots;
mod ways;

pub use memory::{MemoryShare, captured, memory, ready};
pub use reach::hearing;
