//! Traffic: when applications open, write and stop. An outside process: the same under all techniques.

mod application;
pub mod config;
mod flow;

pub use application::{Application, Step};
pub use config::*;
pub use flow::Flow;
