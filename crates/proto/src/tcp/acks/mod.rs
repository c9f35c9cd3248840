//! When a receiver acknowledges, and which window it advertises (RFC 9293 §3.8.6). Whatever these policies say, it
//! answers at once what arrives out of order or fills a gap (RFC 5681 §4.2), a SYN, and what is unacceptable.

mod adaptive;
pub mod config;
mod contract;
mod dynamic;
mod every;
mod quick;
mod set;
#[cfg(test)]
mod tests;

pub use adaptive::Adaptive;
pub use config::ReceiverConfig;
pub use contract::{AckPolicy, Heard, InOrder, When};
pub use dynamic::Dynamic;
pub use every::Every;
pub use quick::Quick;
pub use set::AnyAckPolicy;
