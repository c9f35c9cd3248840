//! The notifier, input by input.

mod losses;
mod pivot;
mod rig;
mod route_failure;
