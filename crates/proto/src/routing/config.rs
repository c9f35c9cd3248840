//! Configuration of routing.

use super::aodv::AodvConfig;
use super::dsr::DsrConfig;
use super::frn::FrnRoutingConfig;
use crate::units::range::{Checked, LONGEST, MOST, must, probability, within};
use crate::units::{Bytes, Dur};
use crate::wire::INITIAL_TTL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Routing of every node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RoutingConfig {
    /// Which protocol finds the routes.
    pub kind: RoutingKind,
    /// Bytes that the routing agent adds to every packet on the air; ns-2's agents add a second IP header. AODV has a
    /// rule of its own, `routing.aodv.header`.
    pub header: Bytes,
    /// Hops that a packet of a flow may go: its initial hop limit (TTL of IP). One that has gone so many without arriving is lost
    /// as `expired`.
    pub hop_limit: u8,
    /// Parameters of `kind = "static"`.
    #[serde(rename = "static")]
    pub fixed: StaticConfig,
    /// Parameters of `kind = "dsdv"`.
    pub dsdv: DsdvConfig,
    /// Parameters of `kind = "dsr"`.
    pub dsr: DsrConfig,
    /// Parameters of `kind = "aodv"`.
    pub aodv: AodvConfig,
    /// Parameters of `kind = "frn"`.
    pub frn: FrnRoutingConfig,
    /// Parameters of `kind = "multipath"`.
    pub multipath: MultipathConfig,
}

impl Default for RoutingConfig {
    fn default() -> Self {
        Self {
            kind: RoutingKind::Static,
            header: Bytes::ZERO,
            hop_limit: INITIAL_TTL,
            fixed: StaticConfig::default(),
            dsdv: DsdvConfig::default(),
            dsr: DsrConfig::default(),
            aodv: AodvConfig::default(),
            frn: FrnRoutingConfig::default(),
            multipath: MultipathConfig::default(),
        }
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

    /// By what the paths of packets are the best, as far as that is known before the run.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        match self.kind {
            RoutingKind::Static => self.fixed.metric,
            _ => Metric::Hops,
        }
    }

    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let DsdvConfig { period, jitter_low, jitter_high, settling_weight, .. } = self.dsdv;
        within("header", self.header, Bytes(0), Bytes(10_000))?;
        within("hop-limit", self.hop_limit, 1, u8::MAX)?;
        within("dsdv.period", period, Dur::from_ms(1), LONGEST)?;
        within("dsdv.jitter-low", jitter_low, 0.01, 10.0)?;
        let rule = format_args!("lie between `routing.dsdv.jitter-low`, {jitter_low}, and 10");
        must((jitter_low..=10.0).contains(&jitter_high), "dsdv.jitter-high", jitter_high, rule)?;
        within("dsdv.settling", self.dsdv.settling, Dur::ZERO, LONGEST)?;
        probability("dsdv.settling-weight", settling_weight)?;
        within("dsdv.allowed-loss", self.dsdv.allowed_loss, 1, MOST)?;
        within("dsdv.triggered-gap", self.dsdv.triggered_gap, Dur::ZERO, LONGEST)?;
        within("dsdv.broadcast-jitter", self.dsdv.broadcast_jitter, Dur::ZERO, LONGEST)?;
        within("dsdv.buffer", self.dsdv.buffer, 0, MOST)?;
        within("dsdv.startup-jitter", self.dsdv.startup_jitter, Dur::ZERO, LONGEST)?;
        within("multipath.paths", self.multipath.paths, 1, MOST)?;
        self.dsr.check().map_err(|wrong| wrong.inside("dsr"))?;
        self.aodv.check().map_err(|wrong| wrong.inside("aodv"))?;
        self.frn.check().map_err(|wrong| wrong.inside("frn"))
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

/// Routes that are computed once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StaticConfig {
    /// What makes a path better than another one. Of paths that are equally good the one with fewer hops is taken, then the
    /// one whose next hop has the first name (shorter names first).
    pub metric: Metric,
}

/// What makes a path better than another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Few hops, whatever their links lose.
    Hops,
    /// Few transmissions: the sum of the ETX of its links, 1 / (forward delivery ratio * reverse delivery ratio), from the
    /// `loss` of listed links (De Couto et al., MobiCom 2003). Without losses it is the number of hops.
    #[default]
    Etx,
}

/// Several shortest paths in turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MultipathConfig {
    /// Most next hops among which a node alternates.
    pub paths: u32,
}

impl Default for MultipathConfig {
    fn default() -> Self {
        Self { paths: 2 }
    }
}

/// Destination-sequenced distance vector. Constants are those of the CMU implementation in ns-2 by default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DsdvConfig {
    /// Time between full advertisements, before jitter.
    pub period: Dur,
    /// Shortest time between them, as a fraction of `period`.
    pub jitter_low: f64,
    /// Longest time between them, as a fraction of `period`.
    pub jitter_high: f64,
    /// Settling time assumed of a destination that has not been measured yet.
    pub settling: Dur,
    /// Weight of the past in the running mean of the settling time, from 0 to 1.
    pub settling_weight: f64,
    /// Periods without news from a neighbour after which its routes are lost.
    pub allowed_loss: u32,
    /// Least time between an advertisement of either kind and a triggered one.
    pub triggered_gap: Dur,
    /// An advertisement leaves at a random time within this after it was made.
    pub broadcast_jitter: Dur,
    /// Packets kept per destination while there is no route.
    pub buffer: u32,
    /// Whether a frame that the MAC gives up breaks the route; off in ns-2, as one collision is no failure.
    pub link_feedback: bool,
    /// Whether a node with packets that wait for a lost route believes any finite line about it, even one older than
    /// the loss: the packets end as `expired`, and later ones may circle. As in ns-2; the paper has no such rule.
    pub believe_outdated: bool,
    /// The first advertisement of a node is sent at a random time within this.
    pub startup_jitter: Dur,
}

impl Default for DsdvConfig {
    fn default() -> Self {
        Self {
            period: Dur::from_secs(15),
            jitter_low: 0.75,
            jitter_high: 1.0,
            settling: Dur::from_secs(6),
            settling_weight: 0.875,
            allowed_loss: 3,
            triggered_gap: Dur::from_secs(1),
            broadcast_jitter: Dur::from_ms(10),
            buffer: 5,
            link_feedback: false,
            believe_outdated: false,
            startup_jitter: Dur::from_secs(2),
        }
    }
}
