//! What a sender sends and when, once the connection is open: data, repairs, probes, and the timers for them. ACKs and
//! orders come to [`super::Sender`].

mod machine;
mod repairs;
mod timers;
mod transmit;

pub use machine::Counters;
pub(super) use machine::Sending;
