//! Configuration of the interface queue: classes, service, overflow, and what follows a failed transmission.

use super::airtime::AirtimeConfig;
use super::codel::CoDelConfig;
use super::link_red::LinkRedConfig;
use super::pie::PieConfig;
use super::red::RedConfig;
use crate::keys;
use crate::units::range::{MOST, must, within};
use crate::units::{Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// The interface queue between IP and the MAC. Defaults are a plain drop-tail queue of 50 packets.
    #[derive(Clone, Debug, PartialEq)]
    pub struct QueueConfig {
        /// How the next packet is chosen.
        pub service: Service = Service::Fifo,
        /// What makes a class of its own, for `drr`, `fq`, `airtime` and `priority`. With `airtime` the next hop does
        /// so besides.
        pub class_by: ClassBy = ClassBy::Destination,
        /// Flows are hashed into so many classes, for `class-by = "flow"` (RFC 8290 §4.1: 1024); absent: each has its
        /// own.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub queues: Option<u32> = None => if_set(1, 65_536),
        /// Seed of that hash.
        pub hash_seed: u64 = 0,
        /// Packets that the queue holds, over all classes.
        pub limit: u32 = 50,
        /// Bytes that the queue holds, over all classes, besides `limit`; absent: any number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit_bytes: Option<Bytes> = None => if_set(Bytes(1), Bytes(u32::MAX)),
        /// Packets that may wait in one class, for `drr`, `fq`, `airtime` and `priority`: one more is dropped; absent:
        /// as many as `limit`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub class_limit: Option<u32> = None => if_set(1, MOST),
        /// Whether it holds `limit` packets, or one less, and whether packets in service count.
        pub limit_rule: LimitRule = LimitRule::UpTo,
        /// Bytes that a class may send in its turn, for `drr`, `fq` and `airtime` (Shreedhar & Varghese 1995: at least
        /// the largest packet; RFC 8290 §5.2.4: 300 on slow links).
        pub quantum: Bytes = Bytes(1500) => within(Bytes(1), Bytes(1_000_000_000)),
        /// What happens to a packet whose frame has exhausted the MAC's retries.
        pub on_give_up: OnGiveUp = OnGiveUp::Drop,
        /// With `on-give-up = "keep"`: how often one packet is kept before it is dropped; absent: without limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub keep_limit: Option<u32> = None => if_set(1, MOST),
        /// Routing messages go ahead of everything else, as Linux (DSCP CS6) and ns-2 (`PriQueue`) do; `priority` has a
        /// class for them instead.
        pub routing_priority: bool = true,
        /// In which order routing messages with priority go.
        pub routing_order: RoutingOrder = RoutingOrder::Fifo,
        /// Which packet is dropped when the queue is full.
        pub overflow: Overflow = Overflow::TailOfLongest,
        /// What tells senders of congestion before the queue is full.
        pub aqm: AqmKind = AqmKind::Tail,
        /// Whether one AQM stands for the whole queue, or one for each class.
        pub aqm_by: AqmBy = AqmBy::Queue,
        /// Random early detection, for `aqm = "red"`.
        pub red: RedConfig = RedConfig::default() => inside,
        /// Link RED, for `aqm = "link-red"`.
        pub link_red: LinkRedConfig = LinkRedConfig::default() => inside,
        /// Controlled delay, for `aqm = "codel"`.
        pub codel: CoDelConfig = CoDelConfig::default() => inside,
        /// Airtime fairness, for `service = "airtime"`.
        pub airtime: AirtimeConfig = AirtimeConfig::default() => inside,
        /// PIE, for `aqm = "pie"`.
        pub pie: PieConfig = PieConfig::default() => inside,
    }
    also(its) {
        let least = if its.limit_rule == LimitRule::Below { 2 } else { 1 };
        // or no packet would ever be taken
        within("limit", its.limit, least, MOST)?;
        let ranked = its.service != Service::Priority || its.class_by == ClassBy::Kind;
        let rule = "be `kind` with `service = \"priority\"`: other classes have no rank";
        must(ranked, "class-by", its.class_by.label(), rule)
    }
}

impl QueueConfig {
    /// What would have to be set for a key of the section to mean something, if it does not now.
    #[must_use]
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let classes = self.service.has_classes();
        let (used, needed) = match key.split('.').next().unwrap_or(key) {
            "class-by" | "class-limit" => {
                (classes, "queue.service = \"drr\", \"fq\", \"airtime\" or \"priority\"")
            }
            "queues" => (
                classes && self.class_by == ClassBy::Flow,
                "queue.class-by = \"flow\" and queue.service = \"drr\", \"fq\" or \"airtime\"",
            ),
            "hash-seed" => (
                classes && self.class_by == ClassBy::Flow && self.queues.is_some(),
                "queue.queues and what that needs",
            ),
            "quantum" => (self.service.has_turns(), "queue.service = \"drr\", \"fq\" or \"airtime\""),
            "airtime" => (self.service == Service::Airtime, "queue.service = \"airtime\""),
            "aqm-by" => {
                (self.aqm != AqmKind::Tail, "queue.aqm = \"red\", \"link-red\", \"codel\" or \"pie\"")
            }
            "red" => (self.aqm == AqmKind::Red, "queue.aqm = \"red\""),
            "link-red" => (self.aqm == AqmKind::LinkRed, "queue.aqm = \"link-red\""),
            "codel" => (self.aqm == AqmKind::Codel, "queue.aqm = \"codel\""),
            "pie" => (self.aqm == AqmKind::Pie, "queue.aqm = \"pie\""),
            "routing-order" => (self.routing_priority, "queue.routing-priority = true"),
            _ => return None,
        };
        (!used).then_some(needed)
    }

    /// Waiting time that is accepted for good, where packets are dropped once each has waited longer.
    #[must_use]
    pub fn accepted_wait(&self) -> Option<Dur> {
        (self.aqm == AqmKind::Codel).then_some(self.codel.target)
    }

    /// Packets that the queue holds.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        match self.limit_rule {
            LimitRule::UpTo | LimitRule::InService => self.limit,
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
    /// As many as it says, and those that the MAC sends count until they are acknowledged or given up: ns-3's
    /// `WifiMacQueue`.
    InService,
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
    /// Flow queueing over the classes: deficit round robin, and a class that begins to wait goes first (RFC 8290).
    Fq,
    /// Airtime fairness: next hops take turns by the time on the air that frames to and from them need, and the classes
    /// of each as with `fq` (Høiland-Jørgensen et al. 2017; Linux's mac80211).
    Airtime,
    /// Deficit round robin over the classes (Shreedhar & Varghese, SIGCOMM 1995).
    Drr,
    /// The first class, in the order of their ranks, that is not empty (strict priority); for `class-by = "kind"`.
    Priority,
}

impl Service {
    /// Whether packets have classes.
    #[must_use]
    pub const fn has_classes(self) -> bool {
        !matches!(self, Self::Fifo)
    }

    /// Whether classes take turns.
    #[must_use]
    pub const fn has_turns(self) -> bool {
        matches!(self, Self::Drr | Self::Fq | Self::Airtime)
    }
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
    /// Controlled delay (RFC 8289): heads are marked or dropped while all have waited for too long.
    Codel,
    /// PIE (RFC 8033): packets are marked or dropped with a probability that follows the waiting time.
    Pie,
}

/// What has an AQM of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AqmBy {
    /// The queue as a whole.
    Queue,
    /// Each class.
    Class,
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
    /// The first packets of the class with most bytes: half of those that wait there, but no more than 64 (RFC 8290
    /// §4.1).
    HeadOfFattest,
}
