//! What is in flight, what became of it, and how much may be: sequence numbers, losses and their repair, marks, and the
//! congestion window that follows. It decides and sends nothing; [`super::Sender`] sends.

mod accurate;
mod ecn;
mod heard;
mod losing;
mod losses;
mod machine;
mod marks;
mod repairing;
mod spurious;
#[cfg(test)]
mod tests;

pub(super) use heard::Arrived;
pub(super) use machine::{Flight, Leaving};
pub(super) use repairing::Place;
