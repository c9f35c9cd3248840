//! Configuration of shims: which one stands at the ends of a flow. Each has its parameters beside its machine.

use super::adtcp::AdtcpConfig;
use super::atcp::AtcpConfig;
use super::elfn::ElfnConfig;
use super::enic::EnicConfig;
use super::freeze_tcp::FreezeTcpConfig;
use super::split_tcp::SplitEndsConfig;
use super::tcp_bus::TcpBusConfig;
use super::tcp_f::TcpFConfig;
use crate::units::range::Checked;
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

impl ShimConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        self.tcp_f.check().map_err(|wrong| wrong.inside("tcp-f"))?;
        self.elfn.check().map_err(|wrong| wrong.inside("elfn"))?;
        self.freeze_tcp.check().map_err(|wrong| wrong.inside("freeze-tcp"))?;
        self.enic.check().map_err(|wrong| wrong.inside("enic"))?;
        self.adtcp.check().map_err(|wrong| wrong.inside("adtcp"))?;
        self.tcp_bus.check().map_err(|wrong| wrong.inside("tcp-bus"))?;
        self.split_tcp.check().map_err(|wrong| wrong.inside("split-tcp"))?;
        self.atcp.check().map_err(|wrong| wrong.inside("atcp"))
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
