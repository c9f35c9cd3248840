//! A record, decoded by other hands than encoded it, against what went in.
//!
//! The encoder writes network headers with `etherparse`; here `smoltcp` reads them. Checksums are added up by this
//! file, as `smoltcp` takes every checksum for right when it is built for fuzzing. Radiotap and MAC headers are read
//! by the offsets of radiotap.org and of IEEE 802.11-2020 clause 9. The fuzz target `packet` includes this file: it
//! uses nothing of the crate that it is a test of.

use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::{
    Carried, Frame, FrameKind, MarkedBytes, Packet, PathOption, Payload, Protocol, Segment, Signal, address,
    flags, microseconds,
};
use smoltcp::wire::{Ipv4Packet, TcpPacket, UdpPacket};

/// What a record was made of.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// The packet of a data frame, with its bytes.
    pub carried: Option<Carried<'a>>,
    /// When the frame ended and at what power \[W\]; none if its sender captured it.
    pub received: Option<(SimTime, f64)>,
    /// Whether the packet runs from its flow's sender to the receiver.
    pub forward: bool,
}

/// What the scenario says of the radio: long preamble and header \[ns\].
const PREAMBLE_NS: u64 = 192_000;
/// Headers of IPv4 and UDP, and the longest datagram.
const IPV4: usize = 20;
const UDP: usize = 8;
const LONGEST: usize = 65_535;
/// RFC 3692's first protocol number for experiments.
const EXPERIMENT: u8 = 253;
const FRN: u8 = 254;
const DSR: u8 = 48;

/// Decodes a record and compares all that it says.
pub(crate) fn check(record: &[u8], made: &Made) {
    let mpdu = radiotap(record, made);
    let (body, fcs) = mpdu.split_at(mpdu.len() - 4);
    assert_eq!(fcs, crc32(body).to_le_bytes(), "FCS");
    let frame = made.frame;
    let kind = match (frame.kind, made.carried) {
        (FrameKind::Data, Some(_)) => 0x08,
        (FrameKind::Rts | FrameKind::Data, _) => 0xb4,
        (FrameKind::Cts, _) => 0xc4,
        (FrameKind::Ack, _) => 0xd4,
        (FrameKind::BlockAck, _) => 0x94,
        (FrameKind::BlockAckRequest, _) => 0x84,
        (FrameKind::CfEnd, _) => 0xe4,
    };
    let flags = if frame.retry { 0x08 } else { 0 } | if frame.more { 0x20 } else { 0 };
    assert_eq!(body[..2], [kind, flags], "frame control");
    let us = frame.duration.as_ns() / 1_000 + u64::from(!frame.duration.as_ns().is_multiple_of(1_000));
    assert_eq!(u64::from(u16::from_le_bytes([body[2], body[3]])), us.min(32_767), "duration");
    assert_eq!(body[4..10], mac(frame.to), "address 1");
    match kind {
        0x08 => {
            assert_eq!(body[10..16], mac(frame.from), "address 2");
            assert_eq!(body[16..22], [0x02, 0x6d, 0x68, 0x6f, 0x70, 0x73], "address 3");
            let control = u16::from_le_bytes([body[22], body[23]]);
            assert_eq!((control & 0xf, control >> 4), (0, frame.sequence & 0xfff), "fragment and number");
            let carried = made.carried.expect("a data frame");
            if let Payload::Message { protocol: Protocol::Ethernet, .. } = carried.packet.payload {
                return ethernet(&body[24..], carried.message);
            }
            assert_eq!(body[24..30], [0xaa, 0xaa, 3, 0, 0, 0], "LLC/SNAP");
            if let Payload::Message { protocol: Protocol::Arp, .. } = carried.packet.payload {
                assert_eq!(body[30..32], [8, 6], "EtherType of ARP");
                assert_eq!(&body[32..], carried.message);
            } else {
                assert_eq!(body[30..32], [8, 0], "EtherType of IPv4");
                datagram(&body[32..], &carried, made.forward);
            }
        }
        0xb4 => assert_eq!((body.len(), &body[10..16]), (16, &mac(frame.from)[..]), "RTS"),
        _ => assert_eq!(body.len(), 10, "no more than address 1"),
    }
}

/// A frame of another stack keeps its type and what it carries; one with a length has a header of LLC of its own.
fn ethernet(body: &[u8], frame: &[u8]) {
    let (kind, inside) = (frame.get(12..14).unwrap_or(&[0, 0]), frame.get(14..).unwrap_or_default());
    if kind[0] < 6 {
        return assert_eq!(body, inside);
    }
    assert_eq!(body[..8], [&[0xaa, 0xaa, 3, 0, 0, 0], kind].concat(), "LLC/SNAP");
    assert_eq!(&body[8..], inside);
}

