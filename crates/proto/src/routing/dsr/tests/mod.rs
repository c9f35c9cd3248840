//! Tests of DSR.

mod caching;
mod codec;
mod failing;
mod flowing;
mod hearing;
mod random;
mod requests;
mod rig;
mod searching;
