//! Real IP stacks on the simulated air, in real time.
//!
//! Each node of a scenario gets a network namespace of Linux with one TUN or TAP device. What a program there sends is
//! read from the device and put into the network of `multihop-sim` at that instant; what arrives at a node is written
//! to its device when its instant has come. One thread does both, and drives the network by the clock.
//!
//! Namespaces and devices have no name outside this process. The kernel removes them when the process ends, however it
//! ends.
#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]

mod agents;
mod clock;
mod counts;
mod datagram;
mod deployed;
mod device;
mod emulation;
mod end;
mod ends;
mod enter;
mod exchange;
mod host;
mod icmp;
mod kick;
mod lag;
mod layer;
mod netlink;
mod prepare;
mod receiving;
mod router;
mod sending;
mod snoop;
mod socket;
mod stream;
mod unreachable;
mod wait;

pub use deployed::Deployed;
pub use device::Device;
pub use emulation::{Emulation, Options};
pub use enter::{enter, isolate};
pub use host::Node;
pub use prepare::{Wanted, prepare};
