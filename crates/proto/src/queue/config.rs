//! Configuration of the interface queue: classes, service, overflow, and what follows a failed transmission.

use super::link_red::LinkRedConfig;
use super::red::RedConfig;
use crate::units::Bytes;
use crate::units::range::{Checked, MOST, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interface queue between IP and the MAC. Defaults are a plain drop-tail queue of 50 packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueConfig {
    /// How the next packet is chosen.
    pub service: Service,
    /// What makes a class of its own, for `drr` and `priority`.
    pub class_by: ClassBy,
    /// Packets that the queue holds, over all classes.
    pub limit: u32,
    /// Packets that may wait in one class, for `drr` and `priority`: one more is dropped; absent: as many as `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_limit: Option<u32>,
    /// Whether it holds `limit` packets, or one less.
    pub limit_rule: LimitRule,
    /// Bytes that a class may send in its turn, for `drr` (Shreedhar & Varghese 1995: at least the largest packet).
    pub quantum: Bytes,
    /// What happens to a packet whose frame has exhausted the MAC's retries.
    pub on_give_up: OnGiveUp,
    /// With `on-give-up = "keep"`: how often one packet is kept before it is dropped; absent: without limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_limit: Option<u32>,
    /// Routing messages go ahead of everything else, as Linux (DSCP CS6) and ns-2 (`PriQueue`) do; `priority` has a
    /// class for them instead.
    pub routing_priority: bool,
    /// In which order routing messages with priority go.
    pub routing_order: RoutingOrder,
    /// Which packet is dropped when the queue is full.
    pub overflow: Overflow,
    /// What tells senders of congestion before the queue is full.
    pub aqm: AqmKind,
    /// Random early detection, for `aqm = "red"`.
    pub red: RedConfig,
    /// Link RED, for `aqm = "link-red"`.
    pub link_red: LinkRedConfig,
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            service: Service::Fifo,
            class_by: ClassBy::Destination,
            limit: 50,
            class_limit: None,
            limit_rule: LimitRule::UpTo,
            quantum: Bytes(1500),
            on_give_up: OnGiveUp::Drop,
            keep_limit: None,
            routing_priority: true,
            routing_order: RoutingOrder::Fifo,
            overflow: Overflow::TailOfLongest,
            aqm: AqmKind::Tail,
            red: RedConfig::default(),
            link_red: LinkRedConfig::default(),
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
        self.keep_limit.map_or(Ok(()), |limit| within("keep-limit", limit, 1, MOST))?;
        self.class_limit.map_or(Ok(()), |limit| within("class-limit", limit, 1, MOST))?;
        let ranked = self.service != Service::Priority || self.class_by == ClassBy::Kind;
        let rule = "be `kind` with `service = \"priority\"`: other classes have no rank";
        must(ranked, "class-by", self.class_by.label(), rule)?;
        self.red.check().map_err(|wrong| wrong.inside("red"))?;
        self.link_red.check().map_err(|wrong| wrong.inside("link-red"))
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

/// In which order routing messages with priority go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingOrder {
    /// First come, first served.
    Fifo,
    /// Each goes to the head of the queue: last come, first served (ns-2's `PriQueue`).
    Lifo,
}

/// How the next packet is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// First in, first out, one class.
    Fifo,
    /// Deficit round robin over the classes (Shreedhar & Varghese, SIGCOMM 1995).
    Drr,
    /// The first class, in the order of their ranks, that is not empty (strict priority); for `class-by = "kind"`.
    Priority,
}

/// What tells senders of congestion before the queue is full (RFC 7567).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AqmKind {
    /// Nothing: packets are lost when there is no room (drop-tail).
    Tail,
    /// Random early detection (Floyd & Jacobson 1993): packets are marked, or dropped, with a probability that grows
    /// with the average length.
    Red,
    /// Link RED (Fu et al. 2003): with one that grows with the MAC's retries.
    LinkRed,
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
    /// What it carries: routing messages; signals; TCP segments towards the source (ACKs); the rest. Ranks are in this
    /// order.
    Kind,
}

impl ClassBy {
    const fn label(self) -> &'static str {
        match self {
            Self::Destination => "destination",
            Self::NextHop => "next-hop",
            Self::Flow => "flow",
            Self::Kind => "kind",
        }
    }
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
