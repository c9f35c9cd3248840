//! Configuration of what a station may do beyond the standard.

use crate::keys;
use crate::units::range::must;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Rounds of retries (Hamadani & Rakocevic §V).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RoundsConfig {
        /// How many more whole retry limits a frame has when the first is exhausted; the link has failed after the
        /// last.
        pub extra: u32 = 0 => within(0, 100),
        /// The window with which a further round begins.
        pub window: RoundWindow = RoundWindow::Keep,
        /// Whether `extra` is the most, and the number follows the failures per delivered frame.
        pub adaptive: bool = false,
        /// With `adaptive`: so many failures per frame, on average, or fewer give no further round.
        pub low: f64 = 1.0 => within(0.0, 1000.0),
        /// So many give all of them; between, proportionally.
        pub high: f64 = 3.0,
    }
    also(its) {
        let rule = format_args!("lie above `mac.rounds.low`, {}, and not above 1000", its.low);
        must(its.high > its.low && its.high <= 1000.0, "high", its.high, rule)
    }
}

/// The window with which a further round of retries begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundWindow {
    /// Widened once more, as after every failure.
    Keep,
    /// `cw-min`.
    Reset,
}

keys! {
    /// Adaptive pacing (Fu et al., INFOCOM 2003, §V).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PacingConfig {
        /// Whether a station ever paces.
        pub on: bool = false,
        /// From so many retries per frame on, on average, it does.
        pub threshold: f64 = 1.0 => within(0.0, 1000.0),
        /// Weight of the newest frame in the average.
        pub weight: f64 = 0.125,
    }
    also(its) {
        must(its.weight > 0.0 && its.weight <= 1.0, "weight", its.weight, "lie above 0 and at most be 1")
    }
}

keys! {
    /// Horizontal flow control (Seok, Park & Choi §III-C).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FlowControlConfig {
        /// How a station whose interface queue is full answers an RTS.
        pub rule: FlowRule = FlowRule::Off,
        /// So many flagged CTS of one neighbour in a row, and the next RTS to it is one that it must answer as usual.
        pub most_holds: u32 = 32 => within(1, 1_000_000),
        /// The hold doubles with each flagged CTS in a row, up to so many times the first.
        pub longest_hold: u32 = 8 => within(1, 1000),
    }
}

/// How a station whose interface queue is full answers an RTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowRule {
    /// As ever; the packet that follows is lost.
    Off,
    /// With a CTS that has the More Data bit and reserves nothing: the sender holds its frame.
    FlaggedCts,
    /// Not at all: for the sender an RTS that has collided.
    NoCts,
}
