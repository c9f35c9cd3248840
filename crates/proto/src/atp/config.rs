//! Configuration of ATP. What the paper says is said with each key.

use crate::units::Dur;
use crate::units::range::{Checked, LONGEST, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ATP of every host and relay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AtpConfig {
    /// Whether it carries the flows that would run over TCP; their payload is `tcp.segment` then, and nothing else of
    /// `[tcp]` and `[shim]` acts.
    pub replaces_tcp: bool,
    /// Time between two reports of a receiver; longer than a round trip (the paper's epoch, 1 s).
    pub epoch: Dur,
    /// Time without a report that is a missing one; so long again, and it is the next.
    pub patience: Dur,
    /// Missing reports in a row after which the sender begins anew with a probe.
    pub most_missing: u32,
    /// Weight of what is known already in the averages of relays and receivers.
    pub memory: f64,
    /// How much longer than a lone packet takes one takes among others of its flow: neighbours send in turn (η).
    pub idle_factor: f64,
    /// Time without a packet after which a node is idle.
    pub idle_after: Dur,
    /// Share by which the reported rate must lie above the present one for the sender to go up (φ).
    pub margin: f64,
    /// Part of the difference by which it goes up: one in so many (k).
    pub step: f64,
    /// Most packets that are sent and not acknowledged.
    pub most_outstanding: u32,
}

impl Default for AtpConfig {
    fn default() -> Self {
        Self {
            replaces_tcp: false,
            epoch: Dur::from_secs(1),
            patience: Dur::from_ms(1500),
            most_missing: 3,
            memory: 0.75,
            idle_factor: 3.0,
            idle_after: Dur::from_secs(1),
            margin: 0.1,
            step: 5.0,
            most_outstanding: 512,
        }
    }
}

impl AtpConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let least = Dur::from_ms(1);
        within("epoch", self.epoch, least, LONGEST)?;
        within("patience", self.patience, least, LONGEST)?;
        let rule = format_args!("lie above `atp.epoch`, {}", self.epoch);
        must(self.patience > self.epoch, "patience", self.patience, rule)?;
        within("most-missing", self.most_missing, 1, 1000)?;
        must(
            self.memory >= 0.0 && self.memory < 1.0,
            "memory",
            self.memory,
            "be at least 0 and lie below 1",
        )?;
        within("idle-factor", self.idle_factor, 1.0, 100.0)?;
        within("idle-after", self.idle_after, least, LONGEST)?;
        within("margin", self.margin, 0.0, 10.0)?;
        within("step", self.step, 1.0, 1000.0)?;
        within("most-outstanding", self.most_outstanding, 1, 10_000)
    }
}
