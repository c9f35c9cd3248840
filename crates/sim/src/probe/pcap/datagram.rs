//! IPv4 datagrams with real headers and checksums, from the engine's packets.
//!
//! RFC 791 (IPv4), RFC 9293 (TCP), RFC 2018 (SACK option), RFC 7323 (timestamps, window scale), RFC 9768 (accurate
//! ECN), RFC 6994 (ADTCP's option), RFC 768 (UDP), RFC 792 (ICMP: signals). Routing messages, routing headers and the
//! headers of other transports are the very bytes that the machines emit, in what their protocol says that carries
//! them.
//!
//! Deviation: the window of a data sender, which receives no data and advertises none, is written as 65 535 bytes;
//! windows that a header cannot say, for want of window scaling, too.

use etherparse::{
    IpDscp, IpEcn, IpNumber, Ipv4Header, Ipv4HeaderSlice, TcpHeader, TcpOptionElement, UdpHeader,
};
use multihop_proto::units::{Bytes, NodeId};
use multihop_proto::wire::address::{initial_sequence, ipv4, ports, sequence_number};
use multihop_proto::wire::ethernet::{self, Ethernet};
use multihop_proto::wire::{
    Carriage, Carried, Datagram, Dscp, MarkedBytes, Opaque, Packet, Payload, Protocol, Segment, Signal,
    Towards, flags,
};

use crate::scenario::Flow;

/// Longest IPv4 datagram (RFC 791 §3.1).
const LONGEST: usize = 65_535;
const IPV4: usize = Ipv4Header::MIN_LEN;
/// Bytes of options that a TCP header has room for (RFC 9293 §3.1).
const ROOM: u32 = 40;
/// Where the reserved bits of a TCP header are, which of them agents set, and where its checksum is (RFC 9293 §3.1).
const FLAGS: usize = 12;
const RESERVED: u32 = 2;
const CHECKSUM: usize = 16;
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

    /// Appends the datagram of a packet: the headers that the standards have, and its payload, as far as field widths
    /// allow. A routing message is as long as its bytes. What the simulation counts may be another length:
    /// [`simulated_length`].
    pub(super) fn append(&self, out: &mut Vec<u8>, carried: &Carried<'_>) {
        let packet = carried.packet;
        match &packet.payload {
            Payload::Tcp(segment) => tcp(out, carried, segment),
            Payload::Udp(datagram) => {
                let length = payload_length(carried, datagram.len, UdpHeader::LEN);
                let forward = packet.towards == Towards::Destination;
                udp(out, carried, ports(packet.flow, forward), &pattern(0, length));
            }
            Payload::Signal(signal) => self.signal(out, carried, signal),
            Payload::Transport(datagram) => transport(out, carried, datagram),
            Payload::Opaque(datagram) => opaque(out, carried, datagram),
            Payload::Message { protocol, .. } => message(out, carried, *protocol),
        }
    }

    fn signal(&self, out: &mut Vec<u8>, carried: &Carried<'_>, signal: &Signal) {
        let flow = carried.packet.flow;
        // What a signal quotes ran from the flow's sender or back.
        let forward = self.senders.get(flow.index()) == Some(&signal.source);
        let message = signal.emit(flow, forward);
        begin(out, &ip_header(carried, IpNumber::ICMP, message.len()), carried);
        out.extend_from_slice(&message);
    }
}

fn tcp(out: &mut Vec<u8>, carried: &Carried<'_>, segment: &Segment) {
    let mut header = tcp_header(carried.packet, segment);
    let payload = pattern(segment.seq, payload_length(carried, segment.len, header.header_len()));
    let ip = ip_header(carried, IpNumber::TCP, header.header_len() + payload.len());
    header.checksum = header.calc_checksum_ipv4(&ip, &payload).expect("payload_length bounds it");
    begin(out, &ip, carried);
    let mut header = header.to_bytes();
    if segment.flags & (flags::ELN | flags::END_TO_END) != 0 {
        mark(&mut header);
    }
    out.extend_from_slice(&header);
    out.extend_from_slice(&payload);
}

