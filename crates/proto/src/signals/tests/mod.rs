//! The notifier, input by input.

mod losses;
mod rig;
mod tcp_bus_relay;
mod tcp_f_relay;
