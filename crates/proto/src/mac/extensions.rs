//! Configuration of what a station may do beyond the standard.

use crate::units::range::{Checked, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rounds of retries (Hamadani & Rakocevic §V).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RoundsConfig {
    /// How many more whole retry limits a frame has when the first is exhausted; the link has failed after the last.
    pub extra: u32,
    /// The window with which a further round begins.
    pub window: RoundWindow,
    /// Whether `extra` is the most, and the number follows the failures per delivered frame.
    pub adaptive: bool,
    /// With `adaptive`: so many failures per frame, on average, or fewer give no further round.
    pub low: f64,
    /// So many give all of them; between, proportionally.
    pub high: f64,
}

impl Default for RoundsConfig {
    fn default() -> Self {
        Self { extra: 0, window: RoundWindow::Keep, adaptive: false, low: 1.0, high: 3.0 }
    }
}

impl RoundsConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("extra", self.extra, 0, 100)?;
        within("low", self.low, 0.0, 1000.0)?;
        let rule = format_args!("lie above `mac.rounds.low`, {}, and not above 1000", self.low);
        must(self.high > self.low && self.high <= 1000.0, "high", self.high, rule)
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

/// Adaptive pacing (Fu et al., INFOCOM 2003, §V).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PacingConfig {
    /// Whether a station ever paces.
    pub on: bool,
    /// From so many retries per frame on, on average, it does.
    pub threshold: f64,
    /// Weight of the newest frame in the average.
    pub weight: f64,
}

impl Default for PacingConfig {
    fn default() -> Self {
        Self { on: false, threshold: 1.0, weight: 0.125 }
    }
}

impl PacingConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("threshold", self.threshold, 0.0, 1000.0)?;
        must(self.weight > 0.0 && self.weight <= 1.0, "weight", self.weight, "lie above 0 and at most be 1")
    }
}

/// Horizontal flow control (Seok, Park & Choi §III-C).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlowControlConfig {
    /// How a station whose interface queue is full answers an RTS.
    pub rule: FlowRule,
    /// So many flagged CTS of one neighbour in a row, and the next RTS to it is one that it must answer as usual.
    pub most_holds: u32,
    /// The hold doubles with each flagged CTS in a row, up to so many times the first.
    pub longest_hold: u32,
}

impl Default for FlowControlConfig {
    fn default() -> Self {
        Self { rule: FlowRule::Off, most_holds: 32, longest_hold: 8 }
    }
}

impl FlowControlConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("most-holds", self.most_holds, 1, 1_000_000)?;
        within("longest-hold", self.longest_hold, 1, 1000)
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