fn tcp_header(packet: &Packet, segment: &Segment) -> TcpHeader {
    let forward = packet.towards == Towards::Destination;
    let (source, destination) = ports(packet.flow, forward);
    let (own, other) = (initial_sequence(packet.flow, forward), initial_sequence(packet.flow, !forward));
    let syn = segment.flags & flags::SYN != 0;
    // The SYN takes the initial number itself; byte 0 of the stream has the next one.
    let sequence = if syn { own } else { sequence_number(own, segment.seq) };
    let window = if forward && segment.window == 0 { u32::MAX } else { segment.window };
    let scale = if syn { 0 } else { segment.scale };
    let window = u16::try_from(window >> scale).unwrap_or(u16::MAX);
    let mut header = TcpHeader::new(source, destination, sequence, window);
    header.syn = syn;
    header.ece = segment.flags & flags::ECE != 0;
    header.cwr = segment.flags & flags::CWR != 0;
    header.ns = segment.ae;
    if segment.flags & flags::ACK != 0 {
        header.ack = true;
        header.acknowledgment_number = sequence_number(other, segment.ack);
    }
    header.set_options(&options(segment, other)).expect("there is room for so many blocks");
    let (counts, path) =
        (segment.sack.marked_bytes().map(MarkedBytes::emit), segment.path.emit(packet.created));
    for whole in [counts, path].into_iter().flatten() {
        let options = [header.options.as_slice(), &whole].concat();
        header.set_options_raw(&options).expect("there is room beside it");
    }
    header
}

/// Sets the last of the reserved bits, in which agents leave their mark, and corrects the checksum (RFC 1624 equation
/// 3).
fn mark(header: &mut [u8]) {
    header[FLAGS] |= RESERVED as u8;
    let sum = u32::from(!u16::from_be_bytes([header[CHECKSUM], header[CHECKSUM + 1]])) + (RESERVED << 8);
    let folded = !((sum & 0xffff) as u16 + (sum >> 16) as u16);
    header[CHECKSUM..CHECKSUM + 2].copy_from_slice(&folded.to_be_bytes());
}

/// The options of a segment, each padded to words: timestamps, window scale, and as many blocks of SACK as these and
/// the path leave room for. `other`: the initial number of the other end.
fn options(segment: &Segment, other: u32) -> Vec<TcpOptionElement> {
    let mut options = Vec::new();
    if segment.times.is_present() {
        let times = TcpOptionElement::Timestamp(segment.times.value(), segment.times.echo());
        options.extend([TcpOptionElement::Noop, TcpOptionElement::Noop, times]);
    }
    if segment.scale > 0 && segment.flags & flags::SYN != 0 {
        options.extend([TcpOptionElement::Noop, TcpOptionElement::WindowScale(segment.scale)]);
    }
    let blocks = segment.sack.first(blocks_beside(segment));
    let mut blocks = blocks
        .around(segment.ack)
        .map(|(start, end)| (sequence_number(other, start), sequence_number(other, end)));
    if let Some(first) = blocks.next() {
        let rest = [blocks.next(), blocks.next(), None];
        let sack = TcpOptionElement::SelectiveAcknowledgement(first, rest);
        options.extend([TcpOptionElement::Noop, TcpOptionElement::Noop, sack]);
    }
    options
}

/// How many blocks of SACK fit into the 40 bytes of options beside the other options (RFC 2018 §3).
fn blocks_beside(segment: &Segment) -> u8 {
    let others = Segment { sack: segment.sack.first(0), ..*segment }.options();
    (ROOM.saturating_sub(others + 4) / 8) as u8 // at most four
}

