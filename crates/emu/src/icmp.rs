//! The messages of ICMP (RFC 792) that nodes of an emulation make themselves.

use etherparse::icmpv4::DestUnreachableHeader;
use etherparse::{Icmpv4Header, Icmpv4Type, IpNumber, Ipv4Header, Ipv4HeaderSlice, PacketBuilder, icmpv4};
use multihop_proto::units::NodeId;
use multihop_proto::wire::address::ipv4;

use crate::datagram::{Named, Way, emulated};

/// Protocol number of ICMP.
pub(crate) const ICMP: u8 = 1;
/// Hop limit of what a node makes itself (RFC 1700, IP TTL).
const HOP_LIMIT: u8 = 64;
/// Bytes that are quoted behind the header of the datagram: ports and sequence number of TCP (RFC 792).
const QUOTED: usize = 8;
/// What an echo carries that a node asks for itself: no other program gets the answer.
const MARK: [u8; 8] = *b"multihop";

/// Host unreachable (type 3, code 1): what node `from` says to the source of a datagram that it cannot forward. None
/// about what no error may be said of: another error of ICMP, or a fragment that is not the first (RFC 1122 §3.2.2).
pub(crate) fn unreachable(from: NodeId, about: &[u8]) -> Option<Vec<u8>> {
    let ip = Ipv4HeaderSlice::from_slice(about).ok()?;
    let inside = &about[ip.slice().len()..];
    let echo = [icmpv4::TYPE_ECHO_REQUEST, icmpv4::TYPE_ECHO_REPLY];
    let is_error = ip.protocol().0 == ICMP && inside.first().is_none_or(|kind| !echo.contains(kind));
    if is_error || ip.fragments_offset().value() != 0 {
        return None;
    }
    let quote = &about[..about.len().min(ip.slice().len() + QUOTED)];
    let (kind, code) = (icmpv4::TYPE_DEST_UNREACH, icmpv4::CODE_DST_UNREACH_HOST);
    let message = PacketBuilder::ipv4(ipv4(from), ip.source(), HOP_LIMIT).icmpv4_raw(kind, code, [0; 4]);
    let mut bytes = Vec::new();
    message.write(&mut bytes, quote).ok()?;
    Some(bytes)
}

/// The connection of TCP that this datagram calls unreachable, from its own end on; none if it is anything else.
/// Routers say that there is no route to the network, or that the host does not answer (RFC 1812 §5.2.7.1).
pub(crate) fn about(bytes: &[u8], named: Named) -> Option<Way> {
    let (_, inside) = Ipv4Header::from_slice(bytes).ok().filter(|(ip, _)| ip.protocol.0 == ICMP)?;
    let (header, quote) = Icmpv4Header::from_slice(inside).ok()?;
    let Icmpv4Type::DestinationUnreachable(DestUnreachableHeader::Host | DestUnreachableHeader::Network) =
        header.icmp_type
    else {
        return None;
    };
    let ip = Ipv4HeaderSlice::from_slice(quote).ok().filter(|ip| ip.protocol() == IpNumber::TCP)?;
    let &[a, b, c, d, ..] = &quote[ip.slice().len()..] else { return None };
    let ports = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    Some((named(ip.source())?, named(ip.destination())?, ports))
}

/// An echo request that asks whether there is a way from one node to another and back.
pub(crate) fn probe(from: NodeId, to: NodeId, number: u16) -> Vec<u8> {
    let message = PacketBuilder::ipv4(ipv4(from), ipv4(to), HOP_LIMIT).icmpv4_echo_request(0, number);
    let mut bytes = Vec::new();
    // Memory takes all that is written to it.
    let _ = message.write(&mut bytes, &MARK);
    bytes
}

/// The node that answers a [`probe`] with this datagram; none if it is anything else.
pub(crate) fn answer(bytes: &[u8]) -> Option<NodeId> {
    let (ip, inside) = Ipv4Header::from_slice(bytes).ok().filter(|(ip, _)| ip.protocol.0 == ICMP)?;
    let (header, carried) = Icmpv4Header::from_slice(inside).ok()?;
    let ours = matches!(header.icmp_type, Icmpv4Type::EchoReply(_)) && carried == MARK;
    emulated(ip.source).filter(|_| ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketHeaders;

    fn datagram(protocol: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        protocol(&mut bytes);
        bytes
    }

    fn segment() -> Vec<u8> {
        let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 3], 64).tcp(1000, 2000, 0x0102_0304, 500);
        datagram(|bytes| builder.write(bytes, &[7; 100]).expect("memory"))
    }

    #[test]
    fn it_quotes_ports_and_sequence_number() {
        let said = unreachable(NodeId(1), &segment()).expect("an error");
        let headers = PacketHeaders::from_ip_slice(&said).expect("a datagram");
        assert_eq!(said.len(), 20 + 8 + 20 + 8);
        assert_eq!((&said[12..16], &said[16..20]), (&[10, 0, 0, 2][..], &[10, 0, 0, 1][..]));
        assert_eq!((said[20], said[21]), (3, 1));
        assert_eq!(said[28..48], segment()[..20], "the header of the datagram");
        assert_eq!(said[48..], [1000u16.to_be_bytes(), 2000u16.to_be_bytes(), [1, 2], [3, 4]].concat());
        let icmp = headers.transport.and_then(|header| header.icmpv4()).expect("ICMP");
        assert_eq!(icmp.checksum, icmp.icmp_type.calc_checksum(&said[28..]));
    }

    #[test]
    fn no_error_is_said_of_an_error_or_a_later_fragment() {
        let error = unreachable(NodeId(1), &segment()).expect("an error");
        assert_eq!(unreachable(NodeId(2), &error), None);
        let mut fragment = segment();
        fragment[7] = 9;
        assert_eq!(unreachable(NodeId(1), &fragment), None);
        assert_eq!(unreachable(NodeId(1), &[0x45; 7]), None, "no datagram");
        assert!(unreachable(NodeId(1), &probe(NodeId(0), NodeId(2), 1)).is_some(), "an echo is no error");
    }

    #[test]
    fn an_answer_is_told_from_that_of_another_program() {
        let reply = |id, carried: &[u8]| {
            let builder = PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 1], 64).icmpv4_echo_reply(id, 4);
            datagram(|bytes| builder.write(bytes, carried).expect("memory"))
        };
        assert_eq!(answer(&reply(0, &MARK)), Some(NodeId(2)));
        assert_eq!(answer(&reply(0, &[1; 56])), None);
        assert_eq!(answer(&probe(NodeId(2), NodeId(0), 4)), None);
        assert_eq!(answer(&segment()), None);
    }
}
