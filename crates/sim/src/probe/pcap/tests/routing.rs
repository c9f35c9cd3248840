//! What routing and signals put into datagrams.

use std::sync::Arc;

use etherparse::{IpNumber, Ipv4Slice, UdpSlice};
use multihop_proto::routing::dsdv;
use multihop_proto::units::{Bytes, FlowId, NodeId};
use multihop_proto::wire::{Packet, PacketId, PacketStore, Protocol, Segment, Signal, SignalKind, flags};
use multihop_proto::wire::{Payload, address};

use super::{CHAIN, check_datagram, packet, scenario};
use crate::probe::pcap::datagram::Datagrams;

fn datagram(packets: &PacketStore, id: PacketId) -> Vec<u8> {
    let mut bytes = Vec::new();
    Datagrams::new(&scenario(CHAIN, &[]).flows).append(&mut bytes, &packets.carried(id));
    check_datagram(&bytes);
    bytes
}

fn segment() -> Packet {
    packet(Segment { seq: 1460, len: 1460, flags: flags::ACK, ..Segment::default() })
}

#[test]
fn an_update_of_dsdv_is_a_udp_datagram_with_the_bytes_of_its_codec() {
    let lines = [
        dsdv::Line { destination: NodeId(1), metric: 0, sequence: 8 },
        dsdv::Line { destination: NodeId(2), metric: u32::MAX, sequence: 0x0102_0305 },
    ];
    let mut packets = PacketStore::new(0);
    let payload = packets.payload(Protocol::Dsdv, dsdv::emit(&lines));
    let (flow, destination, size) = (FlowId::NONE, NodeId::BROADCAST, dsdv::size(2));
    let id = packets.create(Packet { flow, destination, size, payload, ..segment() });
    let bytes = datagram(&packets, id);
    let udp = UdpSlice::from_slice(&bytes[20..]).expect("UDP");
    assert_eq!((udp.source_port(), udp.destination_port()), (65_535, 65_535));
    assert_eq!(
        udp.payload(),
        [10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8, 10, 0, 0, 3, 255, 255, 255, 255, 1, 2, 3, 5]
    );
}

#[test]
fn a_message_of_an_experiment_is_the_payload_of_ip() {
    let mut packets = PacketStore::new(0);
    let payload = packets.payload(Protocol::Experimental, Arc::from([1, 2, 3]));
    let id = packets.create(Packet { flow: FlowId::NONE, size: Bytes(23), payload, ..segment() });
    let bytes = datagram(&packets, id);
    assert_eq!((bytes[9], &bytes[20..]), (253, &[1, 2, 3][..]));
}

/// The transport header moves back, and its checksum knows nothing of what stands before it.
#[test]
fn a_routing_header_stands_between_ip_and_transport() {
    let mut packets = PacketStore::new(1);
    let id = packets.create(segment());
    let plain = datagram(&packets, id);
    let route = [6, 0, 0, 8, 10, 0, 0, 2, 10, 0, 0, 3];
    packets.set_header(id, Some((Protocol::Experimental, Arc::from(route))));
    let bytes = datagram(&packets, id);
    assert_eq!(bytes.len(), plain.len() + route.len());
    assert_eq!(packets[id].size.get() as usize, bytes.len());
    assert_eq!(Ipv4Slice::from_slice(&bytes).expect("IPv4").header().protocol(), IpNumber(253));
    assert_eq!(bytes[20..32], route);
    assert_eq!(bytes[32..], plain[20..]);
}

#[test]
fn a_signal_is_icmp_and_quotes_the_segment_concerned() {
    let about = segment();
    let Payload::Tcp(Segment { seq: sequence, .. }) = about.payload else { panic!("{about:?}") };
    let Packet { source, destination, .. } = about;
    let signal = Signal { kind: SignalKind::Unreachable, source, destination, sequence };
    let mut packets = PacketStore::new(1);
    let id = packets.create(Packet {
        source: NodeId(1),
        destination: NodeId(0),
        size: Signal::size(),
        payload: Payload::Signal(signal),
        ..about
    });
    let bytes = datagram(&packets, id);
    assert_eq!((bytes.len(), bytes[9]), (packets[id].size.get() as usize, 1));
    let (icmp, quoted) = bytes[20..].split_at(8);
    assert_eq!(icmp[..2], [3, 1]);
    // The quoted ports and sequence number are those of the segment itself.
    let segment = packets.create(about);
    assert_eq!(quoted[20..28], datagram(&packets, segment)[20..28]);
    assert_eq!(quoted[12..20], [address::ipv4(NodeId(0)), address::ipv4(NodeId(2))].concat());
}