/// A header that the transport has made, and payload.
fn transport(out: &mut Vec<u8>, carried: &Carried<'_>, datagram: &Datagram) {
    let Carriage::Ip(number) = datagram.protocol.carriage() else {
        return message(out, carried, datagram.protocol);
    };
    let room = LONGEST - IPV4 - header_bytes(carried).len();
    let header = &carried.message[..carried.message.len().min(room)];
    let payload = pattern(0, payload_length(carried, datagram.len, header.len()));
    begin(out, &ip_header(carried, IpNumber(number), header.len() + payload.len()), carried);
    out.extend_from_slice(header);
    out.extend_from_slice(&payload);
}

/// A datagram of another stack: what IP carries is as it was made; hop limit and congestion mark are those of this
/// copy.
fn opaque(out: &mut Vec<u8>, carried: &Carried<'_>, datagram: &Opaque) {
    let bytes = carried.message.get(usize::from(datagram.head)..).unwrap_or_default();
    let headers = Ipv4HeaderSlice::from_slice(bytes).map_or(IPV4, |header| header.slice().len());
    let room = LONGEST - IPV4 - header_bytes(carried).len();
    let inside = bytes.get(headers..).unwrap_or_default();
    let inside = &inside[..inside.len().min(room)];
    begin(out, &ip_header(carried, IpNumber(datagram.protocol), inside.len()), carried);
    out.extend_from_slice(inside);
}

fn message(out: &mut Vec<u8>, carried: &Carried<'_>, protocol: Protocol) {
    let room = LONGEST - IPV4 - header_bytes(carried).len();
    let body = carried.message;
    match protocol.carriage() {
        Carriage::Udp(port) => {
            let body = &body[..body.len().min(room.saturating_sub(UdpHeader::LEN))];
            udp(out, carried, (port, port), body);
        }
        Carriage::Ip(number) => {
            let body = &body[..body.len().min(room)];
            begin(out, &ip_header(carried, IpNumber(number), body.len()), carried);
            out.extend_from_slice(body);
        }
        Carriage::Link(_) => out.extend_from_slice(body),
        Carriage::Frame => out.extend_from_slice(body.get(ethernet::HEADER..).unwrap_or_default()),
    }
}

/// Whether it is a datagram of IPv4, and no frame with anything else.
pub(super) fn is_datagram(carried: &Carried<'_>) -> bool {
    ether_type(carried) == Some(ethernet::IPV4)
}

/// What stands in front of the packet: the EtherType of IPv4, or of a protocol beside it. None in front of a frame of
/// another stack that has a header of LLC itself.
pub(super) fn ether_type(carried: &Carried<'_>) -> Option<u16> {
    let Payload::Message { protocol, .. } = carried.packet.payload else { return Some(ethernet::IPV4) };
    match protocol.carriage() {
        Carriage::Link(ether_type) => Some(ether_type),
        Carriage::Ip(_) | Carriage::Udp(_) => Some(ethernet::IPV4),
        Carriage::Frame => {
            let kind = Ethernet::read(carried.message).map(|(header, _)| header.kind);
            kind.filter(|kind| *kind >= ethernet::LEAST_TYPE)
        }
    }
}

/// What to say of a packet that counts another length in the simulation than its datagram has: other simulators' agents
/// do, and so do their profiles. `header` is what nodes add to routing messages.
pub(super) fn simulated_length(carried: &Carried<'_>, header: Bytes) -> Option<String> {
    let packet = carried.packet;
    let (transport, added) = match &packet.payload {
        Payload::Message { protocol, .. } => {
            let length = carried.message.len();
            let length = match protocol.carriage() {
                Carriage::Udp(_) => IPV4 + UdpHeader::LEN + length,
                Carriage::Ip(_) => IPV4 + length,
                Carriage::Link(_) => length,
                Carriage::Frame => length.saturating_sub(ethernet::HEADER),
            };
            (length, header)
        }
        Payload::Tcp(segment) => {
            let length = tcp_header(packet, segment).header_len();
            (IPV4 + length + payload_length(carried, segment.len, length), Bytes::ZERO)
        }
        Payload::Udp(datagram) => {
            let length = UdpHeader::LEN;
            (IPV4 + length + payload_length(carried, datagram.len, length), Bytes::ZERO)
        }
        Payload::Signal(_) | Payload::Transport(_) | Payload::Opaque(_) => return None, // count what they are
    };
    let (written, counted) = (header_bytes(carried).len() + transport, packet.size + added);
    (counted.0 as usize != written).then(|| format!("simulated length {counted}, not {written} B"))
}

