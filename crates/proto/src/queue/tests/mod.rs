//! Time lines of the interface queue, and one contract suite over every configuration of it.

mod airtime;
mod aqm;
mod aqm_contract;
mod atp_sojourn;
mod codel;
mod contract;
mod fq;
mod holds;
mod keep;
mod link_red;
mod overflow;
mod pie;
mod priority;
mod red;
mod rig;
mod service;
