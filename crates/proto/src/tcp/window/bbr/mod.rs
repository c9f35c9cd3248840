//! BBR, version 1, as in Linux 4.9 to 6.x (tcp_bbr.c; Cardwell et al., ACM Queue 2016): the window and the pacing rate
//! follow from the largest delivery rate of ten rounds and the least round-trip time of ten seconds.
//!
//! ```text
//!   STARTUP  pacing 2.885, window 2.885      until three rounds without 25 % more
//!   DRAIN    pacing 1/2.885, window 2.885    until what is in flight is what the path holds
//!   PROBE_BW pacing 1.25, 0.75, 1 × 6        each for a round trip; window 2
//!   PROBE_RTT window of four segments        for 200 ms and a round, when the least round trip is ten seconds old
//! ```

mod aggregation;
mod machine;
mod path;
pub(super) mod phases;
mod policer;
#[cfg(test)]
mod tests;

pub use machine::Bbr;
pub use path::Mode;
