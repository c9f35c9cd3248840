//! The 802.11 distributed coordination function, cut into small machines: [`Access`] (when may I send), [`Dcf`] (what
//! is being exchanged), [`Retry`] and [`Rounds`] (how often to try again), [`DuplicateFilter`], [`Times`].

mod access;
mod aggregate;
mod answers;
mod counters;
mod duplicate;
mod exchange;
mod flow_control;
mod initiate;
mod job;
mod mac;
mod machine;
mod nav_doze;
mod opportunity;
mod pacing;
mod protection;
mod rates;
mod respond;
mod retry;
mod rounds;
mod sequence;
#[cfg(test)]
mod tests;
mod times;

pub use access::{Access, AccessRules, Alone, BackOff, Medium, Others};
pub use answers::Answer;
pub use duplicate::DuplicateFilter;
pub(in crate::mac) use job::Job;
pub use machine::Dcf;

pub(in crate::mac) use protection::Guard;
pub use protection::ProtectionCounters;
pub use retry::Retry;
pub use rounds::Rounds;
pub use times::Times;
