//! Configuration of AODV: the parameters of RFC 3561 §10, and a key for each rule in which ns-2.35 departs from it.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST, must, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Ad hoc on-demand distance vector. Defaults are those of RFC 3561, with the link layer telling of failures.
    #[derive(Clone, Debug, PartialEq)]
    pub struct AodvConfig {
        /// What the simulated length of a message counts: its bytes with UDP and IPv4, or what ns-2 counts. The bytes
        /// are those of the RFC in any case.
        pub wire: WireSize = WireSize::Rfc,
        /// What the agent adds to data packets.
        pub header: DataHeader = DataHeader::None,
        /// How a node finds out that a neighbour is gone.
        pub link_detection: LinkDetection = LinkDetection::LinkLayer,
        /// ACTIVE_ROUTE_TIMEOUT: a route that is not used this long expires.
        pub active_timeout: Dur = Dur::from_secs(3) => span,
        /// MY_ROUTE_TIMEOUT: the lifetime that a destination gives in its replies.
        pub my_route_timeout: Dur = Dur::from_secs(6) => span,
        /// How long the way back to the node that asks stands at least; 0: the formula of RFC 3561 §6.5.
        pub reverse_life: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
        /// How long what is known of a broken route is remembered (DELETE_PERIOD); 0: for ever.
        pub delete_period: Dur = Dur::from_secs(15) => within(Dur::ZERO, LONGEST),
        /// Which entries the use of a route refreshes.
        pub refresh: Refresh = Refresh::All,
        /// Expired routes and waits for replies are checked at multiples of this time only; 0: exactly when they end.
        pub purge: Dur = Dur::ZERO => period,
        /// Lifetimes in replies are rounded down to multiples of this.
        pub lifetime_unit: Dur = Dur::from_ms(1) => span,
        /// NET_DIAMETER: the most hops between two nodes.
        pub diameter: u8 = 35 => within(1, 255),
        /// NODE_TRAVERSAL_TIME: how long a packet takes for one hop, queues included.
        pub node_traversal: Dur = Dur::from_ms(40) => span,
        /// TIMEOUT_BUFFER: hops that the wait for a reply adds to the ring searched.
        pub timeout_buffer: u8 = 2,
        /// TTL_START: hop limit of a first request.
        pub ttl_start: u8 = 1,
        /// TTL_INCREMENT: what each further request adds.
        pub ttl_increment: u8 = 2 => within(1, 255),
        /// TTL_THRESHOLD: the widest ring before the whole network is asked.
        pub ttl_threshold: u8 = 7,
        /// The hop limit of requests.
        pub first_ttl: FirstTtl = FirstTtl::Start,
        /// How long a node waits for a reply.
        pub rreq_wait: RreqWait = RreqWait::Fixed,
        /// RREQ_RETRIES: requests through the whole network after the first.
        pub rreq_retries: u32 = 2 => within(0, 16),
        /// After a search without a reply, time until the next request for that destination.
        pub rreq_hold: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
        /// RREQ_RATELIMIT: most requests that a node makes in a second; 0: no limit.
        pub rreq_limit: u32 = 10 => within(0, MOST),
        /// How long a node remembers a request, to ignore further copies (PATH_DISCOVERY_TIME).
        pub rreq_memory: Dur = Dur::from_ms(5_600) => span,
        /// Requests are forgotten at multiples of this time only; 0: exactly.
        pub rreq_memory_tick: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
        /// A node forwards requests and errors after a random delay of at most this.
        pub broadcast_jitter: Dur = Dur::from_ms(10) => within(Dur::ZERO, LONGEST),
        /// Delay of a message between routing and the interface queue. In ns-2.35 the link layer between them takes 25
        /// us: after a give-up the MAC takes the next packet before the error message is in the queue.
        pub message_delay: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
        /// Own sequence numbers: as the RFC says, or even ones that rise by two with each request and each broken link.
        pub sequence: Sequencing = Sequencing::Rfc,
        /// Whether each message makes a route to the neighbour that sent it (RFC 3561 §6.5, §6.7).
        pub neighbour_routes: bool = true,
        /// Whether a node accepts a reply with the sequence number that it knows, if the route is broken (RFC 3561
        /// §6.7, iii).
        pub accept_equal_if_broken: bool = true,
        /// Whether a node replies to a request when its own route leads through the neighbour that asks.
        pub reply_through_asker: bool = false,
        /// Requests say that only the destination may reply (D flag).
        pub destination_only: bool = false,
        /// Requests ask a node that answers from its table to tell the destination too (G flag, gratuitous replies).
        pub gratuitous: bool = false,
        /// Replies ask for an acknowledgment (A flag); the node that does not give one is on the blacklist.
        pub rrep_ack: bool = false,
        /// Whether a reply that the MAC gives up puts the neighbour on the blacklist (RFC 3561 §6.8).
        pub rrep_feedback: bool = true,
        /// How a relay mends a route itself.
        pub local_repair: LocalRepair = LocalRepair::Rfc,
        /// Which nodes get an error message when a route breaks.
        pub rerr: RerrRule = RerrRule::Precursors,
        /// RERR_RATELIMIT: errors that a node sends a second at most; 0: no limit.
        pub rerr_limit: u32 = 10 => within(0, MOST),
        /// What becomes of packets in the interface queue for a neighbour that is gone.
        pub on_break: OnBreak = OnBreak::Keep,
        /// Whether a node that comes back sends no request or reply for DELETE_PERIOD (RFC 3561 §6.13).
        pub reboot_wait: bool = true,
        /// HELLO_INTERVAL, where hellos are sent.
        pub hello_interval: Dur = Dur::from_secs(1) => within(Dur::from_ms(1), LONGEST),
        /// ALLOWED_HELLO_LOSS.
        pub allowed_hello_loss: u32 = 2 => within(1, MOST),
        /// Packets that may wait for routes, all together.
        pub buffer: u32 = 64 => within(1, MOST),
        /// Longest wait of a packet for its route.
        pub buffer_age: Dur = Dur::from_secs(30) => span,
        /// Time between two packets that leave the buffer for one destination.
        pub buffer_spacing: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
    }
    also(its) {
        within("ttl-start", its.ttl_start, 1, its.diameter)?;
        let rule = format_args!("be at most `routing.aodv.diameter`, {}", its.diameter);
        must(its.ttl_threshold <= its.diameter, "ttl-threshold", its.ttl_threshold, rule)
    }
}

