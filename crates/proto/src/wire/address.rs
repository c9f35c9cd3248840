//! Addresses of both layers, ports and initial sequence numbers as they stand in headers: derived from the numbers of
//! nodes and flows, the same in messages, signals and captures.

use super::malformed::Malformed;
use crate::units::{FlowId, NodeId};

/// Nodes that there can be, more than any network has: tables are indexed by their numbers, so that what a message says
/// of others is not believed.
pub const MOST_NODES: u32 = 1 << 16;

/// First port of the senders and of the receivers of flows: dynamic ports (RFC 6335 §6), which no dissector claims.
const SENDER_PORTS: u16 = 49_152;
const RECEIVER_PORTS: u16 = 57_344;
/// Flows after which ports repeat.
const FLOWS: u32 = 8_191;

/// 10.n.n.n, counted from 1; 255.255.255.255 for all. Numbers from 2^24 - 1 on have no address of their own.
#[must_use]
pub const fn ipv4(node: NodeId) -> [u8; 4] {
    if node.is_broadcast() {
        return [0xff; 4];
    }
    let [_, b, c, d] = (node.0 + 1).to_be_bytes();
    [10, b, c, d]
}

/// The node that has this address, or all; none for an address that no node has.
#[must_use]
pub const fn node(address: [u8; 4]) -> Option<NodeId> {
    let number = u32::from_be_bytes(address);
    match number.wrapping_sub(10 << 24) {
        host @ 1..=MOST_NODES => Some(NodeId(host - 1)),
        _ if number == u32::MAX => Some(NodeId::BROADCAST),
        _ => None,
    }
}

/// The one node that has this address.
///
/// # Errors
/// If no node has it, or all have.
pub fn one_node(address: [u8; 4]) -> Result<NodeId, Malformed> {
    node(address).filter(|node| !node.is_broadcast()).ok_or(Malformed("no node has this address"))
}

/// Locally administered address of IEEE 802, 02:00:nn:nn:nn:nn, counted from 1; the broadcast address for all.
#[must_use]
pub const fn mac(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = (node.0 + 1).to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

/// The node that has this address of IEEE 802; none for one that no node has.
#[must_use]
pub const fn station(mac: [u8; 6]) -> Option<NodeId> {
    let [0x02, 0x00, a, b, c, d] = mac else { return None };
    match u32::from_be_bytes([a, b, c, d]) {
        number @ 1..=MOST_NODES => Some(NodeId(number - 1)),
        _ => None,
    }
}

/// Source and destination port of a packet of `flow`, on its way from the flow's sender (`forward`) or back.
#[must_use]
pub const fn ports(flow: FlowId, forward: bool) -> (u16, u16) {
    let number = (flow.0 % FLOWS) as u16; // below 2^13
    let (sender, receiver) = (SENDER_PORTS + number, RECEIVER_PORTS + number);
    if forward { (sender, receiver) } else { (receiver, sender) }
}

/// Initial sequence number of one direction of a flow: spread over the number space, the same in every run.
#[must_use]
pub const fn initial_sequence(flow: FlowId, forward: bool) -> u32 {
    let way = flow.0.wrapping_mul(2).wrapping_add(!forward as u32);
    way.wrapping_add(1).wrapping_mul(0x9e37_79b1) // Knuth's multiplicative hash
}

/// A stream offset as the 32-bit sequence number of a header: byte 0 follows the SYN.
#[must_use]
pub const fn sequence_number(initial: u32, offset: u64) -> u32 {
    initial.wrapping_add(1).wrapping_add(offset as u32) // modulo 2^32 is meant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_their_nodes() {
        for id in [NodeId(0), NodeId(1), NodeId(254), NodeId(255), NodeId(MOST_NODES - 1), NodeId::BROADCAST]
        {
            assert_eq!(node(ipv4(id)), Some(id));
            assert_eq!(station(mac(id)), Some(id).filter(|id| !id.is_broadcast()));
        }
        assert_eq!(station(mac(NodeId(MOST_NODES))), None);
        let beyond = ipv4(NodeId(MOST_NODES));
        for nobody in
            [[10, 0, 0, 0], beyond, [10, 255, 255, 255], [11, 0, 0, 1], [0; 4], [255, 255, 255, 254]]
        {
            assert_eq!((node(nobody), one_node(nobody).is_err()), (None, true), "{nobody:?}");
        }
        assert!(one_node([255; 4]).is_err(), "that is all of them");
    }

    #[test]
    fn the_two_directions_of_a_flow_have_ports_and_numbers_of_their_own() {
        let (sender, receiver) = ports(FlowId(3), true);
        assert_eq!(ports(FlowId(3), false), (receiver, sender));
        assert_ne!(initial_sequence(FlowId(3), true), initial_sequence(FlowId(3), false));
        assert_eq!(sequence_number(7, 0), 8);
        assert_eq!(sequence_number(7, 1 << 32), 8);
    }
}
