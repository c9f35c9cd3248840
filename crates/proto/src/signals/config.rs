//! Configuration of the signals that nodes send.

use crate::keys;
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// What nodes tell the ends of TCP flows about broken routes. Nothing by default.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SignalsConfig {
        /// ICMP host unreachable to the source of each segment that was lost for want of a route (RFC 792, RFC 1812
        /// §5.2.7.1).
        pub unreachable: bool = false,
        /// When `unreachable` is said.
        pub unreachable_when: Unreachable = Unreachable::Lost,
        /// Explicit link failure notification: the same, of its own kind (Holland & Vaidya, `MobiCom` 1999).
        pub elfn: bool = false,
        /// Explicit bad state notification to the source of each segment that the MAC gives up, whatever becomes of it
        /// (Bakshi et al., ICDCS 1997).
        pub ebsn: bool = false,
        /// TCP-F's route failure and re-establishment notifications (Chandran et al., ICDCS 1998).
        pub rfn: bool = false,
        /// Parameters of `rfn`.
        pub route_failure: TcpFRelayConfig = TcpFRelayConfig::default() => inside,
        /// TCP-BuS's explicit route disconnection and successful notifications, ERDN and ERSN (Kim, Toh & Choi, ICC
        /// 2000): nodes at and before a break keep segments until there is a route.
        pub erdn: bool = false,
        /// Parameters of `erdn`.
        pub pivot: TcpBusRelayConfig = TcpBusRelayConfig::default() => inside,
        /// ENIC's notice of a random loss to the source of a segment that the MAC gave up although routing knows a way
        /// (Sun & Man, GLOBECOM 2001).
        pub loss: bool = false,
    }
}

/// When a source hears that its host is unreachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unreachable {
    /// At each segment or ACK that is lost with its link or for want of a route.
    #[default]
    Lost,
    /// Only when routing has looked for a route and has none: not at a packet that the MAC gives up. Under AODV and DSR
    /// the source itself finds that out (RFC 3561 §6.3); before that it tries once more.
    NoRoute,
}

keys! {
    /// TCP-BuS's nodes on the path.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TcpBusRelayConfig {
        /// Segments that wait in one node at most.
        pub buffer: u32 = 50 => within(0, MOST),
        /// Time between queries of the node at the break; also the time after which it tells a source again that goes
        /// on sending.
        pub query: Dur = Dur::from_secs(2) => within(Dur::from_ms(1), LONGEST),
        /// Longest wait of the nodes before the break for word that there is a route, and of the node at the break for
        /// an ACK once it has found one; then they try.
        pub lifetime: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
    }
}

keys! {
    /// TCP-F's nodes on the path.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TcpFRelayConfig {
        /// Whether the source finds out by itself that there is a route again: each lost segment is answered with a
        /// notification, and nothing else happens. Otherwise nodes remember failures, block the route, and say when
        /// there is one again.
        pub source_probes: bool = false,
        /// Whether the node at which the route failed answers every further segment with a notification.
        pub per_packet: bool = false,
        /// Whether segments for a blocked route wait in the nodes until there is a route again; they are lost
        /// otherwise.
        pub buffering: bool = false,
        /// Segments that wait so in one node at most.
        pub buffer: u32 = 10 => within(1, MOST),
        /// A node forgets a failure this long after the last message about it, and tries the route again. Set it to the
        /// time that the source waits. If it is longer, the route is still blocked when the source goes on.
        pub lifetime: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
        /// Time between two requests for a route by the node at which it failed, under routing that asks for routes
        /// when they are needed: the source sends nothing that would ask.
        pub query: Dur = Dur::from_secs(2) => within(Dur::from_ms(1), LONGEST),
    }
}

impl SignalsConfig {
    /// Whether nodes say anything at all.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.unreachable || self.elfn || self.ebsn || self.rfn || self.erdn || self.loss
    }
}
