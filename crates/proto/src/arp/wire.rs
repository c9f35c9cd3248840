//! An ARP packet for IPv4 over IEEE 802: 28 bytes (RFC 826, "Packet format").

use std::sync::Arc;

use crate::units::{Bytes, NodeId};
use crate::wire::Malformed;
use crate::wire::address::{ipv4, mac, one_node};

/// Length of a packet.
pub const SIZE: Bytes = Bytes(28);
/// Hardware type Ethernet, protocol type IPv4, and the lengths of their addresses.
const TYPES: [u8; 6] = [0, 1, 0x08, 0x00, 6, 4];

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Whose address is this?
    Request,
    /// Mine.
    Reply,
}

/// An ARP packet. Addresses of both layers follow from the numbers of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is for.
    pub operation: Operation,
    /// The node that sent it.
    pub sender: NodeId,
    /// The node that is asked, or answered.
    pub target: NodeId,
}

impl Message {
    /// Its bytes. A request leaves open the hardware address that it asks for.
    #[must_use]
    pub fn emit(&self) -> Arc<[u8]> {
        let (operation, hardware) = match self.operation {
            Operation::Request => (1, [0; 6]),
            Operation::Reply => (2, mac(self.target)),
        };
        [&TYPES[..], &[0, operation], &mac(self.sender), &ipv4(self.sender), &hardware, &ipv4(self.target)]
            .concat()
            .into()
    }

    /// The packet with these bytes.
    ///
    /// # Errors
    /// If they are no packet of this kind, or about addresses that no node has.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let bytes: &[u8; SIZE.0 as usize] =
            bytes.try_into().map_err(|_| Malformed("an ARP packet has 28 bytes"))?;
        if bytes[..6] != TYPES {
            return Err(Malformed("not for IPv4 over IEEE 802"));
        }
        let operation = match bytes[6..8] {
            [0, 1] => Operation::Request,
            [0, 2] => Operation::Reply,
            _ => return Err(Malformed("neither request nor reply")),
        };
        let address = |at: usize| one_node([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (sender, target) = (address(14)?, address(24)?);
        if bytes[8..14] != mac(sender) {
            return Err(Malformed("the sender's two addresses are of different nodes"));
        }
        Ok(Self { operation, sender, target })
    }
}
