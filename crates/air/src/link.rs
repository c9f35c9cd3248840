//! One link of the air: what a listener gets of a node's signal.

use multihop_proto::units::NodeId;

/// One listener of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The listener.
    pub to: NodeId,
    /// Power at which the signal arrives \[W\].
    pub power: f64,
    /// Whether it is strong enough to be sensed; weaker ones only interfere.
    pub sensed: bool,
    /// Whether it is strong enough to be decoded.
    pub decodable: bool,
}

/// Key by which links are sorted: the strongest first, of equally strong ones the first by number. Powers are
/// positive, so their bits are in their order.
pub(super) fn strongest_first(link: &Link) -> (std::cmp::Reverse<u64>, NodeId) {
    (std::cmp::Reverse(link.power.to_bits()), link.to)
}
