//! Time lines of the interface queue, and one contract suite over every configuration of it.

mod aqm;
mod aqm_contract;
mod atp_sojourn;
mod contract;
mod keep;
mod link_red;
mod overflow;
mod priority;
mod red;
mod rig;
mod service;
