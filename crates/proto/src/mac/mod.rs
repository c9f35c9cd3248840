//! Medium access: the contract between queue, MAC and air, and the machines that meet it.

pub mod aggregate;
pub mod config;
pub mod contract;
mod custom;
pub mod dcf;
pub mod edca;
pub mod extensions;
mod forecast;
mod formats;
mod protection;
pub mod rate;
mod set;
mod standard;
mod vectors;

pub use aggregate::{Peer, PeerCounters};
pub use config::{
    BackoffDraw, DcfConfig, EifsRule, FlowControlConfig, FlowRule, ImmediateAccess, MacConfig, PacingConfig,
    Preamble, ResponseTimeout, RetryCount, RoundWindow, RoundsConfig, WindowAfterGiveUp,
};
pub use contract::{Action, Counters, Input, Mac, Sensed, Timer};
pub use custom::CustomMac;
pub use protection::{Older, Reading, Reads};
pub use set::{AnyMac, OtherMac};
pub use standard::{FrameProtection, Standard};