fn udp(out: &mut Vec<u8>, carried: &Carried<'_>, (source, destination): (u16, u16), payload: &[u8]) {
    let ip = ip_header(carried, IpNumber::UDP, UdpHeader::LEN + payload.len());
    let header = UdpHeader::with_ipv4_checksum(source, destination, &ip, payload)
        .expect("payloads are shorter than a datagram");
    begin(out, &ip, carried);
    out.extend_from_slice(&header.to_bytes());
    out.extend_from_slice(payload);
}

/// Appends the headers of IP and of routing.
fn begin(out: &mut Vec<u8>, ip: &Ipv4Header, carried: &Carried<'_>) {
    out.extend_from_slice(&ip.to_bytes());
    out.extend_from_slice(header_bytes(carried));
}

/// The IPv4 header in front of `length` bytes of `protocol` and of the routing header, which has a number of its own.
/// The identification is the packet's number in the run, the same at every hop.
fn ip_header(carried: &Carried<'_>, protocol: IpNumber, length: usize) -> Ipv4Header {
    let packet = carried.packet;
    let protocol = match packet.header.map(|header| header.protocol.carriage()) {
        Some(Carriage::Ip(number)) => IpNumber(number),
        Some(Carriage::Udp(_) | Carriage::Link(_) | Carriage::Frame) | None => protocol,
    };
    let length = u16::try_from(header_bytes(carried).len() + length).expect("payload_length bounds it");
    let (source, destination) = (ipv4(packet.source), ipv4(packet.destination));
    let mut header =
        Ipv4Header::new(length, packet.ttl, protocol, source, destination).expect("payload_length bounds it");
    header.identification = packet.uid as u16; // the low 16 bits
    header.dscp = dscp(carried.dscp);
    header.ecn = ecn(packet);
    header.header_checksum = header.calc_header_checksum();
    header
}

/// The codepoint, which etherparse has as a type of its own.
fn dscp(dscp: Dscp) -> IpDscp {
    IpDscp::try_new(dscp.number()).unwrap_or_default()
}

/// The ECN field: ECT(0), or CE (RFC 3168 §5).
const fn ecn(packet: &Packet) -> IpEcn {
    match &packet.payload {
        Payload::Tcp(Segment { flags: bits, .. }) if *bits & flags::CE != 0 => IpEcn::CongestionExperienced,
        Payload::Opaque(Opaque { ecn, .. }) if *ecn & flags::CE != 0 => IpEcn::CongestionExperienced,
        Payload::Tcp(Segment { flags: bits, .. }) | Payload::Opaque(Opaque { ecn: bits, .. })
            if *bits & flags::ECT != 0 =>
        {
            IpEcn::Ect0
        }
        _ => IpEcn::NotEct,
    }
}

/// The routing header, as far as the longest transport header leaves room in a datagram.
fn header_bytes<'a>(carried: &Carried<'a>) -> &'a [u8] {
    &carried.header[..carried.header.len().min(LONGEST - IPV4 - 60)]
}

/// `payload` bytes, or what a datagram has room for after a transport header of `length` bytes.
fn payload_length(carried: &Carried<'_>, payload: u32, length: usize) -> usize {
    let headers = IPV4 + header_bytes(carried).len() + length;
    (payload as usize).min(LONGEST.saturating_sub(headers))
}

/// `length` bytes of the stream from offset `start`: a retransmission carries the same bytes.
fn pattern(start: u64, length: usize) -> Vec<u8> {
    let skip = (start % PATTERN.len() as u64) as usize; // below the pattern's length
    PATTERN.iter().copied().cycle().skip(skip).take(length).collect()
}
