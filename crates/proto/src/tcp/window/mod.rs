//! Window rules: how the congestion window reacts. One file a rule; [`Congestion`] is the state they share, and
//! [`WindowRule`] the contract.

mod bbr;
mod bbr_draft;
pub mod config;
mod contract;
mod control;
mod cubic;
mod cubic_linux;
mod dctcp;
mod delay;
mod fixed;
mod hystart;
mod hystart_plus;
mod newreno;
mod phase;
mod reno;
mod set;
mod slow_start;
mod state;
mod tahoe;
#[cfg(test)]
mod tests;
mod vegas;
mod veno;
mod westwood;
mod windowed;

pub use bbr::{Bbr, Mode};
pub use bbr_draft::{BbrDraft, State};
pub use contract::{AckSample, MarkSample, PathSample, RuleView, WindowRule};
pub use control::Control;
pub use cubic::Cubic;
pub use fixed::Fixed;
pub use newreno::NewReno;
pub use phase::Phase;
pub use reno::Reno;
pub use set::{AnyWindowRule, Bounded, phases};
pub use slow_start::Counters as SlowStartCounters;
pub use state::{Congestion, LossResponse, PartialAck};
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;
