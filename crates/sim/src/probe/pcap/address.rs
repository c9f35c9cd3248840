//! Addresses, ports and initial sequence numbers, derived from the numbers of nodes and flows.

use multihop_proto::units::{FlowId, NodeId};

/// The network's BSSID: locally administered, in the manner of an independent BSS (IEEE 802.11-2020 §9.4.2.9).
pub(super) const BSSID: [u8; 6] = [0x02, 0x6d, 0x68, 0x6f, 0x70, 0x73];
/// Both ports of a routing message; no flow has it.
pub(super) const ROUTING_PORT: u16 = 65_535;
/// First port of the senders and of the receivers of flows: dynamic ports (RFC 6335 §6), which no dissector claims.
const SENDER_PORTS: u16 = 49_152;
const RECEIVER_PORTS: u16 = 57_344;
/// Flows after which ports repeat.
const FLOWS: u32 = 8_191;

/// Locally administered address 02:00:nn:nn:nn:nn, counted from 1; the broadcast address for all.
pub(super) fn mac(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = (node.0 + 1).to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

/// 10.n.n.n, counted from 1; 255.255.255.255 for all.
pub(super) fn ipv4(node: NodeId) -> [u8; 4] {
    if node.is_broadcast() {
        return [0xff; 4];
    }
    let [_, b, c, d] = (node.0 + 1).to_be_bytes();
    [10, b, c, d]
}

/// Source and destination port of a packet of `flow`, on its way from the flow's sender (`forward`) or back.
pub(super) fn ports(flow: FlowId, forward: bool) -> (u16, u16) {
    let number = (flow.0 % FLOWS) as u16; // below 2^13
    let (sender, receiver) = (SENDER_PORTS + number, RECEIVER_PORTS + number);
    if forward { (sender, receiver) } else { (receiver, sender) }
}

/// Initial sequence number of one direction of a flow: spread over the number space, the same in every run.
pub(super) fn initial_sequence(flow: FlowId, forward: bool) -> u32 {
    let way = flow.0.wrapping_mul(2).wrapping_add(u32::from(!forward));
    way.wrapping_add(1).wrapping_mul(0x9e37_79b1) // Knuth's multiplicative hash
}
