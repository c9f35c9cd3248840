//! IPv4 datagrams with real headers and checksums, from the engine's packets.
//!
//! RFC 791 (IPv4), RFC 9293 (TCP), RFC 2018 (SACK option), RFC 768 (UDP). A routing message is a UDP datagram whose
//! body has twelve bytes for each route: destination (IPv4 address), metric, destination sequence number (32 bits
//! each, network order).
//!
//! Deviation: the window of a data sender, which receives no data and advertises none, is written as 65 535 bytes;
//! windows above that (there is no scaling) too.

use etherparse::{IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use multihop_proto::units::NodeId;
use multihop_proto::wire::{Packet, Payload, RouteAdvert, Segment, flags};

use super::address::{ROUTING_PORT, initial_sequence, ipv4, ports};
use crate::scenario::Flow;

/// Longest IPv4 datagram (RFC 791 §3.1).
const LONGEST: usize = 65_535;
const IPV4: usize = Ipv4Header::MIN_LEN;
/// Bytes of a route in a routing message.
const ROUTE: usize = 12;
/// What payloads repeat.
const PATTERN: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// Writes datagrams.
#[derive(Debug)]
pub(super) struct Datagrams {
    /// The sender of each flow.
    senders: Vec<NodeId>,
}

impl Datagrams {
    pub(super) fn new(flows: &[Flow]) -> Self {
        Self { senders: flows.iter().map(|flow| flow.from).collect() }
    }

    /// Appends the datagram of `packet`; its total length is the packet's size, as far as headers and field widths
    /// allow. `adverts` are the lines of a routing message.
    pub(super) fn append(&self, out: &mut Vec<u8>, packet: &Packet, adverts: &[RouteAdvert]) {
        match &packet.payload {
            Payload::Tcp(segment) => self.tcp(out, packet, segment),
            Payload::Udp(_) => {
                let length = payload_length(packet, IPV4 + UdpHeader::LEN);
                let forward = self.is_forward(packet);
                udp(out, packet, ports(packet.flow, forward), &pattern(0, length));
            }
            Payload::Routing(_) => {
                let most = (LONGEST - IPV4 - UdpHeader::LEN) / ROUTE;
                let body: Vec<u8> = adverts.iter().take(most).flat_map(route).collect();
                udp(out, packet, (ROUTING_PORT, ROUTING_PORT), &body);
            }
        }
    }

    fn tcp(&self, out: &mut Vec<u8>, packet: &Packet, segment: &Segment) {
        let mut header = self.tcp_header(packet, segment);
        let payload = pattern(segment.seq, payload_length(packet, IPV4 + header.header_len()));
        let ip = ip_header(packet, IpNumber::TCP, header.header_len() + payload.len());
        header.checksum = header.calc_checksum_ipv4(&ip, &payload).expect("payload_length bounds it");
        out.extend_from_slice(&ip.to_bytes());
        out.extend_from_slice(&header.to_bytes());
        out.extend_from_slice(&payload);
    }

    fn tcp_header(&self, packet: &Packet, segment: &Segment) -> TcpHeader {
        let forward = self.is_forward(packet);
        let (source, destination) = ports(packet.flow, forward);
        let (own, other) = (initial_sequence(packet.flow, forward), initial_sequence(packet.flow, !forward));
        let syn = segment.flags & flags::SYN != 0;
        // The SYN takes the initial number itself; byte 0 of the stream has the next one.
        let sequence = if syn { own } else { fold(own, segment.seq) };
        let window = if forward && segment.window == 0 { u32::MAX } else { segment.window };
        let window = u16::try_from(window).unwrap_or(u16::MAX);
        let mut header = TcpHeader::new(source, destination, sequence, window);
        header.syn = syn;
        if segment.flags & flags::ACK != 0 {
            header.ack = true;
            header.acknowledgment_number = fold(other, segment.ack);
        }
        let mut blocks = segment.sack.iter().map(|(start, end)| (fold(other, start), fold(other, end)));
        if let Some(first) = blocks.next() {
            let rest = [blocks.next(), blocks.next(), None];
            let sack = TcpOptionElement::SelectiveAcknowledgement(first, rest);
            let options = [TcpOptionElement::Noop, TcpOptionElement::Noop, sack];
            header.set_options(&options).expect("three blocks take 28 of 40 bytes");
        }
        header
    }

    /// Whether the packet runs from its flow's sender to the receiver.
    fn is_forward(&self, packet: &Packet) -> bool {
        self.senders.get(packet.flow.index()) == Some(&packet.source)
    }
}

fn udp(out: &mut Vec<u8>, packet: &Packet, (source, destination): (u16, u16), payload: &[u8]) {
    let ip = ip_header(packet, IpNumber::UDP, UdpHeader::LEN + payload.len());
    let header = UdpHeader::with_ipv4_checksum(source, destination, &ip, payload)
        .expect("payloads are shorter than a datagram");
    out.extend_from_slice(&ip.to_bytes());
    out.extend_from_slice(&header.to_bytes());
    out.extend_from_slice(payload);
}

/// The IPv4 header. The identification is the packet's number in the run, the same at every hop.
fn ip_header(packet: &Packet, protocol: IpNumber, length: usize) -> Ipv4Header {
    let length = u16::try_from(length).expect("payload_length bounds it");
    let (source, destination) = (ipv4(packet.source), ipv4(packet.destination));
    let mut header =
        Ipv4Header::new(length, packet.ttl, protocol, source, destination).expect("payload_length bounds it");
    header.identification = packet.uid as u16; // the low 16 bits
    header.header_checksum = header.calc_header_checksum();
    header
}

/// What the packet's size leaves for payload after `headers`.
fn payload_length(packet: &Packet, headers: usize) -> usize {
    (packet.size.0 as usize).min(LONGEST).saturating_sub(headers)
}

/// `length` bytes of the stream from offset `start`: a retransmission carries the same bytes.
fn pattern(start: u64, length: usize) -> Vec<u8> {
    let skip = (start % PATTERN.len() as u64) as usize; // below the pattern's length
    PATTERN.iter().copied().cycle().skip(skip).take(length).collect()
}

/// A stream offset as a 32-bit sequence number.
fn fold(initial: u32, offset: u64) -> u32 {
    initial.wrapping_add(1).wrapping_add(offset as u32) // modulo 2^32 is meant
}

fn route(line: &RouteAdvert) -> [u8; ROUTE] {
    let mut bytes = [0; ROUTE];
    bytes[..4].copy_from_slice(&ipv4(line.destination));
    bytes[4..8].copy_from_slice(&line.metric.to_be_bytes());
    bytes[8..].copy_from_slice(&line.sequence.to_be_bytes());
    bytes
}
