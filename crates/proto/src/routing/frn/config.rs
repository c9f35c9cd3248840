//! Parameters of FRN's routing.

use crate::units::Dur;
use crate::units::range::{Checked, must, period, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Routing of the Flexible Radio Network (Yuki 2004, sections 2.1 and 2.2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FrnRoutingConfig {
    /// Configuration control cycle: how often a node sends its shortest relay counts. 0: never; the tables are those that
    /// long exchange would have left, computed once, as in runs in which the cycle is too long to matter.
    pub cycle: Dur,
    /// Cycles over which the reliability of a neighbour is counted: X of the thesis, at most 32.
    pub reliability_window: u32,
    /// A node is a neighbour while the share of its control packets that arrived is above this; below 1.
    pub reliability_threshold: f64,
}

impl Default for FrnRoutingConfig {
    fn default() -> Self {
        Self { cycle: Dur::ZERO, reliability_window: 8, reliability_threshold: 0.5 }
    }
}

impl FrnRoutingConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        period("cycle", self.cycle)?;
        within("reliability-window", self.reliability_window, 1, 32)?;
        let (key, share) = ("reliability-threshold", self.reliability_threshold);
        let rule = "be 0 or more and below 1: a neighbour is whose share of control packets is above it, and none is above 1";
        must((0.0..1.0).contains(&share), key, share, rule)
    }
}
