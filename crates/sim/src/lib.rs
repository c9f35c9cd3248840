//! Discrete-event simulation of multihop wireless networks over the machines of `multihop-proto`.
//!
//! [`scenario`] says what is simulated, and [`check`] what can be said of it before it runs; [`network`] runs it on the
//! event [`kernel`] over the [`air`], a crate of its own, fed by [`traffic`], moved by [`mobility`] and watched by
//! [`probe`].
#![forbid(unsafe_code)]

pub mod check;
pub mod kernel;
mod machines;
pub mod mobility;
pub mod network;
mod overrides;
pub mod probe;
mod resolve;
pub mod scenario;
pub mod traffic;

pub use multihop_air as air;
pub use overrides::Override;
pub use resolve::{resolve, resolve_with};
