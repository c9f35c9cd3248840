//! The air: which node hears which ([`Links`]), at what power ([`path_loss`]), and what a radio makes of overlapping
//! signals ([`ns2`], [`sinr`]) and of bit errors ([`errors`]), and what that costs ([`energy`]). Machines of nodes are
//! in `multihop-proto`; `multihop-sim` lets both meet.
#![forbid(unsafe_code)]

mod bit_errors;
mod burst;
mod channel;
pub mod config;
mod course;
mod curve;
mod dsss;
pub mod energy;
mod errors;
mod etx;
mod field;
mod findings;
mod geometry;
mod link;
mod links;
mod motion;
mod neighbourhood;
mod ns2;
mod ofdm;
mod ofdm_table;
mod propagation;
mod radio;
mod radios;
mod range;
mod sinr;
mod table;
mod unmet;

pub use burst::{BurstConfig, Bursts};
pub use channel::Channel;
pub use config::*;
pub use curve::{least_ratio, mpdu_spans, payload_survives};
pub use energy::{EnergyConfig, EnergyMeter, RadioState, StateTimes};
pub use errors::{ErrorModel, Harm, Jam, Struck, least_power, undamaged};
pub use etx::{ETX, etx};
pub use findings::Findings;
pub use geometry::Position;
pub use link::Link;
pub use links::Links;
pub use motion::{Motion, Waypoint};
pub use ns2::Ns2Radio;
pub use propagation::{free_space, path_loss, two_ray};
pub use radio::{Arrival, Ending, SignalStart};
pub use radios::{Radios, SinrRadios};
pub use range::{parts, receive_range};
pub use sinr::SinrRadio;
pub use table::{LinkTable, ListedLink};