/// Reads the radiotap header; returns what follows it.
fn radiotap<'a>(record: &'a [u8], made: &Made) -> &'a [u8] {
    let length = usize::from(u16::from_le_bytes([record[2], record[3]]));
    let (header, mpdu) = record.split_at(length);
    assert_eq!(header[..2], [0, 0], "version and padding");
    let present = u32::from_le_bytes(header[4..8].try_into().expect("four bytes"));
    let sent = made.received.is_none();
    // TSFT, flags, rate, channel, signal, TX power
    let rate = half_megabits(made.frame);
    assert_eq!(
        present,
        0b1010 | u32::from(rate.is_some()) << 2 | if sent { 1 << 10 } else { 1 | 1 << 5 },
        "present"
    );
    let mut at = 8;
    if let Some((ended, _)) = made.received {
        let stamp = u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        let mpdu = made.frame.airtime.as_ns().saturating_sub(PREAMBLE_NS);
        assert_eq!(stamp, ended.as_ns().saturating_sub(mpdu) / 1_000, "TSFT");
        at += 8;
    }
    assert_eq!(header[at], 0x10, "flags: an FCS follows, and it is right");
    if let Some(rate) = rate {
        assert_eq!(header[at + 1], rate, "rate");
        at += 1;
    }
    at += 1;
    at += at % 2;
    assert_eq!(header[at..at + 4], [0x92, 0x03, 0x20, 0x00], "914 MHz, CCK");
    let power = header[at + 4] as i8;
    match made.received {
        None => assert_eq!(power, 24, "281.8 mW are 24.4999 dBm"),
        Some((_, watts)) if watts > 1e-15 && watts < 1e9 => {
            assert!(
                (f64::from(power) - (10.0 * libm::log10(watts) + 30.0)).abs() < 0.5 + 1e-9,
                "{power} dBm"
            );
        }
        Some(_) => {}
    }
    assert_eq!(at + 5, length, "nothing else");
    mpdu
}

/// The rate of the frame in units of 500 kb/s, if it is some of them.
fn half_megabits(frame: &Frame) -> Option<u8> {
    let rate = frame.tx.rate().as_bps();
    (1..=255).find(|&units| u64::from(units) * 500_000 == rate)
}

/// Reads an IPv4 datagram.
fn datagram(bytes: &[u8], carried: &Carried<'_>, forward: bool) {
    let packet = carried.packet;
    let ip = Ipv4Packet::new_checked(bytes).expect("an IPv4 datagram");
    let ecn = match packet.payload {
        Payload::Tcp(Segment { flags: said, .. }) if said & flags::CE != 0 => 3,
        Payload::Tcp(Segment { flags: said, .. }) if said & flags::ECT != 0 => 2,
        _ => 0,
    };
    assert_eq!((ip.version(), ip.header_len(), ip.dscp(), ip.ecn()), (4, 20, carried.dscp.number(), ecn));
    assert_eq!(usize::from(ip.total_len()), bytes.len(), "total length");
    assert_eq!(ip.ident(), packet.uid as u16, "identification: the low bits of the packet's number");
    assert!(!ip.more_frags() && ip.frag_offset() == 0, "not a fragment");
    assert_eq!(ip.hop_limit(), packet.ttl, "TTL");
    assert_eq!(ip.src_addr().octets(), ipv4(packet.source), "source");
    assert_eq!(ip.dst_addr().octets(), ipv4(packet.destination), "destination");
    assert_eq!(sum(&bytes[..IPV4]), 0xffff, "header checksum");
    let header = &carried.header[..carried.header.len().min(LONGEST - 80)];
    let (front, body) = ip.payload().split_at(header.len());
    assert_eq!(front, header, "routing header");
    let protocol = match &packet.payload {
        Payload::Tcp(_) => 6,
        Payload::Udp(_) | Payload::Message { protocol: Protocol::Dsdv | Protocol::Aodv, .. } => 17,
        Payload::Signal(_) => 1,
        Payload::Transport(_) => EXPERIMENT,
        Payload::Opaque(datagram) => datagram.protocol,
        Payload::Message { protocol: Protocol::Dsr, .. } => DSR,
        Payload::Message { protocol: Protocol::Frn, .. } => FRN,
        Payload::Message { protocol: Protocol::HopRate | Protocol::Atp | Protocol::Experimental, .. } => {
            EXPERIMENT
        }
        Payload::Message { protocol: Protocol::Arp | Protocol::Ethernet, .. } => panic!("no datagram"),
    };
    let first = match packet.header.map(|header| header.protocol) {
        Some(Protocol::Dsr) => DSR,
        Some(_) => EXPERIMENT,
        None => protocol,
    };
    assert_eq!(u8::from(ip.next_header()), first, "protocol");
    if [6, 17].contains(&protocol) {
        let length = u16::try_from(body.len()).expect("16 bits").to_be_bytes();
        let pseudo = [&bytes[12..20], &[0, protocol], &length, body].concat();
        assert_eq!(sum(&pseudo), 0xffff, "checksum");
    }
    let before = IPV4 + header.len();
    match &packet.payload {
        Payload::Tcp(segment) => tcp(body, packet, segment, before, forward),
        Payload::Udp(datagram) => {
            let expected = room(datagram.len, before + UDP);
            assert!(is_pattern(udp(body, ports(packet.flow, forward)), 0, expected), "payload");
        }
        Payload::Signal(signal) => icmp(body, packet, signal),
        Payload::Opaque(_) => {
            assert_eq!(body, &carried.message[IPV4..carried.message.len().min(LONGEST - header.len())]);
        }
        Payload::Transport(datagram) => {
            let header = &carried.message[..carried.message.len().min(LONGEST - before)];
            let (front, payload) = body.split_at(header.len());
            assert_eq!(front, header, "transport header");
            assert!(is_pattern(payload, 0, room(datagram.len, before + header.len())), "payload");
        }
        Payload::Message { protocol: protocol @ (Protocol::Dsdv | Protocol::Aodv), .. } => {
            let most = LONGEST - before - UDP;
            let message = &carried.message[..carried.message.len().min(most)];
            let port = if *protocol == Protocol::Aodv { 654 } else { 65_535 };
            assert_eq!(udp(body, (port, port)), message);
        }
        Payload::Message {
            protocol:
                Protocol::Dsr
                | Protocol::Frn
                | Protocol::HopRate
                | Protocol::Atp
                | Protocol::Experimental
                | Protocol::Ethernet
                | Protocol::Arp,
            ..
        } => {
            assert_eq!(body, &carried.message[..carried.message.len().min(LONGEST - before)]);
        }
    }
}

