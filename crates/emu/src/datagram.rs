//! IPv4 datagrams of the kernel: what is read in them, and what is written before they go back.

use etherparse::{IpEcn, Ipv4Header, Ipv4HeaderSlice, TcpHeaderSlice};
use multihop_proto::units::NodeId;
use multihop_proto::wire::{address, flags};

const TCP: u8 = 6;
/// Length of a header of UDP, and of an echo of ICMP (RFC 768, RFC 792).
const SHORT_HEADER: usize = 8;

/// Sender, receiver, and the ports of a transport that has some.
pub(crate) type Way = (NodeId, NodeId, (u16, u16));

/// Which node an address means; none if it means no single node.
pub(crate) type Named = fn([u8; 4]) -> Option<NodeId>;

/// The node of an emulation that has this address.
pub(crate) fn emulated(address: [u8; 4]) -> Option<NodeId> {
    address::one_node(address).ok()
}

/// What is known of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The node that sent it.
    pub(crate) source: NodeId,
    /// The node that it is for.
    pub(crate) destination: NodeId,
    /// Protocol number of what IP carries.
    pub(crate) protocol: u8,
    /// ECN field, as [`flags::ECT`] and [`flags::CE`].
    pub(crate) ecn: u8,
    /// Payload of the transport in bytes.
    pub(crate) len: u32,
    /// The header of TCP, if there is a whole one.
    pub(crate) tcp: Option<TcpSeen>,
}

/// What is known of a segment of TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TcpSeen {
    /// Source and destination port.
    pub(crate) ports: (u16, u16),
    /// Sequence number.
    pub(crate) seq: u32,
    /// Acknowledgment number, if it is significant.
    pub(crate) ack: Option<u32>,
    /// Whether it opens the connection.
    pub(crate) syn: bool,
    /// Whether the stream of its sender ends with it.
    pub(crate) fin: bool,
    /// Whether it breaks the connection off.
    pub(crate) rst: bool,
}

impl Seen {
    /// The connection that it belongs to, from its sender on.
    pub(crate) fn way(&self) -> Way {
        (self.source, self.destination, self.tcp.map_or((0, 0), |tcp| tcp.ports))
    }
}

/// Reads a datagram of an emulation; none if it is not IPv4, shorter than it says, or not from one node to another.
pub(crate) fn read(bytes: &[u8]) -> Option<Seen> {
    read_named(bytes, emulated)
}

/// Reads a datagram whose nodes are named like this; none as in [`read`].
pub(crate) fn read_named(bytes: &[u8], named: Named) -> Option<Seen> {
    let ip = Ipv4HeaderSlice::from_slice(bytes).ok()?;
    if usize::from(ip.total_len()) != bytes.len() {
        return None;
    }
    let source = named(ip.source())?;
    let destination = named(ip.destination()).filter(|&node| node != source)?;
    let protocol = ip.protocol().0;
    let inside = &bytes[ip.slice().len()..];
    let whole = ip.fragments_offset().value() == 0;
    let header = if whole && protocol == TCP { TcpHeaderSlice::from_slice(inside).ok() } else { None };
    let length = match &header {
        Some(tcp) => tcp.slice().len(),
        None if whole => SHORT_HEADER,
        None => 0,
    };
    let tcp = header.map(|tcp| TcpSeen {
        ports: (tcp.source_port(), tcp.destination_port()),
        seq: tcp.sequence_number(),
        ack: tcp.ack().then(|| tcp.acknowledgment_number()),
        syn: tcp.syn(),
        fin: tcp.fin(),
        rst: tcp.rst(),
    });
    let ecn = match ip.ecn() {
        IpEcn::NotEct => 0,
        IpEcn::Ect0 | IpEcn::Ect1 => flags::ECT,
        IpEcn::CongestionExperienced => flags::ECT | flags::CE,
    };
    // A datagram has 16 bits for its length.
    let len = inside.len().saturating_sub(length) as u32;
    Some(Seen { source, destination, protocol, ecn, len, tcp })
}

