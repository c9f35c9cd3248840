//! The data link of the Flexible Radio Network: slots, relay echo in the place of acknowledgements, retransmission
//! after a random number of slots; and what was proposed for TCP over it.
//!
//! Source: T. Yuki, master's thesis, Osaka University 2004, sections 2.2.1, 3.2 and 4.2. The model's page says which
//! reading of it each parameter takes.
//!
//! ```text
//!           slot t      t + 1           t + 2
//!  node 0   sends  ──►  hears its echo
//!  node 1               sends it on ──► hears its echo
//!  node 2 (its end)                     answers with an FRN ACK
//! ```

mod airtimes;
mod clock;
mod config;
mod counters;
mod entry;
mod hear;
mod held;
mod history;
mod interval;
mod link;
mod machine;
mod memory;
mod settle;
mod slot_header;
#[cfg(test)]
mod tests;
mod transmit;
mod turn;
mod unmet;
pub mod wire;

pub use clock::Clock;
pub use config::{FrnConfig, Interval, LifetimeStart, NextHop, Postpone, Queues};
pub use counters::Counters;
pub use history::{History, Record};
pub use machine::Frn;
pub use slot_header::SlotHeader;
