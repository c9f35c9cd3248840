//! What a node hears that is meant for others.

use crate::units::NodeId;
use crate::wire::PacketId;

/// A packet in a data frame for another node, which was received whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheard {
    /// The node that sends it.
    pub from: NodeId,
    /// The next hop that it is meant for.
    pub to: NodeId,
    /// The sender's copy: to be read while the call lasts, and in no node's custody here.
    pub packet: PacketId,
    /// At what power it was heard \[W\].
    pub power: f64,
}
