//! Addresses of the MAC layer, derived from the numbers of nodes. Those of IP, and ports, are
//! [`multihop_proto::wire::address`]'s.

use multihop_proto::units::NodeId;

/// The network's BSSID: locally administered, in the manner of an independent BSS (IEEE 802.11-2020 §9.4.2.9).
pub(super) const BSSID: [u8; 6] = [0x02, 0x6d, 0x68, 0x6f, 0x70, 0x73];

/// Locally administered address 02:00:nn:nn:nn:nn, counted from 1; the broadcast address for all.
pub(super) fn mac(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = (node.0 + 1).to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}
