//! Configuration of UDP.

use crate::units::Bytes;
use crate::units::range::{Checked, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// UDP of every host (RFC 768).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct UdpConfig {
    /// Payload of a datagram, unless the flow says its own.
    pub packet: Bytes,
}

impl Default for UdpConfig {
    fn default() -> Self {
        // As much as a TCP segment carries, so that both use the air alike.
        Self { packet: Bytes(1460) }
    }
}

impl UdpConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("packet", self.packet, Bytes(1), Bytes(65_507))
    }
}
