//! Configuration of shims.

use super::adtcp::AdtcpReceiver;
use super::atcp::Atcp;
use super::contract::Shim;
use super::ebsn::Ebsn;
use super::elfn::Elfn;
use super::eln::Eln;
use super::enic::Enic;
use super::freeze_tcp::FreezeTcp;
use super::split_tcp::SplitTcp;
use super::tcp_bus::TcpBus;
use super::tcp_f::TcpF;
use crate::units::range::{Checked, LONGEST, MOST, within};
use crate::units::{Dur, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands between TCP and the network at the ends of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShimConfig {
    /// Which.
    pub kind: ShimKind,
    /// Parameters of `kind = "tcp-f"`.
    pub tcp_f: TcpFConfig,
    /// Parameters of `kind = "elfn"`.
    pub elfn: ElfnConfig,
    /// Parameters of `kind = "atcp"`.
    pub atcp: AtcpConfig,
    /// Parameters of `kind = "freeze-tcp"`.
    pub freeze_tcp: FreezeTcpConfig,
    /// Parameters of `kind = "enic"`.
    pub enic: EnicConfig,
    /// Parameters of `kind = "tcp-bus"`.
    pub tcp_bus: TcpBusConfig,
    /// Parameters of `kind = "split-tcp"`.
    pub split_tcp: SplitEndsConfig,
    /// Parameters of `kind = "adtcp"`.
    pub adtcp: AdtcpConfig,
}

/// Which shim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShimKind {
    /// None: TCP hears everything and sends what it likes.
    #[default]
    None,
    /// TCP-F (Chandran et al., ICDCS 1998); listens to `signals.rfn`.
    TcpF,
    /// Stand-by with probes (Holland & Vaidya, `MobiCom` 1999); listens to `signals.elfn`.
    Elfn,
    /// ATCP (Liu & Singh, IEEE JSAC 2001); listens to `signals.unreachable`, to ECN, duplicate ACKs and timeouts.
    Atcp,
    /// EBSN (Bakshi et al., ICDCS 1997): restarts the timer; listens to `signals.ebsn`.
    Ebsn,
    /// Freeze-TCP (Goff et al., INFOCOM 2000): the receiver closes its window before an outage.
    FreezeTcp,
    /// ENIC (Sun & Man, GLOBECOM 2001), both ends; listens to routing and to `signals.loss`.
    Enic,
    /// TCP-BuS (Kim, Toh & Choi, ICC 2000); listens to `signals.erdn`.
    TcpBus,
    /// Explicit loss notification (Balakrishnan & Katz, GLOBECOM 1998): the source of agents that mark ACKs.
    Eln,
    /// Both ends of Split TCP (Kopparty et al., GLOBECOM 2002): ACKs from end to end beside those of the agents.
    SplitTcp,
    /// ADTCP (Fu et al., ICNP 2002), both ends; with `tcp.judge = "adtcp"`.
    Adtcp,
}

/// TCP-F's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpFConfig {
    /// Longest wait for the notification that there is a route again. The paper names the worst time that routing needs;
    /// this is AODV's longest wait for a reply.
    pub route_failure_timer: Dur,
    /// Whether the source probes instead of waiting for the notification.
    pub probe: bool,
    /// Time between probes.
    pub probe_interval: Dur,
    /// Whether window and threshold begin anew when it goes on, and are not those from before.
    pub reset_on_resume: bool,
}

impl Default for TcpFConfig {
    fn default() -> Self {
        Self {
            route_failure_timer: Dur::from_secs(10),
            probe: false,
            probe_interval: Dur::from_secs(2),
            reset_on_resume: false,
        }
    }
}

/// Stand-by of ELFN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ElfnConfig {
    /// Time between probes.
    pub probe_interval: Dur,
    /// Time between probes in smoothed round-trip times, once one has been measured; 0: `probe-interval`.
    pub probe_rtts: f64,
    /// What is sent as a probe.
    pub probe: Probe,
    /// The window afterwards.
    pub cwnd: Restore,
    /// The retransmission timeout afterwards.
    pub rto: Restore,
}

