//! Choices for round trips and the retransmission timeout (RFC 6298), where ns-2, ns-3 or Linux departs from the RFC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which segments give round-trip samples; never one that may have been sent twice (Karn).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttSamples {
    /// One at a time.
    One,
    /// Every one, as in ns-3: the variation is smaller, and so is the timeout. With `timestamps` each echo counts in
    /// whole, but not those for data that were outstanding at a timeout; with the others it counts for its share of a
    /// round trip (RFC 7323 §4.2).
    Every,
    /// Each ACK gives one, as in Linux: of the first segment that it acknowledges, else of the first that SACK tells
    /// of. Only with `judge = "rack"`; else it is `every`, with shares of echoes.
    Sacked,
}

/// Which retransmissions make void what is being timed (RFC 6298 §3 rules out samples of what was sent twice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttVoid {
    /// Each.
    Retransmission,
    /// None within a recovery, as in ns-2: new data sent in it are timed up to its end, with the repair of what partial
    /// ACKs ask for.
    Loss,
}

/// What the estimator of round trips calculates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoArithmetic {
    /// The time that has passed, rounded to ticks; mean and variation are real numbers.
    Real,
    /// How often the clock has ticked meanwhile, at least once; mean in eighths of a tick, variation in quarters, each
    /// cut to a whole number (Jacobson 1988, appendix A; ns-2).
    Integer,
}

/// How the retransmission timeout grows with each expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum RtoBackOff {
    /// The floor first, then doubled at each expiry until `max-rto` (RFC 6298 §2.4, §5.5; ns-2 since March 2002).
    #[serde(rename = "rfc6298")]
    Rfc6298,
    /// Doubled at most six times, then the floor: with a measured 0.5 s and a floor of 1 s the timeouts are 1, 1, 2, 4
    /// s (ns-2 before March 2002).
    #[serde(rename = "floor-last")]
    FloorLast,
}

/// What starts the retransmission timer afresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoRestart {
    /// A new ACK (RFC 6298 §5.3), and the first repair of a recovery.
    NewAck,
    /// Also a repair of the first unacknowledged segment, and after it SACK of what was sent before. So the timer of a
    /// repair does not run while it waits behind them (Linux). With a judge that marks losses.
    Sack,
    /// A new ACK, of a recovery only the first, with SACK too (ns-3.44, by its runs). A recovery that takes longer than
    /// the timeout ends in one.
    Ns3,
}

/// Which timeouts of one segment set the slow-start threshold to half of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoSsthresh {
    /// Only the first; while the same segment times out again the threshold stays (RFC 5681 §3.1).
    First,
    /// As `first`, and not in fast recovery, which has set it already (Linux).
    OutsideRecovery,
    /// Every one, as in ns-2: after the second the threshold is two segments.
    Every,
}
