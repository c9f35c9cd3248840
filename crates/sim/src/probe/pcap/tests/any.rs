//! Whatever the packet and the frame: well-formed records, no panic.

use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{
    BatchId, Bitmap, Frame, FrameKind, LinkHeader, MarkedBytes, Packet, PacketId, PacketKind, PacketStore,
    PathOption, PathState, Payload, Protocol, SackBlocks, Segment, Signal, SignalKind, Timestamps, Towards,
    UdpDatagram, UserPriority,
};
use proptest::prelude::*;

use super::decode::{Made, check};
use super::{CHAIN, Shared, scenario};
use crate::probe::pcap::datagram::{Datagrams, simulated_length};
use crate::probe::pcap::encode;
use crate::probe::pcap::frame::{control, data};
use crate::probe::pcap::radiotap::Radio;
use crate::probe::pcap::writer::{Direction, NodeFile, Reception};

fn segment() -> impl Strategy<Value = Segment> {
    let blocks = prop::collection::vec((0..u64::MAX / 2, any::<u32>()), 0..5);
    let paths = [PathOption::None, PathOption::Sent, PathOption::State(PathState::Congestion)];
    let path = prop::sample::select(paths.to_vec());
    let times = (0u64..10_000, any::<u32>(), any::<bool>()).prop_map(|(ms, echo, present)| {
        if present { Timestamps::new(SimTime::from_ms(ms), echo) } else { Timestamps::NONE }
    });
    let shape = (any::<u32>(), any::<u8>(), any::<u32>(), 0u8..15);
    let counts = prop::option::of((0u32..1 << 24, 0u32..1 << 24));
    (any::<u64>(), any::<u64>(), shape, blocks, path, times, (counts, any::<bool>())).prop_map(
        |(seq, ack, (len, flags, window, scale), blocks, path, times, (counts, ae))| {
            let mut sack = SackBlocks::default();
            blocks.into_iter().for_each(|(start, length)| sack.push(start, length));
            if let Some((ect0, ce)) = counts {
                sack = sack.beside(MarkedBytes { ect0, ce });
            }
            Segment { seq, ack, len, flags, window, sack, times, scale, path, ae }
        },
    )
}

/// What a packet carries; bytes are its message, or its routing header.
#[derive(Clone, Debug)]
enum Body {
    Plain(Payload),
    Message(Protocol, Vec<u8>),
    Transport(u64, u32, Vec<u8>),
}

fn protocol() -> impl Strategy<Value = Protocol> {
    prop::sample::select(vec![
        Protocol::Dsdv,
        Protocol::Aodv,
        Protocol::Arp,
        Protocol::Ethernet,
        Protocol::Frn,
        Protocol::Experimental,
    ])
}

/// Seldom more than a datagram has room for.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        9 => prop::collection::vec(any::<u8>(), 0..200),
        1 => any::<u8>().prop_map(|byte| vec![byte; 66_000]),
    ]
}

fn signal() -> impl Strategy<Value = Signal> {
    let kinds = prop::sample::select(&SignalKind::ALL[..]);
    (kinds, id(), id(), any::<u64>()).prop_map(|(kind, source, destination, sequence)| Signal {
        kind,
        source: NodeId(source),
        destination: NodeId(destination),
        sequence,
    })
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        segment().prop_map(|segment| Body::Plain(Payload::Tcp(segment))),
        (any::<u64>(), any::<u32>())
            .prop_map(|(number, len)| Body::Plain(Payload::Udp(UdpDatagram { number, len }))),
        signal().prop_map(|signal| Body::Plain(Payload::Signal(signal))),
        (protocol(), bytes()).prop_map(|(protocol, bytes)| Body::Message(protocol, bytes)),
        (any::<u64>(), any::<u32>(), bytes())
            .prop_map(|(number, len, bytes)| Body::Transport(number, len, bytes)),
    ]
}

fn towards() -> impl Strategy<Value = Towards> {
    prop::sample::select(vec![Towards::Source, Towards::Destination])
}

fn size() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0_u32..3_000, 1 => 65_000_u32..66_000, 1 => any::<u32>()]
}

/// Half of them in the scenario: those of its one flow run to and fro.
fn id() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..3, any::<u32>(), Just(u32::MAX)]
}

