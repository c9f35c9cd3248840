//! The fields of the headers.

use etherparse::{TcpOptionElement, TcpSlice, UdpSlice};
use multihop_proto::mac::DcfConfig;
use multihop_proto::mac::config::Standard;
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, NodeId, SimTime};
use multihop_proto::wire::{
    BatchId, Bitmap, Carried, Dscp, Frame, FrameKind, MarkedBytes, Packet, PacketId, PathOption, PathState,
    Payload, SackBlocks, Segment, Timestamps, Towards, UdpDatagram, UserPriority, flags,
};

use super::{CHAIN, check_datagram, packet, scenario};
use crate::probe::pcap::datagram::{Datagrams, simulated_length};
use crate::probe::pcap::frame::{a_msdu, control, data};
use crate::scenario::Resolved;

fn chain() -> Resolved {
    scenario(CHAIN, &[])
}

/// A packet without bytes of its own.
fn plain(packet: &Packet) -> Carried<'_> {
    Carried { packet, message: &[], header: &[], dscp: Dscp::DEFAULT }
}

fn datagram(packet: &Packet) -> Vec<u8> {
    carried(&plain(packet))
}

fn carried(carried: &Carried<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    Datagrams::new(&chain().flows).append(&mut bytes, carried);
    check_datagram(&bytes);
    bytes
}

fn data_segment(seq: u64) -> Packet {
    packet(Segment { seq, len: 1460, flags: flags::ACK, ..Segment::default() })
}

/// A segment on its way back.
fn answer(segment: Segment) -> Packet {
    Packet { source: NodeId(2), destination: NodeId(0), towards: Towards::Source, ..packet(segment) }
}

#[test]
fn the_datagram_is_as_long_as_the_packet() {
    let bytes = datagram(&Packet { uid: 0x1_2345, ..data_segment(0) });
    assert_eq!(bytes.len(), 1500);
    assert_eq!(bytes[4..6], [0x23, 0x45], "identification: the packet's number");
    assert_eq!(bytes[12..20], [10, 0, 0, 1, 10, 0, 0, 3]);
}

/// Where a segment counts other headers than it has, its payload is what it is, and the packet says what was counted.
#[test]
fn the_payload_is_the_segments_whatever_length_is_counted() {
    for (size, note) in [
        (1460, Some("simulated length 1460 B, not 1500 B")),
        (1500, None),
        (1520, Some("simulated length 1520 B, not 1500 B")),
    ] {
        let packet = Packet { size: Bytes(size), ..data_segment(0) };
        let bytes = datagram(&packet);
        let tcp = TcpSlice::from_slice(&bytes[20..]).expect("TCP");
        assert_eq!((bytes.len(), tcp.payload().len()), (1500, 1460), "{size}");
        assert_eq!(simulated_length(&plain(&packet), Bytes::ZERO).as_deref(), note, "{size}");
    }
}

#[test]
fn the_stream_begins_after_the_syn() {
    let tcp = |packet: &Packet| TcpSlice::from_slice(&datagram(packet)[20..]).expect("TCP").to_header();
    let syn = tcp(&packet(Segment { flags: flags::SYN, ..Segment::default() }));
    assert!(syn.syn && !syn.ack);
    let answer =
        tcp(&answer(Segment { flags: flags::SYN | flags::ACK, window: 14_600, ..Segment::default() }));
    assert!(answer.syn && answer.ack);
    assert_eq!(answer.acknowledgment_number, syn.sequence_number.wrapping_add(1));
    assert_eq!((answer.source_port, answer.destination_port), (syn.destination_port, syn.source_port));
    assert_eq!(answer.window_size, 14_600);
    let first = tcp(&data_segment(0));
    assert_eq!(first.sequence_number, syn.sequence_number.wrapping_add(1));
    assert_eq!(first.acknowledgment_number, answer.sequence_number.wrapping_add(1));
    assert_eq!(first.window_size, 65_535);
}

/// ADTCP's option beside three blocks: as long as it counts in the simulation, and read back as it was meant.
#[test]
fn what_the_ends_say_of_the_path_stands_in_an_option() {
    let mut sack = SackBlocks::default();
    (1..4).for_each(|block| sack.push(block * 3000, 1000));
    let option = |packet: &Packet| {
        let bytes = datagram(packet);
        let tcp = TcpSlice::from_slice(&bytes[20..]).expect("TCP").to_header();
        let options = tcp.options.as_slice();
        let last: [u8; 8] = options[options.len() - 8..].try_into().expect("eight bytes");
        (bytes.len(), PathOption::parse(last).expect("the option"))
    };
    let state = PathOption::State(PathState::RouteChange);
    let said = Segment { flags: flags::ACK, sack, path: state, ..Segment::default() };
    let said = Packet { size: Bytes(40 + 28 + state.size()), ..answer(said) };
    assert_eq!(option(&said), (76, (state, 0)));
    let sent = Packet {
        size: Bytes(1500 + PathOption::Sent.size()),
        created: SimTime::from_us(1_234_567),
        ..packet(Segment { len: 1460, flags: flags::ACK, path: PathOption::Sent, ..Segment::default() })
    };
    assert_eq!(option(&sent), (1508, (PathOption::Sent, 1_234_567)));
}

