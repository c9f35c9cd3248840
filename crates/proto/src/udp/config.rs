//! Configuration of UDP.

use crate::units::Bytes;
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
