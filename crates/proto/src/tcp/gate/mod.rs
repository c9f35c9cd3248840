//! The send gate: how many segments one send attempt may put into the interface queue.

mod contract;
mod queue;
mod set;
#[cfg(test)]
mod tests;

pub use contract::Gate;
pub use queue::QueueGate;
pub use set::{AnyGate, OpenGate};
