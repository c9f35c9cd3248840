//! The notifier, input by input.

mod losses;
mod rig;
mod route_failure;
