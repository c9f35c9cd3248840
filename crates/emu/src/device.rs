//! The device of a host: what it hands to the network, and whether the network takes it.

use multihop_proto::units::NodeId;
use multihop_proto::wire::address::mac;
use multihop_proto::wire::ethernet::{self, Ethernet};

use crate::datagram::{Seen, read};

/// Which device hosts have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// It takes datagrams of IPv4. The simulated routing finds their way.
    #[default]
    Tun,
    /// It takes frames of Ethernet. They go one hop, to the neighbour that the kernel of the host has chosen, or to
    /// all.
    Tap,
}

/// What a host hands to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// A datagram that begins here, for another node.
    Datagram(Seen),
    /// Any other frame, for a neighbour or for all.
    Frame(NodeId),
}

/// Why the network does not take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untaken {
    /// It is for no node of the network.
    Foreign,
    /// It is no whole frame, or its source is not the address of the device: 802.11 has no place for another one.
    Malformed,
}

impl Device {
    /// Bytes in front of the IP header.
    pub(crate) const fn head(self) -> u8 {
        match self {
            Self::Tun => 0,
            Self::Tap => ethernet::HEADER as u8, // 14
        }
    }

    /// What a node of so many hands to the network.
    pub(crate) fn sort(self, node: NodeId, bytes: &[u8], nodes: usize) -> Result<Leaving, Untaken> {
        let begins_here = |seen: &Seen| seen.source == node && seen.destination.index() < nodes;
        if self == Self::Tun {
            return read(bytes).filter(begins_here).map(Leaving::Datagram).ok_or(Untaken::Foreign);
        }
        let (header, inside) = Ethernet::read(bytes).ok_or(Untaken::Malformed)?;
        if header.from != mac(node) || inside.is_empty() {
            return Err(Untaken::Malformed);
        }
        let is_there = |to: &NodeId| to.is_broadcast() || (to.index() < nodes && *to != node);
        let to = header.destination().filter(is_there).ok_or(Untaken::Foreign)?;
        let is_datagram = header.kind == ethernet::IPV4 && !to.is_broadcast();
        let seen = if is_datagram { read(inside).filter(begins_here) } else { None };
        Ok(seen.map_or(Leaving::Frame(to), Leaving::Datagram))
    }
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;
    use proptest::prelude::*;

    use super::*;

    const ME: NodeId = NodeId(1);

    fn frame(to: [u8; 6], from: NodeId, kind: u16, inside: &[u8]) -> Vec<u8> {
        [&Ethernet { to, from: mac(from), kind }.emit(), inside].concat()
    }

    fn datagram(from: u8, to: [u8; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, from], to, 64).udp(1, 2);
        builder.write(&mut bytes, &[0; 10]).expect("memory");
        bytes
    }

    fn sort(bytes: &[u8]) -> Result<Leaving, Untaken> {
        Device::Tap.sort(ME, bytes, 5)
    }

    #[test]
    fn a_datagram_that_begins_here_belongs_to_its_ends_and_any_other_frame_to_its_neighbour() {
        let (next, ip) = (mac(NodeId(2)), ethernet::IPV4);
        let own = frame(next, ME, ip, &datagram(2, [10, 0, 0, 5]));
        let Ok(Leaving::Datagram(seen)) = sort(&own) else { panic!("{:?}", sort(&own)) };
        assert_eq!((seen.source, seen.destination, seen.len), (ME, NodeId(4), 10));
        let neighbour = Ok(Leaving::Frame(NodeId(2)));
        assert_eq!(sort(&frame(next, ME, ip, &datagram(1, [10, 0, 0, 5]))), neighbour, "it began elsewhere");
        assert_eq!(
            sort(&frame(next, ME, ip, &datagram(2, [192, 0, 2, 1]))),
            neighbour,
            "to a foreign network"
        );
        assert_eq!(
            sort(&frame(next, ME, ip, &[0x45])),
            neighbour,
            "no datagram: the kernel there will say so"
        );
        assert_eq!(sort(&frame(next, ME, 0x0806, &[0; 28])), neighbour);
        let all = Ok(Leaving::Frame(NodeId::BROADCAST));
        assert_eq!(sort(&frame([0xff; 6], ME, ip, &datagram(2, [10, 0, 0, 5]))), all);
        assert_eq!(sort(&frame([0x33, 0x33, 0, 0, 0, 1], ME, 0x86dd, &[0x60; 40])), all);
    }

    #[test]
    fn a_malformed_frame_and_one_for_a_stranger_are_told_apart() {
        let ip = ethernet::IPV4;
        assert_eq!(sort(&[0xff; 13]), Err(Untaken::Malformed), "cut short");
        assert_eq!(sort(&frame([0xff; 6], ME, ip, &[])), Err(Untaken::Malformed), "empty");
        assert_eq!(
            sort(&frame([0xff; 6], NodeId(3), ip, &[1])),
            Err(Untaken::Malformed),
            "of another station"
        );
        assert_eq!(sort(&frame(mac(NodeId(7)), ME, ip, &[1])), Err(Untaken::Foreign), "no such node");
        assert_eq!(sort(&frame([6; 6], ME, ip, &[1])), Err(Untaken::Foreign));
        assert_eq!(sort(&frame(mac(ME), ME, ip, &[1])), Err(Untaken::Foreign), "itself");
    }

    proptest! {
        #[test]
        fn any_bytes_are_sorted(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = (Device::Tap.sort(ME, &bytes, 5), Device::Tun.sort(ME, &bytes, 5));
        }
    }
}