impl AodvConfig {
    /// NET_TRAVERSAL_TIME.
    #[must_use]
    pub fn net_traversal(&self) -> Dur {
        self.node_traversal * (2 * u64::from(self.diameter))
    }

    /// RING_TRAVERSAL_TIME of a ring of so many hops.
    #[must_use]
    pub fn ring_traversal(&self, ttl: u8) -> Dur {
        self.node_traversal * (2 * (u64::from(ttl) + u64::from(self.timeout_buffer)))
    }

    /// How long the way back to a node that asks stands at least, over so many hops.
    pub(super) fn reverse_life_after(&self, hops: u8) -> Dur {
        if self.reverse_life > Dur::ZERO {
            return self.reverse_life;
        }
        let passed = self.node_traversal * (2 * u64::from(hops));
        (self.net_traversal() * 2).saturating_sub(passed)
    }

    /// BLACKLIST_TIMEOUT.
    #[must_use]
    pub fn blacklist_timeout(&self) -> Dur {
        self.net_traversal() * u64::from(self.rreq_retries.max(1))
    }

    /// NEXT_HOP_WAIT: how long an acknowledgment of a reply is waited for.
    #[must_use]
    pub fn next_hop_wait(&self) -> Dur {
        self.node_traversal + Dur::from_ms(10)
    }

    /// MAX_REPAIR_TTL: the most hops to a destination to which a relay mends a route.
    #[must_use]
    pub const fn max_repair_ttl(&self) -> u8 {
        (self.diameter as u16 * 3 / 10) as u8
    }
}

/// What the simulated length of a message counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireSize {
    /// The message, UDP and IPv4: 52 bytes for a request, 48 for a reply, 32 + 8n for an error.
    Rfc,
    /// The structures of ns-2.35 and an IPv4 header: 48, 44 and 24 + 8n bytes.
    Ns2,
}

/// What the agent adds to data packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataHeader {
    /// Nothing.
    None,
    /// 20 bytes to each packet that is not of TCP, at its source: ns-2.35's agent counts an IP header for these alone.
    NotTcp,
}

/// How a node finds out that a neighbour is gone (RFC 3561 §6.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkDetection {
    /// The MAC gives a packet up.
    LinkLayer,
    /// Its hellos fail to appear.
    Hello,
    /// Either.
    Both,
}

impl LinkDetection {
    /// Whether a packet that the MAC gives up breaks routes.
    #[must_use]
    pub const fn feedback(self) -> bool {
        !matches!(self, Self::Hello)
    }

    /// Whether hellos are sent.
    #[must_use]
    pub const fn hellos(self) -> bool {
        !matches!(self, Self::LinkLayer)
    }
}

/// Which entries the use of a route refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// Those of the packet's source and destination, of the next hop and of the previous one (RFC 3561 §6.2).
    All,
    /// That of the destination (ns-2.35).
    Dst,
}

/// The hop limit of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FirstTtl {
    /// An expanding ring from `ttl-start`, or from the hops that the route once had (RFC 3561 §6.4).
    Start,
    /// The whole network for a destination never lost before, else a ring from the hops of the last route; one ring may
    /// go beyond `ttl-threshold` (ns-2.35).
    Diameter,
}

/// How long a reply is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RreqWait {
    /// RING_TRAVERSAL_TIME, or NET_TRAVERSAL_TIME, doubled with each retry (RFC 3561 §6.3, §6.4).
    Fixed,
    /// Twice the hop limit times the time that a hop took in the last three searches, times the number of the retry, 10
    /// s at most (ns-2.35).
    Measured,
}

/// Own sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sequencing {
    /// One further before each request; at least what is asked for before a reply (RFC 3561 §6.1).
    Rfc,
    /// Even: two further before each request and at each broken link, the next even number above what is asked for
    /// before a reply (ns-2.35).
    Even,
}

/// How a relay mends a route itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LocalRepair {
    /// Not at all.
    Off,
    /// RFC 3561 §6.12.
    Rfc,
    /// As in ns-2.35: a relay repairs a route if a packet has more hops behind it than before it. The request does not
    /// ask for a newer sequence number. The repair ends only after about as much time as has passed since the run
    /// began. No message reports a failure.
    Ns2,
}

/// Which nodes get an error message when a route breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RerrRule {
    /// The precursors: one by unicast, several by broadcast (RFC 3561 §6.11).
    Precursors,
    /// All neighbours, whether there are precursors or not (ns-2.35, where the link broke).
    Always,
}

/// What becomes of packets in the interface queue for a neighbour that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnBreak {
    /// They are tried.
    Keep,
    /// They are lost (ns-2.35).
    FlushQueue,
}
