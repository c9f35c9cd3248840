//! A network in virtual time: nodes, air, applications and probes under one clock.

mod acknowledged_loss;
mod agents;
mod battery;
mod build;
mod doze;
mod driver;
mod experiment;
mod frn_tables;
mod interferer;
mod loss_audit;
mod mpdu_fates;
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
mod wire;
mod world;

pub use run::{Ended, Handle, finish, run};
pub use state::Network;
