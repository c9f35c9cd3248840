//! Wired links: `[[wire]]`.

use crate::traffic::config::node_name;
use multihop_proto::link::wire::WireConfig as Direction;
use multihop_proto::units::range::{Checked, MOST, probability, rate, within};
use multihop_proto::units::{Bitrate, Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A wired link between two nodes, in both directions at the same time. Packets go over it that have one of its ends as
/// their next hop from the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WireConfig {
    /// Name of the node at one end.
    #[serde(deserialize_with = "node_name")]
    pub from: String,
    /// Name of the node at the other end.
    #[serde(deserialize_with = "node_name")]
    pub to: String,
    /// Rate of each direction; it counts IP packets and `overhead`.
    pub rate: Bitrate,
    /// Time that a packet is on its way, after its last bit has left.
    #[serde(default)]
    pub delay: Dur,
    /// Packets that the queue of each end holds, the one being sent included; absent: as `queue.limit` says, without
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Bytes that the link adds to each packet, such as 18 for the header and the checksum of Ethernet.
    #[serde(default)]
    pub overhead: Bytes,
    /// Probability that a packet with data of a user is lost after it has been sent. ACKs and routing messages are not.
    #[serde(default)]
    pub loss: f64,
    /// Probability that a packet with data of a user is held back after it has been sent, so that others overtake it.
    #[serde(default)]
    pub late: f64,
    /// By how much.
    #[serde(default)]
    pub late_by: Dur,
}

impl WireConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        rate("rate", self.rate)?;
        within("delay", self.delay, Dur::ZERO, Dur::from_secs(1000))?;
        self.queue.map_or(Ok(()), |queue| within("queue", queue, 2, MOST))?;
        within("overhead", self.overhead, Bytes(0), Bytes(10_000))?;
        probability("loss", self.loss)?;
        probability("late", self.late)?;
        within("late-by", self.late_by, Dur::ZERO, Dur::from_secs(1000))
    }

    /// What each direction of it is like.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        Direction {
            rate: self.rate,
            delay: self.delay,
            overhead: self.overhead,
            loss: self.loss,
            late: self.late,
            late_by: self.late_by,
        }
    }
}
