//! Which keys of `[air]` mean nothing under the others.

use super::{AirConfig, Fading, Propagation, Reception};

/// Keys about how power falls with distance. Listed links have no places, and their powers are the thresholds.
const OF_PLACES: [&str; 12] = [
    "propagation",
    "path-loss-exponent",
    "reference-distance",
    "shadowing",
    "fading",
    "rician-k",
    "frequency",
    "tx-power",
    "antenna-height",
    "range",
    "sense-range",
    "interference-range",
];

impl AirConfig {
    /// Whether a key of the section is about how power falls with distance.
    pub fn is_of_places(key: &str) -> bool {
        OF_PLACES.contains(&key)
    }

    /// What would have to be set for a key of the section to mean something, if it does not now.
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let (used, needed) = match key {
            "range" | "sense-range" | "interference-range" => {
                (self.propagation == Propagation::Disk, "air.propagation = \"disk\"")
            }
            "path-loss-exponent" | "reference-distance" => {
                (self.propagation == Propagation::LogDistance, "air.propagation = \"log-distance\"")
            }
            "rician-k" => (self.fading == Fading::Rician, "air.fading = \"rician\""),
            "capture" => (
                self.reception == Reception::Ns2 || self.late_capture,
                "air.reception = \"ns2\" or air.late-capture = true",
            ),
            "sinr-threshold" | "lock-time" | "late-capture" | "error-curve" | "interference-floor" => {
                (self.reception == Reception::Sinr, "air.reception = \"sinr\"")
            }
            _ => return None,
        };
        (!used).then_some(needed)
    }
}
