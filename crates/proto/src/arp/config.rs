//! Configuration of address resolution.

use crate::units::Dur;
use crate::units::range::{Checked, LONGEST, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether nodes have to ask for the link-layer addresses of their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArpKind {
    /// Every node knows the address of every other.
    #[default]
    Off,
    /// They ask, and one packet a neighbour waits for the answer: the latest (RFC 1122 §2.3.2.2). A request is sent when
    /// a packet comes, and never of its own accord.
    Hold,
}

/// Address resolution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ArpConfig {
    /// Whether there is any.
    pub kind: ArpKind,
    /// Requests for one neighbour without an answer; the packet that comes after them, and the one that waits, are given
    /// up as if the link had broken, and counting begins anew. As `ARP_MAX_REQUEST_COUNT` of ns-2.35.
    pub requests: u32,
    /// What a request, a reply and a packet that has its address take on their way to the queue.
    pub delay: Dur,
    /// An address is asked for again so long after it was last learned; `"0 s"`: never.
    pub lifetime: Dur,
}

impl Default for ArpConfig {
    fn default() -> Self {
        Self { kind: ArpKind::Off, requests: 3, delay: Dur::from_us(5), lifetime: Dur::ZERO }
    }
}

impl ArpConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("requests", self.requests, 1, 1_000)?;
        within("delay", self.delay, Dur::ZERO, Dur::from_secs(1))?;
        let lives = self.lifetime == Dur::ZERO || self.lifetime >= Dur::from_ms(1);
        must(lives, "lifetime", self.lifetime, "be 0 s (for ever) or at least 1 ms")?;
        within("lifetime", self.lifetime, Dur::ZERO, LONGEST)
    }
}
