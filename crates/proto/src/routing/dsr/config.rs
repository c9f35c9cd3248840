//! Configuration of Dynamic Source Routing. Defaults are those of RFC 4728 §9 where it has them.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Dynamic Source Routing (RFC 4728).
    #[derive(Clone, Debug, PartialEq)]
    pub struct DsrConfig {
        /// How long messages are on the air: as their bytes, or as in ns-2, whose replies and errors are some bytes
        /// longer. Captures have the RFC's bytes in any case, and say where the simulated length differs.
        pub wire: DsrWire = DsrWire::Rfc,
        /// How a request grows on its way: by an address a hop, or as in ns-2, where each relay adds a whole header and
        /// never takes the last one's off.
        pub rreq_size: RreqSize = RreqSize::Exact,
        /// What a node remembers: whole paths, or the links of the network. From links it computes the shortest path.
        pub cache: CacheKind = CacheKind::Path,
        /// Paths that the cache holds of replies to this node and of routes in use here.
        pub cache_paths: u32 = 30 => within(1, MOST),
        /// Paths that it holds besides, of routes seen on their way to others; links, for `cache = "link"`.
        pub cache_seen: u32 = 64 => within(1, MOST),
        /// A path is forgotten so long after it was learnt (RouteCacheTimeout); `0 s`: never.
        pub cache_timeout: Dur = Dur::from_secs(300) => within(Dur::ZERO, LONGEST),
        /// Whether that time follows the failures instead: 1.25 times the mean age of routes when they break, or the
        /// time since the last broke if that is longer (Marina & Das, ICDCS Workshops 2001), and `cache-timeout` before
        /// the first.
        pub cache_adapts: bool = false,
        /// A link that failed is not used again for so long, even if another node reports it (Marina & Das 2001);
        /// `0 s`: at once.
        pub negative_cache: Dur = Dur::ZERO => within(Dur::ZERO, LONGEST),
        /// Whether a node hears what its neighbours send to others: to learn routes, to shorten them, and to hear of
        /// errors.
        pub promiscuous: bool = true,
        /// What a node learns from the route in a packet: the part that leads on, or the part that leads back too
        /// (links work both ways under IEEE 802.11).
        pub learn: Learn = Learn::Both,
        /// Whether a relay learns the route inside a reply that it passes on, besides the one that it goes by.
        pub relay_learns_reply: bool = true,
        /// Whether a node that is not the target answers requests from its cache.
        pub reply_from_cache: bool = true,
        /// An answer from the cache waits this long for each hop of its route but the first, and a random part of it,
        /// so that the shortest goes first and spares the others (H in RFC 4728 §8.2.5); `0 s`: at once.
        pub reply_hold_off: Dur = Dur::from_ms(4) => within(Dur::ZERO, Dur::from_secs(10)),
        /// The target answers after a random time within this.
        pub reply_jitter: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(10)),
        /// Requests leave after a random time within this (BroadcastJitter).
        pub broadcast_jitter: Dur = Dur::from_ms(10) => within(Dur::ZERO, Dur::from_secs(10)),
        /// Whether a search begins with a request that is not passed on.
        pub ring_zero: bool = true,
        /// How long its answer is waited for (NonpropRequestTimeout).
        pub ring_zero_timeout: Dur = Dur::from_ms(30) => within(Dur::from_ms(1), LONGEST),
        /// Time from the first request of a search that had no answer to the next (RequestPeriod).
        pub request_period: Dur = Dur::from_ms(500) => within(Dur::from_ms(1), LONGEST),
        /// Factor by which it grows with each (RFC 4728 §4.3: 2).
        pub request_backoff: u32 = 2 => within(1, 100),
        /// Its limit (MaxRequestPeriod).
        pub max_request_period: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
        /// Requests without an answer after which the packets that wait are lost (MaxRequestRexmt); 0: no limit.
        pub request_retries: u32 = 16 => within(0, MOST),
        /// Identifications of requests that are remembered of each initiator (RequestTableIds); 1 stands for the
        /// highest: then lower ones are old, too.
        pub request_ids: u32 = 16 => within(1, MOST),
        /// Initiators whose requests are remembered (RequestTableSize).
        pub request_table: u32 = 64 => within(1, MOST),
        /// Packets that may wait for a route.
        pub send_buffer: u32 = 64 => within(1, MOST),
        /// How long one may wait (SendBufferTimeout).
        pub send_buffer_timeout: Dur = Dur::from_secs(30) => within(Dur::from_ms(1), LONGEST),
        /// The packets that wait are looked at every so often, at a random time between this and twice this, as in
        /// ns-2, and searches go on only then; `0 s`: whenever something is due.
        pub poll: Dur = Dur::ZERO => period,
        /// Packets for which a search found a route leave so long after each other.
        pub release_gap: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(10)),
        /// How often one packet may be sent another way by relays (MaxSalvageCount); 0: never.
        pub salvage: u32 = 15 => within(0, 15),
        /// Whether a relay keeps packets that it cannot salvage in its send buffer, and asks its neighbours once, as
        /// ns-2 does; whenever it would be time to ask again one of them is lost. Else they are lost at once.
        pub salvage_buffer: bool = false,
        /// For what an error is sent: for each packet that cannot go on, or for the first that shows a link to be
        /// broken.
        pub rerr_per: RerrPer = RerrPer::Packet,
        /// Whether an error counts as salvaged as often as the packet that it is about, and keeps that count where its
        /// source sends it again or sends on what was on board of it, as in ns-2: so errors about errors come to an
        /// end.
        pub rerr_inherits_salvage: bool = false,
        /// What a failure makes a node send, errors and salvaged packets, reaches its queue so much later: the 25 us of
        /// ns-2's link layer, in which the MAC takes the next frame.
        pub failure_delay: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(1)),
        /// Whether a source tells its neighbours of the last error with its next request.
        pub gratuitous_errors: bool = true,
        /// Whether an error on a request, which is for no node, is for the first node as well: its address in ns-2 is
        /// the 0 that stands for no node there, so that it tells of the error again and again for as long as its
        /// requests come back to it.
        pub first_node_is_zero: bool = false,
        /// Whether a node that hears a packet which is to come to it later tells the source of the shorter way.
        pub shortening: bool = true,
        /// How long it does not tell the same again (GratReplyHoldoff).
        pub gratuitous_hold_off: Dur = Dur::from_secs(1) => within(Dur::ZERO, LONGEST),
        /// Packets of a source that follow each other on one path carry no route but in the first three and every five
        /// seconds (RFC 4728 §3.5 and §4.6, with the default flow).
        pub flow_state: bool = false,
        /// Whether a packet without a route that the MAC gives up breaks a link only while its flow is known. If that
        /// has been forgotten, its source loses it, and a relay sends it another way and tells the source that the flow
        /// is unknown (ns-2).
        pub give_up_needs_flow: bool = false,
        /// How long a flow lives after its last packet (DefaultFlowTimeout).
        pub flow_timeout: Dur = Dur::from_secs(60) => within(Dur::from_secs(1), Dur::from_secs(65_535)),
    }
}

/// How long messages are on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DsrWire {
    /// As long as their bytes (RFC 4728 §6).
    Rfc,
    /// As ns-2 counts: addresses of both ends in each reply, five bytes before them, and 14 and 12 bytes for the errors
    /// about flows. `routing.header` is not added, as it stands for the IP header that is in here.
    Ns2,
}

/// How a request grows on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RreqSize {
    /// By an address a hop.
    Exact,
    /// By a whole header a hop.
    Cumulative,
}

/// What a node remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Paths from itself.
    Path,
    /// Links between any nodes.
    Link,
}

/// What a node learns from the route in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Learn {
    /// The part that leads on.
    Onward,
    /// The part that leads back, too.
    Both,
}

/// For what an error is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RerrPer {
    /// Each packet that cannot go on.
    Packet,
    /// The first that shows the link to be broken; not for those that wait behind it.
    Break,
}
