//! Parameters of the window rules and of slow start.

use crate::keys;
use crate::units::Dur;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// CUBIC.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CubicConfig {
        /// Whose rules.
        pub rules: CubicRules = CubicRules::Rfc9438,
        /// A flow that loses before it has its old window back gives some of it up (RFC 9438 §4.7).
        pub fast_convergence: bool = true,
        /// What a loss or a mark leaves of the window (RFC 9438 §4.6: 0.7).
        pub beta: f64 = 0.7 => within(0.1, 0.99),
        /// Steepness of the function in segments per second cubed (RFC 9438 §5: 0.4).
        pub c: f64 = 0.4 => within(0.001, 1000.0),
    }
}

/// Whose rules CUBIC follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CubicRules {
    /// The standard's.
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// Those of Linux 6.x, which departs from it in four places.
    Linux,
}

keys! {
    /// HyStart.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct HyStartConfig {
        /// Growth of a round's least round-trip time that ends slow start, as a share of the least of all (Ha & Rhee
        /// 2011 and Linux: an eighth; ns-3.44, by its runs: 1).
        pub growth: f64 = 0.125 => within(0.001, 100.0),
        /// The most of that growth (Linux: 16 ms; ns-3.44: 1 s). The least is 4 ms.
        pub most: Dur = Dur::from_ms(16) => within(Dur::from_ms(4), Dur::from_secs(60)),
        /// Length of a train of ACKs that ends slow start, as a share of the least round trip (Ha & Rhee 2011 and
        /// Linux: a half; ns-3.44, by its runs: 1); twice that where segments leave at a pace (Linux).
        pub train: f64 = 0.5 => within(0.001, 100.0),
        /// Which round-trip times it looks at.
        pub rtt: HyStartRtt = HyStartRtt::Sample,
    }
}

/// Which round-trip times HyStart looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HyStartRtt {
    /// That of each ACK, as far as it tells one. A train may last half a millisecond longer, as ACKs may gather
    /// (Linux).
    Sample,
    /// The smoothed one, with each new ACK; the ACK that ends a round is the last one of it (ns-3.44, by its runs).
    Smoothed,
}

/// What ends slow start besides a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlowStart {
    /// Nothing (RFC 5681 §3.1).
    Standard,
    /// A longer round trip, or a long train of ACKs (HyStart as in Linux).
    #[serde(rename = "hystart")]
    HyStart,
    /// A longer round trip, after five rounds at a quarter of the pace (HyStart++, RFC 9406). In the first slow start
    /// only.
    #[serde(rename = "hystart++")]
    HyStartPlus,
}