/// A packet in a store of its own.
fn packets() -> impl Strategy<Value = (PacketStore, PacketId)> {
    let header = prop::option::weighted(0.3, bytes());
    (any::<u64>(), id(), id(), id(), towards(), size(), any::<u8>(), body(), header).prop_map(
        |(uid, flow, source, destination, towards, size, ttl, body, header)| {
            let mut packets = PacketStore::new(0);
            let payload = match body {
                Body::Plain(payload) => payload,
                Body::Message(protocol, bytes) => packets.payload(protocol, bytes.into()),
                Body::Transport(number, len, bytes) => {
                    packets.transport(Protocol::Experimental, number, len, bytes.into())
                }
            };
            let id = packets.create(Packet {
                uid,
                flow: FlowId(flow),
                source: NodeId(source),
                maker: NodeId(source),
                destination: NodeId(destination),
                towards,
                size: Bytes(size),
                ttl,
                forced: false,
                priority: UserPriority::BEST_EFFORT,
                link: LinkHeader::default(),
                header: None,
                payload,
                created: SimTime::ZERO,
                enqueued: SimTime::ZERO,
            });
            if let Some(header) = header {
                packets.set_header(id, Some((Protocol::HopRate, header.into())));
            }
            packets[id].uid = uid;
            packets[id].size = Bytes(size);
            (packets, id)
        },
    )
}

fn frames() -> impl Strategy<Value = Frame> {
    let kinds = vec![FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
    let rate =
        prop_oneof![1..40_000_000_u64, (1..=60_u64).prop_map(|units| units * 500_000), Just(11_000_000)];
    let times = (any::<u64>(), any::<u64>(), rate);
    (prop::sample::select(kinds), any::<[bool; 2]>(), any::<u16>(), id(), id(), size(), times).prop_map(
        |(kind, [retry, more], sequence, from, to, size, (duration, airtime, rate))| Frame {
            kind,
            retry,
            more,
            sequence,
            from: NodeId(from),
            to: NodeId(to),
            packet: PacketId::NONE,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size: Bytes(size),
            duration: Dur::from_ns(duration),
            tx: TxVector::dsss(Bitrate::from_bps(rate), Preamble::Long),
            airtime: Dur::from_ns(airtime),
        },
    )
}

proptest! {
    #[test]
    fn decodes_to_what_was_encoded(
        (packets, id) in packets(),
        frame in frames(),
        received in proptest::option::of((any::<u64>().prop_map(SimTime::from_ns), any::<f64>())),
    ) {
        let scenario = scenario(CHAIN, &[]);
        let carried = (frame.kind == FrameKind::Data).then_some(packets.carried(id));
        let forward = match packets[id].payload {
            Payload::Signal(signal) => packets[id].flow == FlowId(0) && signal.source == NodeId(0),
            _ => packets[id].towards == Towards::Destination,
        };
        let record = encode(&scenario, &frame, carried, received);
        check(&record, &Made { frame: &frame, carried, received, forward });
    }

    #[test]
    fn is_a_well_formed_record(
        (packets, id) in packets(),
        frame in frames(),
        at in any::<u64>(),
        power in any::<f64>(),
        comment in proptest::option::of(".*"),
    ) {
        let scenario = scenario(CHAIN, &[]);
        let (datagrams, radio) = (Datagrams::new(&scenario.flows), Radio::new(&scenario.config.air, None));
        let mpdu = match frame.kind {
            FrameKind::Data => data(&datagrams, &frame, frame.to, &packets.carried(id)),
            _ => control(&frame, Bitmap::NONE),
        };
        let now = SimTime::from_ns(at);
        let sink = Shared::default();
        let mut file = NodeFile::new(sink.clone(), (NodeId(1), &[NodeId(1)]), &scenario.nodes, pcap_file::DataLink::IEEE802_11_RADIOTAP, false);
        let comment = comment.as_deref();
        file.record(now, Direction::Outbound(0), &[radio.sent(&frame, now, false), mpdu.clone()].concat(), comment);
        let received = [radio.received(&frame, now, power, false), mpdu].concat();
        file.record(now, Direction::Inbound(Reception::Promiscuous, 0), &received, None);
        let mut alone = Vec::new();
        datagrams.append(&mut alone, &packets.carried(id));
        let is_frame = matches!(packets[id].payload, Payload::Message { protocol: Protocol::Ethernet, .. });
        let is_datagram = !is_frame && packets.kind(id) != PacketKind::Arp; // others are never written by themselves
        if is_datagram {
            file.record(now, Direction::Unsent, &alone, comment);
        }
        file.finish().expect("memory does not fail");
        let records = sink.records();
        prop_assert_eq!(records.len(), 2 + usize::from(is_datagram));
        for record in &records {
            prop_assert_eq!(record.at, at);
            if !is_frame {
                record.datagram();
            }
        }
        prop_assert_eq!(records[0].comment.as_deref(), comment);
        let carried = packets.carried(id);
        let note = simulated_length(&carried, Bytes::ZERO);
        let told = matches!(packets[id].payload, Payload::Tcp(_) | Payload::Udp(_));
        prop_assert!(!told || note.is_none() == (packets[id].size.0 as usize == alone.len()), "{:?}", note);
    }
}
