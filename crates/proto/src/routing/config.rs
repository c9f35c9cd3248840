//! Configuration of routing.

use super::aodv::AodvConfig;
use super::dsr::DsrConfig;
use super::frn::FrnRoutingConfig;
use crate::keys;
use crate::units::range::{LONGEST, MOST, must};
use crate::units::{Bytes, Dur};
use crate::wire::INITIAL_TTL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Routing of every node.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RoutingConfig {
        /// Which protocol finds the routes.
        pub kind: RoutingKind = RoutingKind::Static,
        /// Bytes that the routing agent adds to every packet on the air; ns-2's agents add a second IP header. AODV has
        /// a rule of its own, `routing.aodv.header`.
        pub header: Bytes = Bytes::ZERO => within(Bytes(0), Bytes(10_000)),
        /// Hops that a packet of a flow may go: its initial hop limit (TTL of IP). One that has gone so many without
        /// arriving is lost as `expired`.
        pub hop_limit: u8 = INITIAL_TTL => within(1, u8::MAX),
        /// Parameters of `kind = "static"`.
        #[serde(rename = "static")]
        pub fixed: StaticConfig = StaticConfig::default(),
        /// Parameters of `kind = "dsdv"`.
        pub dsdv: DsdvConfig = DsdvConfig::default() => inside,
        /// Parameters of `kind = "dsr"`.
        pub dsr: DsrConfig = DsrConfig::default() => inside,
        /// Parameters of `kind = "aodv"`.
        pub aodv: AodvConfig = AodvConfig::default() => inside,
        /// Parameters of `kind = "frn"`.
        pub frn: FrnRoutingConfig = FrnRoutingConfig::default() => inside,
        /// Parameters of `kind = "multipath"`.
        pub multipath: MultipathConfig = MultipathConfig::default() => inside,
    }
}

impl RoutingConfig {
    /// Whether a packet that the MAC gives up means a broken link to routing; elsewhere its route stands.
    #[must_use]
    pub const fn believes_give_ups(&self) -> bool {
        match self.kind {
            RoutingKind::Aodv => self.aodv.link_detection.feedback(),
            RoutingKind::Dsdv => self.dsdv.link_feedback,
            _ => true,
        }
    }

    /// Whether a source looks for a route when it needs one; until then no node knows any.
    #[must_use]
    pub const fn is_on_demand(&self) -> bool {
        matches!(self.kind, RoutingKind::Aodv | RoutingKind::Dsr)
    }

    /// Bytes that a node adds to the packets that it makes. AODV counts none for TCP, and adds to its messages itself.
    #[must_use]
    pub const fn node_header(&self) -> Bytes {
        match self.kind {
            RoutingKind::Aodv => Bytes::ZERO,
            _ => self.header,
        }
    }

    /// By what the paths of packets are the best, as far as that is known before the run.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        match self.kind {
            RoutingKind::Static => self.fixed.metric,
            _ => Metric::Hops,
        }
    }
}

/// Which protocol finds the routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingKind {
    /// Best paths over links within receive range, by `static.metric`, computed once.
    Static,
    /// Destination-sequenced distance vector (Perkins & Bhagwat, SIGCOMM 1994).
    Dsdv,
    /// Dynamic Source Routing (RFC 4728).
    Dsr,
    /// Ad hoc on-demand distance vector (RFC 3561).
    Aodv,
    /// Tables of all ways, from control packets in a fixed cycle: the Flexible Radio Network (Yuki 2004, section 2).
    Frn,
    /// Shortest paths by hops, several of them in turn: what TORA (Park & Corson, INFOCOM 1997) does to the order of
    /// packets.
    Multipath,
}

keys! {
    /// Routes that are computed once.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct StaticConfig {
        /// What makes a path better than another one. Of paths that are equally good the one with fewer hops is taken,
        /// then the one whose next hop has the first name (shorter names first).
        pub metric: Metric = Metric::Etx,
    }
}

