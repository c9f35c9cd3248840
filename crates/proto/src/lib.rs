//! Protocol machines of `multihop`: pure functions of their inputs.
//!
//! Nothing in this crate reads a clock, a file, a thread or the operating system's randomness.
#![forbid(unsafe_code)]

pub mod units;
