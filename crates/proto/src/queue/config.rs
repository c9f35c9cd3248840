//! Configuration of the interface queue: classes, service, overflow, and what follows a failed transmission.

use crate::units::Bytes;
use crate::units::range::{Checked, MOST, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interface queue between IP and the MAC. Defaults are a plain drop-tail queue of 50 packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueConfig {
    /// How the next packet is chosen.
    pub service: Service,
    /// What makes a class of its own, for `drr`.
    pub class_by: ClassBy,
    /// Packets that the queue holds, over all classes.
    pub limit: u32,
    /// Whether it holds `limit` packets, or one less.
    pub limit_rule: LimitRule,
    /// Bytes that a class may send in its turn, for `drr` (Shreedhar & Varghese 1995: at least the largest packet).
    pub quantum: Bytes,
    /// What happens to a packet whose frame has exhausted the MAC's retries.
    pub on_give_up: OnGiveUp,
    /// With `on-give-up = "keep"`: how often one packet is kept before it is dropped; absent: without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_limit: Option<u32>,
    /// Routing messages go ahead of everything else, as Linux (DSCP CS6) and ns-2 (`PriQueue`) do.
    pub routing_priority: bool,
    /// Which packet is dropped when the queue is full.
    pub overflow: Overflow,
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            service: Service::Fifo,
            class_by: ClassBy::Destination,
            limit: 50,
            limit_rule: LimitRule::UpTo,
            quantum: Bytes(1500),
            on_give_up: OnGiveUp::Drop,
            keep_limit: None,
            routing_priority: true,
            overflow: Overflow::TailOfLongest,
        }
    }
}

impl QueueConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let least = if self.limit_rule == LimitRule::Below { 2 } else { 1 }; // or no packet would ever be taken
        within("limit", self.limit, least, MOST)?;
        within("quantum", self.quantum, Bytes(1), Bytes(1_000_000_000))?;
        self.keep_limit.map_or(Ok(()), |limit| within("keep-limit", limit, 1, MOST))
    }
}

impl QueueConfig {
    /// Packets that the queue holds.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        match self.limit_rule {
            LimitRule::UpTo => self.limit,
            LimitRule::Below => self.limit.saturating_sub(1),
        }
    }
}

/// How many packets a limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitRule {
    /// As many as it says.
    UpTo,
    /// Fewer than it says: ns-2's `DropTail` refuses the packet that would make its length the limit.
    Below,
}

/// How the next packet is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// First in, first out, one class.
    Fifo,
    /// Deficit round robin over the classes (Shreedhar & Varghese, SIGCOMM 1995).
    Drr,
}

/// What makes a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassBy {
    /// The final destination's address.
    Destination,
    /// The next hop's address.
    NextHop,
    /// The flow, each direction apart.
    Flow,
}

/// What happens to a packet whose frame has exhausted the MAC's retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnGiveUp {
    /// It is dropped, as IEEE 802.11 says.
    Drop,
    /// It stays at the head of its class and is offered again in the class's next turn (Ohzahata & Kawashima, §2).
    Keep,
}

/// Which packet is dropped when the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// The last packet of the longest class, the arriving one counted; with one class this is drop-tail.
    TailOfLongest,
    /// The arriving packet.
    Arriving,
}
