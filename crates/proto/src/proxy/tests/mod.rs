//! Agents, each transition of their diagrams.

mod i_tcp;
mod rig;
mod split_tcp;
