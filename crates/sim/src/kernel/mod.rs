//! The event kernel: which timer fires next.
//!
//! Events are totally ordered by (time, phase, entity, timer). There is one place in the queue for each timer of
//! each entity, so no event can be queued twice and nothing stale is ever left behind.

mod tree;

pub use tree::{Phase, TimerTree};
