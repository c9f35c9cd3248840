//! BBR by the working group's draft (draft-ietf-ccwg-bbr-06 of 6 July 2026, "BBRv3"): as version 1 it sends at the rate
//! at which data arrive, and unlike it keeps what losses say of the path, for long and for short.
//!
//! ```text
//!   STARTUP  rate 2.77, window 2       until three rounds without 25 % more, or a round with more than 2 % of losses
//!   DRAIN    rate 0.5, window 2        until what is in flight is what the path holds, or for three rounds
//!   DOWN     rate 0.9, window 2        until what is in flight leaves headroom
//!   CRUISE   rate 1, window 2          for 2 to 3 s, or as many rounds as the path holds segments
//!   REFILL   rate 1, window 2          for a round
//!   UP       rate 1.25, window 2.25    until the rate is found, or a round with more than 2 % of losses
//!   PROBE_RTT rate 1, window 0.5       for 200 ms and a round, when the least round trip of five seconds is that old
//! ```

mod aggregation;
mod bounds;
mod cycle;
mod full_pipe;
mod losing;
mod machine;
mod path;
mod phases;
mod probe_rtt;
mod repair;
mod sample;
#[cfg(test)]
mod tests;

pub use machine::BbrDraft;
pub use path::State;
