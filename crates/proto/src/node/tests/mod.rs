//! Whole nodes: how layers meet, any input, and the walls of the architecture, proved by throw-away machines.

mod agents;
mod flood;
mod hop_rate;
mod layers;
mod parts;
mod random;
mod resolve;
mod rig;
mod wakes;
mod wall_agent;
mod wall_gate;
mod wall_power;
mod wall_proxy;
mod wall_shim;
