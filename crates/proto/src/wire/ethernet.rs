//! Frames of Ethernet (IEEE 802.3-2022 §3) as other network stacks hand them to a link: two addresses, a type, and what
//! is carried.

use super::address;
use crate::units::NodeId;

/// Length of the header in bytes: destination, source and type.
pub const HEADER: usize = 14;
/// The least EtherType; a smaller number is the length of a frame that begins with a header of LLC (IEEE 802.3-2022
/// §3.2.6).
pub const LEAST_TYPE: u16 = 0x0600;
/// EtherType of IPv4 (RFC 894).
pub const IPV4: u16 = 0x0800;
/// The bit of an address that says that it is the address of a group.
const GROUP: u8 = 1;

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ethernet {
    /// The station or the group that it is for.
    pub to: [u8; 6],
    /// The station that sends it.
    pub from: [u8; 6],
    /// EtherType, or a length below [`LEAST_TYPE`].
    pub kind: u16,
}

impl Ethernet {
    /// Reads the header of a frame and what follows it; none if the frame is too short.
    #[must_use]
    pub fn read(frame: &[u8]) -> Option<(Self, &[u8])> {
        let (header, rest) = frame.split_first_chunk::<HEADER>()?;
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = *header;
        let (to, from) = ([a, b, c, d, e, f], [g, h, i, j, k, l]);
        Some((Self { to, from, kind: u16::from_be_bytes([m, n]) }, rest))
    }

    /// The header as bytes.
    #[must_use]
    pub fn emit(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..6].copy_from_slice(&self.to);
        bytes[6..12].copy_from_slice(&self.from);
        bytes[12..].copy_from_slice(&self.kind.to_be_bytes());
        bytes
    }

    /// The node that it is for: all of them for the address of a group, none if the address is that of no node.
    #[must_use]
    pub const fn destination(&self) -> Option<NodeId> {
        if self.to[0] & GROUP != 0 { Some(NodeId::BROADCAST) } else { address::station(self.to) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let header = Ethernet { to: address::mac(NodeId(4)), from: address::mac(NodeId(1)), kind: IPV4 };
        let frame = [&header.emit()[..], &[7; 28]].concat();
        assert_eq!(Ethernet::read(&frame), Some((header, &[7; 28][..])));
        assert_eq!(Ethernet::read(&frame[..14]), Some((header, &[][..])));
        assert_eq!(Ethernet::read(&frame[..13]), None);
        assert_eq!(header.destination(), Some(NodeId(4)));
    }

    #[test]
    fn a_group_is_all_nodes_and_a_stranger_is_none() {
        let to = |to| Ethernet { to, from: [2; 6], kind: IPV4 }.destination();
        assert_eq!(to([0xff; 6]), Some(NodeId::BROADCAST));
        assert_eq!(to([0x33, 0x33, 0, 0, 0, 1]), Some(NodeId::BROADCAST));
        assert_eq!(to([0x01, 0, 0x5e, 0, 0, 5]), Some(NodeId::BROADCAST));
        assert_eq!(to([0x02, 1, 0, 0, 0, 1]), None);
        assert_eq!(to([0x02, 0, 0, 0, 0, 0]), None);
    }
}
