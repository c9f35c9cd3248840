//! What the applications send.

pub mod config;
pub use config::*;
