//! Traffic: when applications open, write and stop. An outside process: the same under all techniques.

pub mod config;
mod source;

pub use config::*;
pub use source::{Source, Step};