impl Default for ElfnConfig {
    fn default() -> Self {
        Self {
            probe_interval: Dur::from_secs(2),
            probe_rtts: 0.0,
            probe: Probe::First,
            cwnd: Restore::Saved,
            rto: Restore::Saved,
        }
    }
}

/// What is sent as a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// The first segment of the window.
    First,
    /// The lowest segment of which a notification has said that it was lost.
    LowestReported,
    /// A header without data, just below the window.
    Header,
}

/// ATCP. The defaults are the original; each of its modifications is a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AtcpConfig {
    /// Timeouts in a row without a new ACK that TCP never hears of; the next is TCP's. Absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_threshold: Option<u32>,
    /// What is sent again when something was lost.
    pub retransmit: Retransmit,
    /// How the time between probes grows.
    pub probe_back_off: BackOff,
    /// What ends a disconnection.
    pub reconnect: Reconnect,
}

/// Freeze-TCP's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FreezeTcpConfig {
    /// How long before a `node-down` or `link-down` of the scenario that cuts it off a receiver is told; 0: never. The
    /// authors recommend a round-trip time.
    pub warning: Dur,
    /// A segment is weak below this many times `air.receive-threshold`: weak segments that grow weaker are a warning too;
    /// 0: they are none.
    pub margin: f64,
}

impl Default for FreezeTcpConfig {
    fn default() -> Self {
        Self { warning: Dur::from_ms(250), margin: 2.0 }
    }
}

/// Both ends of ENIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EnicConfig {
    /// Longest wait of the sender for a route; then TCP's timer counts as fired.
    pub guard: Dur,
}

impl Default for EnicConfig {
    fn default() -> Self {
        Self { guard: Dur::from_secs(10) }
    }
}

/// TCP-BuS's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpBusConfig {
    /// Longest wait for word of the node at the break; then it probes, and so on.
    pub guard: Dur,
    /// Time between probes if the break is at the source itself: nobody else looks for a route there. Where another node
    /// does, an ACK that comes so long after its word answers a query of that node, and was not on its way already.
    pub query: Dur,
}

impl Default for TcpBusConfig {
    fn default() -> Self {
        Self { guard: Dur::from_secs(10), query: Dur::from_secs(2) }
    }
}

/// Both ends of Split TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplitEndsConfig {
    /// The destination acknowledges from end to end every so many segments.
    pub ack_every: u32,
    /// Longest delay of such an ACK. The paper says only that they are rare; so is the number.
    pub ack_delay: Dur,
    /// Largest window from end to end, in segments; it begins with two such ACKs' worth.
    pub window: u32,
}

impl Default for SplitEndsConfig {
    fn default() -> Self {
        Self { ack_every: 10, ack_delay: Dur::from_ms(500), window: 100 }
    }
}

impl SplitEndsConfig {
    /// Least window from end to end: two ACKs' worth, so that one is always on its way.
    pub(super) fn least_window(&self) -> f64 {
        f64::from(self.ack_every.saturating_mul(2).min(self.window))
    }
}

/// ADTCP's receiver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdtcpConfig {
    /// Over which time it counts what came.
    pub interval: Dur,
    /// Most samples of each measure that a new one is compared with; it says nothing before there are ten.
    pub samples: u32,
    /// Share of the samples at either end that are high or low.
    pub share: f64,
}

impl Default for AdtcpConfig {
    fn default() -> Self {
        Self { interval: Dur::from_ms(500), samples: 50, share: 0.3 }
    }
}

/// What is sent again when something was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retransmit {
    /// All that is unacknowledged, at once.
    #[default]
    All,
    /// The first unacknowledged segment, and the next hole when an ACK tells of it.
    FirstLost,
    /// The holes known from SACK, each once a round trip, as the window lets them; needs `tcp.loss = "sack"`.
    Holes,
}

/// How the time between probes grows, from the retransmission timeout to at most 60 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackOff {
    /// It doubles.
    #[default]
    Exponential,
    /// By one timeout each.
    Linear,
}

