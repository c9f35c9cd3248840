//! A network in virtual time: nodes, air, applications and probes under one clock.

mod active;
mod battery;
mod begin;
mod blame;
mod broken;
mod build;
mod driver;
mod foreseen;
mod nap;
mod order;
mod output;
mod outside;
mod placed;
mod routes;
mod run;
mod sample;
mod scheduled;
mod truth;
mod world;

pub use build::Network;
pub use run::{Ended, Handle, finish, run};
