//! How losses are found, and which detector decides on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How losses are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// By three duplicate ACKs (RFC 5681 §3.2).
    DupAcks,
    /// By the scoreboard of selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
}

/// Which ACKs are duplicates with SACK, which of them begin recovery, when that may begin again, and how much it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SackRule {
    /// ACKs with blocks that are new; the third, or any ACK whose blocks say that a segment is lost; again as soon as
    /// what was outstanding is acknowledged; recovery counts the bytes that are neither held nor lost (RFC 6675 §2, §4,
    /// §5).
    #[serde(rename = "rfc6675")]
    Rfc6675,
    /// ACKs with blocks that are new since the last new ACK, and none from a timeout to the next new ACK; the third
    /// alone; again when more than what was outstanding is acknowledged; recovery counts packets: what was outstanding
    /// but three, one less for each duplicate, two for a partial ACK (ns-2's `Sack1`; Fall & Floyd 1996).
    #[serde(rename = "ns2")]
    Ns2,
    /// As `rfc6675`, but all below the last byte that SACK tells of counts as having left the network: more than three
    /// segments between it and the first unacknowledged byte are a loss, and recovery counts what was sent beyond it
    /// and what was sent again (FACK, Mathis & Mahdavi 1996). Not with `judge = "rack"`.
    Fack,
}

/// Which rule says that a segment is lost, or that a loss is no congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossDetectorKind {
    /// What `loss` names, at once (RFC 5681 §3.2, RFC 6675 §5).
    #[default]
    Standard,
    /// The same, a round trip later: time for the link layer to repair it (TCP-DCR, Bhandarkar et al. 2004; E-DCR,
    /// Hamadani & Rakocevic §V).
    Dcr,
    /// Several losses in one window are congestion, fewer are repaired and no more (k-SACK, Chrungoo et al. 2001); for
    /// `loss = "sack"`.
    KSack,
    /// What was sent before something that has arrived, and longer ago than a round trip and a share of one (RACK, RFC
    /// 8985 §6); for `loss = "sack"`.
    Rack,
    /// What `loss` names, and the receiver says what it is (Fu et al., ICNP 2002); with `shim.kind = "adtcp"`.
    Adtcp,
}