/// What ends a disconnection. TCP then has a window of one segment, and goes on from what is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reconnect {
    /// An answer to a probe (Sridhara & Subramanya, section 5). What was under way before the probe has arrived by then,
    /// or is lost.
    #[default]
    Answer,
    /// The first that comes from the receiver. TCP then repeats also what is still under way or in the queue.
    Anything,
}

/// What a value is after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restore {
    /// What it was before.
    Saved,
    /// What a connection begins with; of the window, one segment.
    Initial,
}

/// What a shim has to know of how its TCP begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beginning {
    /// Retransmission timeout before the first measurement.
    pub rto: Dur,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Source and destination of the flow.
    pub ends: (NodeId, NodeId),
    /// Least power at which a frame is decoded \[W\].
    pub receive_threshold: f64,
}

impl ShimConfig {
    /// The shims of the sending and the receiving end.
    #[must_use]
    pub fn ends(&self, beginning: Beginning) -> (Shim, Shim) {
        match self.kind {
            ShimKind::None => (Shim::None, Shim::None),
            ShimKind::TcpF => (Shim::TcpF(TcpF::new(self.tcp_f, beginning)), Shim::None),
            ShimKind::Elfn => (Shim::Elfn(Elfn::new(self.elfn, beginning)), Shim::None),
            ShimKind::Atcp => (Shim::Atcp(Box::new(Atcp::new(self.atcp))), Shim::None),
            ShimKind::Ebsn => (Shim::Ebsn(Ebsn::default()), Shim::None),
            ShimKind::FreezeTcp => {
                (Shim::None, Shim::FreezeTcp(Box::new(FreezeTcp::new(self.freeze_tcp, beginning))))
            }
            ShimKind::Enic => {
                let (sender, receiver) = Enic::ends(self.enic, beginning);
                (Shim::Enic(Box::new(sender)), Shim::Enic(Box::new(receiver)))
            }
            ShimKind::Eln => (Shim::Eln(Eln::default()), Shim::None),
            ShimKind::SplitTcp => {
                let (source, destination) = SplitTcp::ends(self.split_tcp);
                (Shim::SplitTcp(Box::new(source)), Shim::SplitTcp(Box::new(destination)))
            }
            ShimKind::Adtcp => (
                Shim::AdtcpSender(Box::default()),
                Shim::AdtcpReceiver(Box::new(AdtcpReceiver::new(self.adtcp))),
            ),
            ShimKind::TcpBus => (Shim::TcpBus(Box::new(TcpBus::new(self.tcp_bus))), Shim::None),
        }
    }

    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        let least = Dur::from_ms(1);
        within("tcp-f.route-failure-timer", self.tcp_f.route_failure_timer, least, LONGEST)?;
        within("tcp-f.probe-interval", self.tcp_f.probe_interval, least, LONGEST)?;
        within("elfn.probe-interval", self.elfn.probe_interval, least, LONGEST)?;
        within("elfn.probe-rtts", self.elfn.probe_rtts, 0.0, f64::from(MOST))?;
        within("freeze-tcp.warning", self.freeze_tcp.warning, Dur::ZERO, LONGEST)?;
        within("freeze-tcp.margin", self.freeze_tcp.margin, 0.0, 1e6)?;
        within("enic.guard", self.enic.guard, least, LONGEST)?;
        within("adtcp.interval", self.adtcp.interval, least, LONGEST)?;
        within("adtcp.samples", self.adtcp.samples, 10, 10_000)?;
        within("adtcp.share", self.adtcp.share, 0.0, 0.5)?;
        within("tcp-bus.guard", self.tcp_bus.guard, least, LONGEST)?;
        within("tcp-bus.query", self.tcp_bus.query, least, LONGEST)?;
        within("split-tcp.ack-every", self.split_tcp.ack_every, 1, 1000)?;
        within("split-tcp.ack-delay", self.split_tcp.ack_delay, least, Dur::from_secs(60))?;
        within("split-tcp.window", self.split_tcp.window, 1, MOST)?;
        self.atcp.timeout_threshold.map_or(Ok(()), |most| within("atcp.timeout-threshold", most, 0, MOST))
    }
}
