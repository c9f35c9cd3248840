//! A network in virtual time: nodes, air, applications and probes under one clock.

mod acknowledged_loss;
mod agents;
mod battery;
mod build;
mod cut_off;
mod delayed;
mod doze;
mod driver;
mod energy;
mod experiment;
mod frame_errors;
mod frn_tables;
mod interference;
mod loss_audit;
mod losses;
mod mpdu_fates;
mod needs;
mod outage_oracle;
mod output;
mod parted;
mod readings;
mod routes;
mod run;
mod sample;
mod scheduled;
mod signal_start;
mod simultaneous;
mod spans;
mod state;
mod stations;
mod tables;
mod ties;
mod wire;
mod world;

pub use run::{Ended, Handle, finish, run};
pub use state::Network;