/// Timestamps, window scale and three blocks: as long as they count in the simulation, and read back as they were
/// meant. The window of a SYN is not scaled (RFC 7323 §2.2).
#[test]
fn timestamps_and_window_scale_stand_in_options() {
    let mut sack = SackBlocks::default();
    (1..4).for_each(|block| sack.push(block * 3000, 1000));
    let times = Timestamps::new(SimTime::from_ms(41), 7);
    let read = |segment: Segment| {
        let bytes = datagram(&answer(segment));
        let tcp = TcpSlice::from_slice(&bytes[20..]).expect("TCP");
        let all: Vec<_> = tcp.options_iterator().map(|option| option.expect("an option")).collect();
        assert_eq!(bytes.len() as u32, 40 + segment.options());
        (tcp.window_size(), all.contains(&TcpOptionElement::Timestamp(42, 7)), all)
    };
    let segment =
        Segment { flags: flags::ACK, window: 100 << 7, times, scale: 7, sack, ..Segment::default() };
    let (window, has_times, all) = read(segment);
    assert_eq!((window, has_times, all.len()), (100, true, 6));
    let syn = Segment { flags: flags::ACK | flags::SYN, sack: SackBlocks::default(), ..segment };
    let (window, has_times, all) = read(syn);
    assert!(all.contains(&TcpOptionElement::WindowScale(7)));
    assert_eq!((window, has_times), (12_800, true));
}

#[test]
fn ecn_stands_in_both_headers() {
    let read = |segment: Segment| {
        let bytes = datagram(&packet(segment));
        let tcp = TcpSlice::from_slice(&bytes[20..]).expect("TCP").to_header();
        (bytes[1] & 3, tcp.ece, tcp.cwr, bytes[32] & 2 != 0)
    };
    let segment = |flags| Segment { len: 1460, flags: flags::ACK | flags, ..Segment::default() };
    assert_eq!(read(segment(0)), (0, false, false, false));
    assert_eq!(read(segment(flags::ECT)), (2, false, false, false), "ECT(0)");
    assert_eq!(read(segment(flags::ECT | flags::CE | flags::CWR)), (3, false, true, false), "CE");
    assert_eq!(read(segment(flags::ECE)), (0, true, false, false));
    assert_eq!(read(segment(flags::END_TO_END)), (0, false, false, true), "Split TCP's mark");
    let offer = Segment { flags: flags::SYN | flags::ECE | flags::CWR, ..Segment::default() };
    assert_eq!(read(offer), (0, true, true, false), "a SYN is never marked");
}

/// RFC 9768 §3.1.1, §3.2.3: a ninth flag and an option; an agent's mark is another bit.
#[test]
fn accurate_ecn_stands_in_the_tcp_header() {
    let (times, mut sack) = (Timestamps::new(SimTime::from_ms(41), 7), SackBlocks::default());
    (0..3).for_each(|block| sack.push(block * 10_000, 1460));
    let counts = MarkedBytes { ect0: 0x01_0203, ce: 0x04_0506 };
    let ack = Segment { flags: flags::ACK, times, sack: sack.beside(counts), ..Segment::default() };
    for (ace, said, mark) in [(5, flags::ACK, 0), (2, flags::ACK | flags::END_TO_END, 2), (7, flags::ACK, 0)]
    {
        let segment = Segment { flags: said, ..ack }.with_ace(ace);
        let bytes = datagram(&answer(segment));
        assert_eq!((bytes[32] & 0x0f, bytes[33] >> 6), (mark | ace >> 2, ace & 3), "flags");
        assert_eq!(bytes.len() as u32, 40 + segment.options());
        assert_eq!(
            (bytes.len(), &bytes[72..]),
            (80, &[172, 8, 1, 2, 3, 4, 5, 6][..]),
            "twelve, twenty and eight"
        );
    }
}

#[test]
fn the_codepoint_stands_beside_ecn() {
    let packet = packet(Segment { flags: flags::ACK | flags::ECT, ..Segment::default() });
    let bytes = carried(&Carried { dscp: Dscp::EF, ..plain(&packet) });
    assert_eq!(bytes[1], 46 << 2 | 2);
}

#[test]
fn offsets_beyond_32_bits_wrap() {
    let sequence = |seq| {
        let bytes = datagram(&data_segment(seq));
        TcpSlice::from_slice(&bytes[20..]).expect("TCP").sequence_number()
    };
    assert_eq!(sequence(0), sequence(1 << 32));
    assert_eq!(sequence(u64::from(u32::MAX)).wrapping_add(1), sequence(0));
}

#[test]
fn a_retransmission_carries_the_same_bytes() {
    let stream = |seq: u64, from: usize| datagram(&data_segment(seq))[40 + from..][..100].to_vec();
    assert_eq!(stream(0, 1000), stream(1000, 0));
}

