//! Medium access: the contract between queue, MAC and air, and the machines that meet it.

pub mod config;
pub mod contract;
pub mod dcf;

pub use config::{
    BackoffDraw, DcfConfig, EifsRule, ImmediateAccess, MacConfig, Preamble, ResponseTimeout, RetryCount,
    WindowAfterGiveUp,
};
pub use contract::{Action, Counters, CustomMac, Input, Sensed, Timer};