/// A datagram as it arrives: after `hops` hops, each router on the way has taken one off its hop limit (RFC 791 §3.2);
/// `marked` says that it met congestion (RFC 3168 §5). None if it is not IPv4.
pub(crate) fn arrived(bytes: &[u8], hops: u8, marked: bool) -> Option<Vec<u8>> {
    let (mut ip, rest) = Ipv4Header::from_slice(bytes).ok()?;
    ip.time_to_live = ip.time_to_live.saturating_sub(hops.saturating_sub(1)).max(1);
    if marked {
        ip.ecn = IpEcn::CongestionExperienced;
    }
    ip.header_checksum = ip.calc_header_checksum();
    let mut bytes = Vec::with_capacity(bytes.len());
    bytes.extend_from_slice(&ip.to_bytes());
    bytes.extend_from_slice(rest);
    Some(bytes)
}

/// Whether two datagrams are the same one before and after a router has passed it on: hop limit, checksum and the byte
/// with the congestion mark may differ (RFC 1812 §5.2.1.2, §5.3.1; RFC 3168 §5).
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.len() > 12
        && [0..1, 2..8, 9..10, 12..one.len()].into_iter().all(|part| one[part.clone()] == other[part])
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;
    use proptest::prelude::*;

    fn tcp(payload: &[u8]) -> Vec<u8> {
        let builder =
            PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 3], 64).tcp(1000, 2000, 77, 500).ack(9).syn();
        let mut bytes = Vec::new();
        builder.write(&mut bytes, payload).expect("memory");
        bytes
    }

    #[test]
    fn a_segment_is_read() {
        let seen = read(&tcp(&[1; 100])).expect("a datagram");
        assert_eq!((seen.source, seen.destination, seen.protocol, seen.len), (NodeId(0), NodeId(2), 6, 100));
        let header = TcpSeen { ports: (1000, 2000), seq: 77, ack: Some(9), syn: true, ..TcpSeen::default() };
        assert_eq!((seen.tcp, seen.ecn), (Some(header), 0));
    }

    #[test]
    fn what_is_for_no_node_is_not_carried() {
        for address in [[192, 0, 2, 1], [10, 0, 0, 1], [255; 4], [224, 0, 0, 251]] {
            let mut bytes = Vec::new();
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], address, 64).udp(1, 2);
            builder.write(&mut bytes, &[0; 10]).expect("memory");
            assert_eq!(read(&bytes), None, "{address:?}");
        }
        assert_eq!(read(&[0x60; 60]), None, "IPv6");
        assert_eq!(read(&tcp(&[1; 100])[..90]), None, "cut short");
    }

    #[test]
    fn hop_limit_and_mark_are_written_and_the_checksum_is_right() {
        let bytes = tcp(&[1; 10]);
        let come = arrived(&bytes, 3, true).expect("a datagram");
        let (ip, rest) = Ipv4Header::from_slice(&come).expect("a header");
        assert_eq!((ip.time_to_live, ip.ecn), (62, IpEcn::CongestionExperienced));
        assert_eq!((ip.header_checksum, rest), (ip.calc_header_checksum(), &bytes[20..]));
        assert_eq!(arrived(&bytes, 1, false).as_deref(), Some(&bytes[..]), "a neighbour's is as it was");
    }

    #[test]
    fn a_datagram_is_known_again_behind_a_router_and_no_other_is_taken_for_it() {
        let bytes = tcp(&[1; 10]);
        let come = arrived(&bytes, 3, true).expect("a datagram");
        assert!(come != bytes && is_same(&bytes, &come));
        for place in [0, 3, 5, 9, 15, 20, bytes.len() - 1] {
            let mut other = bytes.clone();
            other[place] ^= 1;
            assert!(!is_same(&bytes, &other), "byte {place}");
        }
        assert!(!is_same(&bytes, &bytes[..40]) && !is_same(&[], &[]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), hops in any::<u8>()) {
            let _ = read(&bytes);
            let come = arrived(&bytes, hops, true);
            prop_assert!(come.is_none_or(|come| come.len() == bytes.len()));
        }
    }
}
