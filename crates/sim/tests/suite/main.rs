//! The tests of the simulator as a whole, in one binary: one is built and linked sooner than forty, and runs their tests
//! side by side. `cargo test -p multihop-sim --test suite frn_cures` runs those of one file.

mod common;
mod toy;
mod traced;

mod agents;
mod agents_moved;
mod agreement;
mod arithmetic;
mod atp;
mod bianchi;
mod channel;
mod contention;
mod cures;
mod cures_more;
mod determinism;
mod dsr;
mod energy;
mod errors;
mod flow_control;
mod frn;
mod frn_cures;
mod frn_figures;
mod harms;
mod hidden;
mod hop_rate;
mod interference;
mod measured;
mod mobility;
mod motion_ns2;
mod random_cures;
mod random_scenarios;
mod rate_control;
mod rates;
mod red;
mod transports;
mod walls;
mod walls_air;
mod walls_endpoint;
mod walls_holds;
mod walls_link;
mod walls_routing;
mod walls_shims;
mod walls_signals;
mod walls_slotted;
mod walls_steer;
