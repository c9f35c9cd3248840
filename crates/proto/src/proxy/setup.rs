//! From configuration to an agent.

use super::contract::Agent;
use super::eln::Eln;
use super::i_tcp::{ITcp, ITcpConfig};
use super::snoop::{Snoop, SnoopConfig};
use super::split_tcp::{SplitTcp, SplitTcpConfig};
use crate::shim::ShimKind;
use crate::tcp::TcpConfig;
use crate::units::FlowId;
use crate::units::range::Checked;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Indirect TCP (Bakre & Badrinath, ICDCS 1995): two connections joined in the relay.
    ITcp,
    /// A proxy of Split TCP (Kopparty et al., GLOBECOM 2002): buffers, acknowledges locally, sends on at a rate of its
    /// own.
    SplitTcp,
    /// Snoop (Balakrishnan, Seshan & Katz, ACM WINET 1995): copies, local retransmissions, hidden duplicate ACKs.
    Snoop,
    /// Explicit loss notification (Balakrishnan & Katz, GLOBECOM 1998): marks ACKs that ask for what never came here.
    Eln,
    /// Both (Ding & Jamalipour, GLOBECOM 2001).
    SnoopEln,
}

/// An agent with the parameters of every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSetup {
    /// Which agent.
    pub kind: AgentKind,
    /// Parameters of `kind = "i-tcp"`.
    pub i_tcp: ITcpConfig,
    /// Parameters of `kind = "split-tcp"`.
    pub split_tcp: SplitTcpConfig,
    /// Parameters of `kind = "snoop"` and `kind = "snoop-eln"`.
    pub snoop: SnoopConfig,
}

impl AgentSetup {
    /// An agent of this kind with default parameters.
    #[must_use]
    pub fn new(kind: AgentKind) -> Self {
        let (i_tcp, split_tcp, snoop) =
            (ITcpConfig::default(), SplitTcpConfig::default(), SnoopConfig::default());
        Self { kind, i_tcp, split_tcp, snoop }
    }

    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        self.i_tcp.check().map_err(|wrong| wrong.inside("i-tcp"))?;
        self.snoop.check().map_err(|wrong| wrong.inside("snoop"))?;
        self.split_tcp.check().map_err(|wrong| wrong.inside("split-tcp"))
    }

    /// The agent for a flow over this TCP.
    #[must_use]
    pub fn make(&self, tcp: &TcpConfig, flow: FlowId) -> Box<dyn Agent> {
        match self.kind {
            AgentKind::ITcp => Box::new(ITcp::new(self.i_tcp, tcp, flow)),
            AgentKind::Snoop => Box::new(Snoop::new(self.snoop, false)),
            AgentKind::SnoopEln => Box::new(Snoop::new(self.snoop, true)),
            AgentKind::Eln => Box::new(Eln::default()),
            AgentKind::SplitTcp => Box::new(SplitTcp::new(self.split_tcp, tcp, flow)),
        }
    }
}

impl AgentKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::ITcp, Self::SplitTcp, Self::Snoop, Self::Eln, Self::SnoopEln];

    /// The shim that must stand at the ends of a flow for such an agent to act.
    #[must_use]
    pub const fn needs(self) -> Option<ShimKind> {
        match self {
            Self::ITcp | Self::Snoop => None,
            Self::Eln | Self::SnoopEln => Some(ShimKind::Eln),
            Self::SplitTcp => Some(ShimKind::SplitTcp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_of_every_kind_is_made_from_its_configuration() {
        for kind in AgentKind::ALL {
            let setup = AgentSetup::new(kind);
            assert_eq!(setup.check(), Ok(()), "{kind:?}");
            let made = format!("{:?}", setup.make(&TcpConfig::default(), FlowId(3)));
            assert!(!made.is_empty(), "{kind:?}");
        }
        let snoop = SnoopConfig { cache: 0, ..SnoopConfig::default() };
        let wrong = AgentSetup { snoop, ..AgentSetup::new(AgentKind::Snoop) }.check().expect_err("no copies");
        assert_eq!(wrong.key, "snoop.cache");
    }
}
