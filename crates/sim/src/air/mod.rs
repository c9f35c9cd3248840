//! The radio channel.

pub mod config;
pub use config::*;
