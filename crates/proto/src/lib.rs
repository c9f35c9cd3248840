//! Protocol machines of `multihop`: pure functions of their inputs.
//!
//! Nothing in this crate reads a clock, a file, a thread or the operating system's randomness. Each machine has
//! one verb, `handle(cx, input, out)`, complete when it returns; [`node`] composes them.
//!
//! A machine needs no network around it. This TCP is told to open a connection, and answers with a SYN and a timer:
//!
//! ```
//! use multihop_proto::tcp::{Action, Input, Sender, TcpConfig, Timer};
//! use multihop_proto::units::{FlowId, SimTime};
//! use multihop_proto::wire::flags::SYN;
//!
//! let mut sender = Sender::new(TcpConfig::default(), FlowId(0));
//! let mut answers = Vec::new();
//! sender.handle(SimTime::ZERO, Input::Open, &mut answers);
//! assert!(matches!(answers[..], [Action::Send(segment), ..] if segment.flags == SYN));
//! assert!(answers.iter().any(|it| matches!(it, Action::Arm(Timer::Retransmit, at) if *at > SimTime::ZERO)));
//! ```
#![forbid(unsafe_code)]

#[macro_use]
mod dispatch;

pub mod arp;
pub mod atp;
pub mod contract;
pub mod endpoint;
pub mod hop_rate;
pub mod link;
pub mod mac;
pub mod node;
pub mod phy;
pub mod proxy;
pub mod queue;
pub mod routing;
pub mod shim;
pub mod signals;
pub mod tcp;
#[cfg(test)]
mod testing;
pub mod udp;
pub mod units;
pub mod wire;
