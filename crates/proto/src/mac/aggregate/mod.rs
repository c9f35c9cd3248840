//! Aggregation: A-MPDUs of one neighbour with immediate block ack (IEEE 802.11-2020 §9.7, §10.12, §10.25), and A-MSDUs
//! (§9.3.2.2, §10.11).
//!
//! [`Originator`] is the window of a neighbour that is sent to, [`Recipient`] scoreboard and reordering buffer of one
//! that is received from, [`Limits`] says how much a frame may carry. [`Recipients`] is the receiving side of
//! a station, [`Turn`] its transmit opportunity; [`Aggregation`] has both, and the windows. The DCF has the exchange.
//!
//! An agreement counts as made when the first frame of a neighbour arrives: it begins with the first number of that
//! frame, as the request for it would say.

mod agreement;
mod amsdu;
mod by_category;
mod config;
mod fates;
mod lengths;
mod limits;
mod number;
mod originator;
mod peer;
mod recipient;
mod recipients;
mod rules;
mod singles;
mod station;
#[cfg(test)]
mod tests;
mod turn;

pub use by_category::CategoryCounters;
pub use config::{AfterMissed, AggregationConfig, GivesUp};
pub use fates::{Departing, Fates};
pub(super) use lengths::{ANNOUNCED, ANNOUNCED_HT, LONGEST_HT, SHORTEST};
pub use limits::{Limits, Load};
pub use originator::{Msdu, Originator, Pending};
pub use peer::{Peer, PeerCounters};
pub use recipient::{Reception, Recipient};
pub use recipients::{RecipientCounters, Recipients};
pub use rules::{Opportunity, Rule, Rules};
pub use station::{Aggregation, AggregationCounters};
pub use turn::{Turn, UnderWay};
