//! Configuration of hop-by-hop rate control.

use crate::units::Dur;
use crate::units::range::{Checked, LONGEST, MOST, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hop-by-hop rate control. The paper is not at hand but for what others say of it; the rule and its values are ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HopRateConfig {
    /// Whether nodes control the rates of TCP segments with payload.
    pub on: bool,
    /// Segments of a flow that shall wait in the next node.
    pub target: f64,
    /// Time in which a queue that is too long, or too short, shall have come to the target.
    pub time: Dur,
    /// Time between two settings of the rates.
    pub tick: Dur,
    /// Least rate of a flow that the next node may ask for \[segments/s\].
    pub least: f64,
    /// Segments that may wait for their turn in one node; what comes then is lost.
    pub buffer: u32,
}

impl Default for HopRateConfig {
    fn default() -> Self {
        Self {
            on: false,
            target: 3.0,
            time: Dur::from_ms(500),
            tick: Dur::from_ms(100),
            least: 1.0,
            buffer: 50,
        }
    }
}

impl HopRateConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("target", self.target, 0.0, f64::from(MOST))?;
        within("time", self.time, Dur::from_ms(1), LONGEST)?;
        within("tick", self.tick, Dur::from_ms(1), LONGEST)?;
        must(
            self.least > 0.0 && self.least <= 1e6,
            "least",
            self.least,
            "lie above 0 and not above 1000000",
        )?;
        within("buffer", self.buffer, 1, MOST)
    }
}
