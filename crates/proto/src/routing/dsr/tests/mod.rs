//! Tests of DSR.

mod caching;
mod codec;
mod discovering;
mod failing;
mod flowing;
mod hearing;
mod limits;
mod noticing;
mod random;
mod rebooting;
mod requests;
mod rig;
mod searching;