/// What makes a path better than another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Few hops, whatever their links lose.
    Hops,
    /// Few transmissions: the sum of the ETX of its links, 1 / (forward delivery ratio * reverse delivery ratio), from
    /// the `loss` of listed links (De Couto et al., MobiCom 2003). Without losses it is the number of hops.
    #[default]
    Etx,
}

keys! {
    /// Several shortest paths in turn.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MultipathConfig {
        /// Most next hops among which a node alternates.
        pub paths: u32 = 2 => within(1, MOST),
    }
}

keys! {
    /// Destination-sequenced distance vector. Constants are those of the CMU implementation in ns-2 by default.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DsdvConfig {
        /// Time between full advertisements, before jitter.
        pub period: Dur = Dur::from_secs(15) => within(Dur::from_ms(1), LONGEST),
        /// Shortest time between them, as a fraction of `period`.
        pub jitter_low: f64 = 0.75 => within(0.01, 10.0),
        /// Longest time between them, as a fraction of `period`.
        pub jitter_high: f64 = 1.0,
        /// Settling time assumed of a destination that has not been measured yet.
        pub settling: Dur = Dur::from_secs(6) => within(Dur::ZERO, LONGEST),
        /// Weight of the past in the running mean of the settling time, from 0 to 1.
        pub settling_weight: f64 = 0.875 => probability,
        /// Periods without news from a neighbour after which its routes are lost.
        pub allowed_loss: u32 = 3 => within(1, MOST),
        /// Least time between an advertisement of either kind and a triggered one.
        pub triggered_gap: Dur = Dur::from_secs(1) => within(Dur::ZERO, LONGEST),
        /// An advertisement leaves at a random time within this after it was made.
        pub broadcast_jitter: Dur = Dur::from_ms(10) => within(Dur::ZERO, LONGEST),
        /// Packets kept per destination while there is no route.
        pub buffer: u32 = 5 => within(0, MOST),
        /// Whether a frame that the MAC gives up breaks the route; off in ns-2, as one collision is no failure.
        pub link_feedback: bool = false,
        /// Whether a node with packets that wait for a lost route believes any finite line about it, even one older
        /// than the loss: the packets end as `expired`, and later ones may circle. As in ns-2; the paper has no such
        /// rule.
        pub believe_outdated: bool = false,
        /// The first advertisement of a node is sent at a random time within this.
        pub startup_jitter: Dur = Dur::from_secs(2) => within(Dur::ZERO, LONGEST),
    }
    also(its) {
        let rule = format_args!("lie between `routing.dsdv.jitter-low`, {}, and 10", its.jitter_low);
        let above = (its.jitter_low..=10.0).contains(&its.jitter_high);
        must(above, "jitter-high", its.jitter_high, rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::aodv::LinkDetection;

    fn of(kind: RoutingKind) -> RoutingConfig {
        RoutingConfig { kind, ..RoutingConfig::default() }
    }

    /// AODV and DSDV hear of a packet that the MAC gives up if they are configured to; the others always do.
    #[test]
    fn a_packet_that_is_given_up_is_a_broken_link_where_routing_listens() {
        let mut aodv = of(RoutingKind::Aodv);
        assert!(aodv.believes_give_ups());
        aodv.aodv.link_detection = LinkDetection::Hello;
        assert!(!aodv.believes_give_ups());
        let mut dsdv = of(RoutingKind::Dsdv);
        for feedback in [false, true] {
            dsdv.dsdv.link_feedback = feedback;
            assert_eq!(dsdv.believes_give_ups(), feedback);
        }
        assert!(of(RoutingKind::Dsr).believes_give_ups());
    }

    #[test]
    fn aodv_and_dsr_ask_for_routes_and_only_static_ones_have_a_metric_of_their_own() {
        let asks = |kind| of(kind).is_on_demand();
        assert!(asks(RoutingKind::Aodv) && asks(RoutingKind::Dsr));
        assert!(!asks(RoutingKind::Static) && !asks(RoutingKind::Dsdv));
        assert_eq!(
            (of(RoutingKind::Static).metric(), of(RoutingKind::Aodv).metric()),
            (Metric::Etx, Metric::Hops)
        );
    }
}
