//! Recoveries: what is sent between the detection of a loss and the end of its repair. One file a rule.

mod contract;
mod fack;
mod pipe;
mod prr;
mod sack1;
mod set;
mod window;

pub use contract::{Next, Recovery, Repeated, Seen};
pub use fack::Fack;
pub use pipe::Pipe;
pub use prr::Prr;
pub use sack1::Sack1;
pub use set::AnyRecovery;
pub use window::ByWindow;
