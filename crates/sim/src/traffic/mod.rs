//! Traffic: when applications open, write and stop. An outside process: the same under all techniques.

pub mod config;
mod flow;
mod source;

pub use config::*;
pub use flow::Flow;
pub use source::{Source, Step};
