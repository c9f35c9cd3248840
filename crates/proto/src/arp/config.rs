//! Configuration of address resolution.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, must};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether nodes have to ask for the link-layer addresses of their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArpKind {
    /// Every node knows the address of every other.
    #[default]
    Off,
    /// Nodes ask. The latest packet for each neighbour waits for the answer (RFC 1122 §2.3.2.2). A node sends a request
    /// only when it has a packet to send.
    Hold,
}

keys! {
    /// Address resolution.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ArpConfig {
        /// Whether there is any.
        pub kind: ArpKind = ArpKind::Off,
        /// Requests for one neighbour without an answer; the packet that comes after them, and the one that waits, are
        /// given up as if the link had broken, and counting begins anew. As `ARP_MAX_REQUEST_COUNT` of ns-2.35.
        pub requests: u32 = 3 => within(1, 1_000),
        /// What a request, a reply and a packet that has its address take on their way to the queue.
        pub delay: Dur = Dur::from_us(5) => within(Dur::ZERO, Dur::from_secs(1)),
        /// An address is asked for again so long after it was last learned; `"0 s"`: never.
        pub lifetime: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
    }
    also(its) {
        let lives = its.lifetime == Dur::ZERO || its.lifetime >= Dur::from_ms(1);
        must(lives, "lifetime", its.lifetime, "be 0 s (for ever) or at least 1 ms")
    }
}