/// Reads a signal: by hand, then with the engine's own codec.
fn icmp(body: &[u8], packet: &Packet, signal: &Signal) {
    assert_eq!((body[0], body[1]), signal.kind.icmp(), "type and code");
    assert_eq!(sum(body), 0xffff, "checksum");
    assert_eq!(sum(&body[8..28]), 0xffff, "checksum of the quoted header");
    assert_eq!(body[20..28], [ipv4(signal.source), ipv4(signal.destination)].concat());
    let known = |node: NodeId| node == NodeId::BROADCAST || node.0 < address::MOST_NODES;
    if known(signal.source) && known(signal.destination) {
        let told = Signal { sequence: signal.sequence & 0xffff_ffff, ..*signal };
        assert_eq!(Signal::parse(body, packet.flow), Ok(told));
    }
}

fn udp(body: &[u8], ports: (u16, u16)) -> &[u8] {
    let header = UdpPacket::new_checked(body).expect("UDP");
    assert_eq!((header.src_port(), header.dst_port()), ports, "ports");
    assert_eq!(usize::from(header.len()), body.len(), "length");
    assert_ne!(header.checksum(), 0, "there is a checksum");
    &body[UDP..]
}

fn tcp(body: &[u8], packet: &Packet, segment: &Segment, before: usize, forward: bool) {
    let header = TcpPacket::new_checked(body).expect("TCP");
    assert_eq!((header.src_port(), header.dst_port()), ports(packet.flow, forward), "ports");
    let (own, other) = (initial(packet.flow, forward), initial(packet.flow, !forward));
    let (syn, ack) = (segment.flags & flags::SYN != 0, segment.flags & flags::ACK != 0);
    assert_eq!((header.syn(), header.ack()), (syn, ack));
    let others = [header.fin(), header.rst(), header.psh(), header.urg()];
    assert_eq!(header.ns(), segment.ae, "accurate ECN");
    let reserved = if segment.flags & (flags::ELN | flags::END_TO_END) == 0 { 0 } else { 2 };
    assert_eq!(body[12] & 0x0e, reserved, "marks of agents");
    let ecn = (segment.flags & flags::ECE != 0, segment.flags & flags::CWR != 0);
    assert_eq!((header.ece(), header.cwr()), ecn);
    assert_eq!((others, header.urgent_at()), ([false; 4], 0), "no flag that the engine does not know");
    let sequence = if syn { own } else { folded(own, segment.seq) };
    assert_eq!(header.seq_number().0 as u32, sequence, "sequence number");
    let acknowledged = if ack { folded(other, segment.ack) } else { 0 };
    assert_eq!(header.ack_number().0 as u32, acknowledged, "acknowledgment number");
    let idle_sender = forward && segment.window == 0;
    let shift = if syn { 0 } else { segment.scale };
    let window = if idle_sender { 65_535 } else { (segment.window >> shift).min(65_535) };
    assert_eq!(u32::from(header.window_len()), window, "window");
    let times = if segment.times.is_present() { 12 } else { 0 };
    if times > 0 {
        let (value, echo) = (segment.times.value(), segment.times.echo());
        let option = [&[1, 1, 8, 10][..], &value.to_be_bytes(), &echo.to_be_bytes()].concat();
        assert_eq!(body[20..32], option, "timestamps");
    }
    let scale = if syn && segment.scale > 0 { 4 } else { 0 };
    if scale > 0 {
        assert_eq!(body[20 + times..24 + times], [1, 3, 3, segment.scale], "window scale");
    }
    let counts = if segment.sack.marked_bytes().is_some() { 8 } else { 0 };
    let others = times + scale + counts + segment.path.size() as usize;
    let fit = (36 - others) / 8;
    let mut ranges = [None; 3];
    let sacked = segment.sack.first(fit as u8);
    for (slot, (start, end)) in ranges.iter_mut().zip(sacked.around(segment.ack)) {
        *slot = Some((folded(other, start), folded(other, end)));
    }
    assert_eq!(header.selective_ack_ranges().expect("options"), ranges, "SACK blocks");
    let blocks = ranges.iter().flatten().count(); // those that begin with the stream or later
    let option = if blocks == 0 { 0 } else { 4 + 8 * blocks };
    let bytes = 20 + option + others;
    assert_eq!(usize::from(header.header_len()), bytes, "data offset");
    let before_path = bytes - segment.path.size() as usize;
    if let Ok(told) = <[u8; 8]>::try_from(&body[before_path - counts..before_path]) {
        assert_eq!(MarkedBytes::parse(told).ok(), segment.sack.marked_bytes(), "option of accurate ECN");
    }
    if let Ok(path) = <[u8; 8]>::try_from(&body[before_path..bytes]) {
        let sent = if segment.path == PathOption::Sent { microseconds(packet.created) } else { 0 };
        assert_eq!(PathOption::parse(path), Ok((segment.path, sent)), "option of the path");
    }
    assert!(is_pattern(header.payload(), segment.seq, room(segment.len, before + bytes)), "payload");
}

