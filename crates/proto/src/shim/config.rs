//! Configuration of shims: which one stands at the ends of a flow. Each has its parameters beside its machine.

use super::adtcp::AdtcpConfig;
use super::atcp::AtcpConfig;
use super::elfn::ElfnConfig;
use super::enic::EnicConfig;
use super::freeze_tcp::FreezeTcpConfig;
use super::split_tcp::SplitEndsConfig;
use super::tcp_bus::TcpBusConfig;
use super::tcp_f::TcpFConfig;
use crate::keys;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// What stands between TCP and the network at the ends of a flow.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ShimConfig {
        /// Which.
        pub kind: ShimKind = ShimKind::default(),
        /// Parameters of `kind = "tcp-f"`.
        pub tcp_f: TcpFConfig = TcpFConfig::default() => inside,
        /// Parameters of `kind = "elfn"`.
        pub elfn: ElfnConfig = ElfnConfig::default() => inside,
        /// Parameters of `kind = "atcp"`.
        pub atcp: AtcpConfig = AtcpConfig::default() => inside,
        /// Parameters of `kind = "freeze-tcp"`.
        pub freeze_tcp: FreezeTcpConfig = FreezeTcpConfig::default() => inside,
        /// Parameters of `kind = "enic"`.
        pub enic: EnicConfig = EnicConfig::default() => inside,
        /// Parameters of `kind = "tcp-bus"`.
        pub tcp_bus: TcpBusConfig = TcpBusConfig::default() => inside,
        /// Parameters of `kind = "split-tcp"`.
        pub split_tcp: SplitEndsConfig = SplitEndsConfig::default() => inside,
        /// Parameters of `kind = "adtcp"`.
        pub adtcp: AdtcpConfig = AdtcpConfig::default() => inside,
    }
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
