//! Configuration of agents: the parameters of each kind.

use crate::units::Dur;
use crate::units::range::{Checked, LONGEST, MOST, within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Indirect TCP (Bakre & Badrinath, ICDCS 1995): two connections joined in the relay.
    ITcp,
    /// A proxy of Split TCP (Kopparty et al., GLOBECOM 2002): buffers, acknowledges locally, sends on at a rate of its own.
    SplitTcp,
    /// Snoop (Balakrishnan, Seshan & Katz, ACM WINET 1995): copies, local retransmissions, hidden duplicate ACKs.
    Snoop,
    /// Explicit loss notification (Balakrishnan & Katz, GLOBECOM 1998): marks ACKs that ask for what never came here.
    Eln,
    /// Both (Ding & Jamalipour, GLOBECOM 2001).
    SnoopEln,
}

/// The relay of Indirect TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ITcpConfig {
    /// Segments that fit between the two connections; what is free is the window that the source sees.
    pub buffer: u32,
    /// Least retransmission timeout of the connection to the destination; by default `tcp.min-rto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Dur>,
}

impl Default for ITcpConfig {
    fn default() -> Self {
        Self { buffer: 64, min_rto: None }
    }
}

impl ITcpConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("buffer", self.buffer, 1, MOST)?;
        self.min_rto.map_or(Ok(()), |least| within("min-rto", least, Dur::from_ms(1), LONGEST))
    }
}

/// A proxy of Split TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplitTcpConfig {
    /// Segments that fit into a proxy; one more is lost without a word.
    pub buffer: u32,
}

impl Default for SplitTcpConfig {
    fn default() -> Self {
        Self { buffer: 50 }
    }
}

impl SplitTcpConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("buffer", self.buffer, 1, MOST)
    }
}

/// A snoop agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SnoopConfig {
    /// Copies that fit (ns-2's snoop.h: 100).
    pub cache: u32,
    /// Least time after which the oldest copy is sent again (ns-2's snoop.h: 100 ms).
    pub min_timeout: Dur,
    /// How often a segment is sent from here; then it is left to the source.
    pub tries: u32,
}

impl Default for SnoopConfig {
    fn default() -> Self {
        Self { cache: 100, min_timeout: Dur::from_ms(100), tries: 10 }
    }
}

impl SnoopConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("cache", self.cache, 1, MOST)?;
        within("min-timeout", self.min_timeout, Dur::from_ms(1), LONGEST)?;
        within("tries", self.tries, 0, MOST)
    }
}
