//! Which frame tries a rate, and which rate: [`timed`] of Linux since 2021, [`counted`] of ns-3.44.

mod contract;
mod counted;
mod set;
mod timed;

pub(super) use contract::Sampling;
pub(super) use set::AnySampling;