/// How much of a payload a datagram has room for after its headers.
fn room(payload: u32, headers: usize) -> usize {
    (payload as usize).min(LONGEST.saturating_sub(headers))
}

/// Whether these are `length` bytes of the stream of repeated alphabets, from `offset`.
fn is_pattern(bytes: &[u8], offset: u64, length: usize) -> bool {
    let letter = |index: usize| b'a' + ((offset % 26 + index as u64) % 26) as u8;
    bytes.len() == length && bytes.iter().enumerate().all(|(index, &byte)| byte == letter(index))
}

fn mac(node: NodeId) -> [u8; 6] {
    if node == NodeId::BROADCAST {
        return [0xff; 6];
    }
    let number = u64::from(node.0) + 1;
    (0x0200_0000_0000 | number).to_be_bytes()[2..].try_into().expect("six bytes")
}

fn ipv4(node: NodeId) -> [u8; 4] {
    if node == NodeId::BROADCAST {
        return [0xff; 4];
    }
    (0x0a00_0000 | ((node.0 + 1) & 0x00ff_ffff)).to_be_bytes()
}

fn ports(flow: FlowId, forward: bool) -> (u16, u16) {
    let number = (flow.0 % 8_191) as u16;
    let (sender, receiver) = (49_152 + number, 57_344 + number);
    if forward { (sender, receiver) } else { (receiver, sender) }
}

fn initial(flow: FlowId, forward: bool) -> u32 {
    let way = u64::from(flow.0) * 2 + u64::from(!forward) + 1;
    way.wrapping_mul(0x9e37_79b1) as u32
}

/// A stream offset as a sequence number: byte 0 follows the SYN.
fn folded(initial: u32, offset: u64) -> u32 {
    (u64::from(initial).wrapping_add(1).wrapping_add(offset) & 0xffff_ffff) as u32
}

/// The one's-complement sum of RFC 1071.
pub(crate) fn sum(bytes: &[u8]) -> u16 {
    let mut sum = 0_u32;
    for pair in bytes.chunks(2) {
        sum += u32::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// CRC-32 bit by bit (IEEE 802.11-2020 §9.2.4.8).
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}
