//! Configuration of ATCP.

use crate::keys;
use crate::units::range::MOST;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// ATCP. The defaults are the original; each of its modifications is a key.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AtcpConfig {
        /// Timeouts in a row without a new ACK that TCP never hears of; the next is TCP's. Absent: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub timeout_threshold: Option<u32> = None => if_set(0, MOST),
        /// What is sent again when something was lost.
        pub retransmit: Retransmit = Retransmit::default(),
        /// How the time between probes grows.
        pub probe_back_off: BackOff = BackOff::default(),
        /// What ends a disconnection.
        pub reconnect: Reconnect = Reconnect::default(),
    }
}

/// What is sent again when something was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retransmit {
    /// All that is unacknowledged, at once.
    #[default]
    All,
    /// The first unacknowledged segment, and the next hole when an ACK tells of it.
    FirstLost,
    /// The holes known from SACK, each once a round trip, as the window lets them; needs `tcp.loss = "sack"`.
    Holes,
}

/// How the time between probes grows, from the retransmission timeout to at most 60 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackOff {
    /// It doubles.
    #[default]
    Exponential,
    /// By one timeout each.
    Linear,
}

/// What ends a disconnection. TCP then has a window of one segment, and goes on from what is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reconnect {
    /// An answer to a probe (Sridhara & Subramanya, section 5). What was under way before the probe has arrived by
    /// then, or is lost.
    #[default]
    Answer,
    /// The first that comes from the receiver. TCP then repeats also what is still under way or in the queue.
    Anything,
}
