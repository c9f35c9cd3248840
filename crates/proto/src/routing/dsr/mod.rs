//! Dynamic Source Routing (RFC 4728): routes stand in the packets, and are searched for when they are needed.

mod cache;
mod config;
mod counters;
mod delayed;
mod discovery;
mod flows;
mod known;
mod links;
mod machine;
mod maintenance;
mod overhear;
mod paths;
mod requests;
mod source_route;
mod timer;
mod waiting;
mod wire;

pub use config::{CacheKind, DsrConfig, DsrWire, Learn, RerrPer, RreqSize};
pub use counters::Counters;
pub use machine::Dsr;
pub use wire::{FlowHeader, Header, Request, RouteError, SourceRoute, Trouble};

#[cfg(test)]
mod tests;
