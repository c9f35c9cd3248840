//! Configuration of loss detection.

use crate::units::range::{Checked, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who says that a segment is lost, or that a loss is no congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossDetectorKind {
    /// What `loss` names, at once (RFC 5681 §3.2, RFC 6675 §5).
    #[default]
    Standard,
    /// The same, a round trip later: time for the link layer to repair it (TCP-DCR, Bhandarkar et al. 2004; E-DCR,
    /// Hamadani & Rakocevic §V).
    Dcr,
    /// Several losses in one window are congestion, fewer are repaired and no more (k-SACK, Chrungoo et al. 2001); for
    /// `loss = "sack"`.
    KSack,
    /// What `loss` names, and the receiver says what it is (Fu et al., ICNP 2002); with `shim.kind = "adtcp"`.
    Adtcp,
}

/// TCP-DCR.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DcrConfig {
    /// For how many smoothed round-trip times after the first duplicate ACK no loss is believed in.
    pub round_trips: f64,
    /// Whether each duplicate ACK meanwhile lets a new segment out; otherwise as `limited-transmit` says.
    pub send_new: bool,
}

impl Default for DcrConfig {
    fn default() -> Self {
        Self { round_trips: 1.0, send_new: true }
    }
}

impl DcrConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("round-trips", self.round_trips, 0.0, 100.0)
    }
}

/// k-SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KSackConfig {
    /// Losses within one window from the first on that are congestion; 1: every loss.
    pub losses: u32,
}

impl Default for KSackConfig {
    fn default() -> Self {
        Self { losses: 2 }
    }
}

impl KSackConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("losses", self.losses, 1, 1000)
    }
}
