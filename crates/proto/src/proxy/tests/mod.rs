//! Agents, each transition of their diagrams.

mod contract;
mod eln;
mod i_tcp;
mod rig;
mod snoop;
mod split_tcp;