#[test]
fn sack_blocks_are_an_option_of_the_size_that_the_engine_counts() {
    let mut sack = SackBlocks::default();
    for block in 1..=3_u64 {
        sack.push(block * 10_000, 1460);
        let segment = Segment { ack: 5, flags: flags::ACK, sack, ..Segment::default() };
        let option = 4 + 8 * sack.len() as u32;
        let bytes = datagram(&Packet { size: Bytes(40 + option), ..answer(segment) });
        assert_eq!(bytes.len(), 40 + option as usize);
        let tcp = TcpSlice::from_slice(&bytes[20..]).expect("TCP");
        assert!(tcp.payload().is_empty());
        let options: Vec<_> = tcp.options_iterator().map(|option| option.expect("well-formed")).collect();
        let [
            TcpOptionElement::Noop,
            TcpOptionElement::Noop,
            TcpOptionElement::SelectiveAcknowledgement(first, rest),
        ] = &options[..]
        else {
            panic!("{options:?}");
        };
        let base = tcp.acknowledgment_number().wrapping_sub(5);
        assert_eq!(*first, (base.wrapping_add(10_000), base.wrapping_add(11_460)));
        assert_eq!(rest.iter().flatten().count() as u64, block - 1);
    }
}

#[test]
fn a_datagram_fills_its_packet() {
    let udp = Packet {
        size: Bytes(28 + 512),
        payload: Payload::Udp(UdpDatagram { number: 7, len: 512 }),
        ..data_segment(0)
    };
    assert_eq!(UdpSlice::from_slice(&datagram(&udp)[20..]).expect("UDP").payload().len(), 512);
}

#[test]
fn frames_have_the_fields_of_the_standard() {
    let frame = Frame {
        kind: FrameKind::Rts,
        retry: false,
        more: false,
        sequence: 0xabc,
        from: NodeId(1),
        to: NodeId(2),
        packet: PacketId::NONE,
        second: None,
        batch: BatchId::NONE,
        priority: UserPriority::BEST_EFFORT,
        size: Bytes(20),
        duration: Dur::from_ns(1_001),
        tx: TxVector::dsss(Bitrate::from_mbps(1), Preamble::Long),
        airtime: Dur::from_us(352),
    };
    let rts = control(&frame, Bitmap::NONE);
    assert_eq!(rts[..16], [0xb4, 0, 2, 0, 2, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 2], "duration rounded up");
    assert_eq!(rts.len(), 20);
    for (kind, byte) in [(FrameKind::Cts, 0xc4), (FrameKind::Ack, 0xd4)] {
        let bytes = control(&Frame { kind, ..frame }, Bitmap::NONE);
        assert_eq!((bytes[0], bytes.len()), (byte, 14));
    }
    let datagrams = Datagrams::new(&chain().flows);
    let frame = Frame { kind: FrameKind::Data, retry: true, ..frame };
    let mpdu = data(&datagrams, &frame, frame.to, &plain(&data_segment(0)));
    assert_eq!(mpdu.len(), 24 + 8 + 1500 + 4);
    assert_eq!(mpdu[..2], [0x08, 0x08], "data, retry");
    assert_eq!(mpdu[22..24], [0xc0, 0xab], "fragment 0 of number 0xabc");
    // With an MCS they are QoS data, with the TID in the QoS control field and in that of block acks.
    let priority = UserPriority::new(6);
    let tx = DcfConfig { standard: Standard::N, ..DcfConfig::default() }.data_vector();
    let mpdu = data(&datagrams, &Frame { priority, tx, ..frame }, frame.to, &plain(&data_segment(0)));
    assert_eq!((mpdu.len(), mpdu[0], &mpdu[24..26]), (26 + 8 + 1500 + 4, 0x88, &[6, 0][..]));
    // An A-MSDU: the bit in QoS control, and before each packet its destination, source and length.
    let (first, second) = (data_segment(0), data_segment(1));
    let inside = [plain(&first), plain(&second)];
    let mpdu = a_msdu(&datagrams, &Frame { priority, tx, ..frame }, &inside);
    assert_eq!((mpdu.len(), &mpdu[24..26]), (26 + 2 * (14 + 8 + 1500) + 2 + 4, &[0x86, 0][..]));
    let subframe = [&mpdu[4..10], &mpdu[10..16], &[0x05, 0xe4, 0xaa][..]].concat();
    assert_eq!((&mpdu[26..41], &mpdu[26 + 1524..41 + 1524]), (&subframe[..], &subframe[..]));
    assert_eq!(mpdu[26 + 1522..26 + 1524], [0; 2], "padding");
    for kind in [FrameKind::BlockAck, FrameKind::BlockAckRequest] {
        let bytes = control(&Frame { kind, priority, ..frame }, Bitmap::NONE);
        assert_eq!(bytes[16..18], [0x04, 0x60], "compressed, TID 6");
    }
}
