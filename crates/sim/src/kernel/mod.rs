//! The event kernel: what happens next.
//!
//! Events are totally ordered by (time, phase, entity). There is one place in the queue for each timer of each
//! entity, so no event can be queued twice and nothing stale is ever left behind.

mod queue;
mod tournament;

pub use queue::{Event, EventQueue};
