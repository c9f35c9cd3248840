//! Whatever the packet and the frame: well-formed records, no panic.

use multihop_proto::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{
    Frame, FrameKind, Packet, PacketId, Payload, RouteAdvert, SackBlocks, Segment, UdpDatagram,
};
use proptest::prelude::*;

use super::decode::{Made, check};
use super::{CHAIN, Shared, scenario};
use crate::probe::pcap::datagram::Datagrams;
use crate::probe::pcap::encode;
use crate::probe::pcap::frame::{control, data};
use crate::probe::pcap::radiotap::Radio;
use crate::probe::pcap::writer::{Direction, NodeFile, Reception};

fn segment() -> impl Strategy<Value = Segment> {
    let blocks = prop::collection::vec((0..u64::MAX / 2, any::<u32>()), 0..5);
    (any::<u64>(), any::<u64>(), any::<u32>(), any::<u8>(), any::<u32>(), blocks).prop_map(
        |(seq, ack, len, flags, window, blocks)| {
            let mut sack = SackBlocks::default();
            blocks.into_iter().for_each(|(start, length)| sack.push(start, length));
            Segment { seq, ack, len, flags, window, sack }
        },
    )
}

fn payload() -> impl Strategy<Value = Payload> {
    prop_oneof![
        segment().prop_map(Payload::Tcp),
        (any::<u64>(), any::<u32>()).prop_map(|(number, len)| Payload::Udp(UdpDatagram { number, len })),
        any::<u32>().prop_map(Payload::Routing),
    ]
}

fn size() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0_u32..3_000, 1 => 65_000_u32..66_000, 1 => any::<u32>()]
}

/// Half of them in the scenario: those of its one flow run to and fro.
fn id() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..3, any::<u32>(), Just(u32::MAX)]
}

fn packets() -> impl Strategy<Value = Packet> {
    (any::<u64>(), id(), id(), id(), size(), any::<u8>(), payload()).prop_map(
        |(uid, flow, source, destination, size, ttl, payload)| Packet {
            uid,
            flow: FlowId(flow),
            source: NodeId(source),
            destination: NodeId(destination),
            size: Bytes(size),
            ttl,
            mac_sequence: 0,
            payload,
            created: SimTime::ZERO,
            enqueued: SimTime::ZERO,
            head_of_line: SimTime::ZERO,
        },
    )
}

fn frames() -> impl Strategy<Value = Frame> {
    let kinds = vec![FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
    let times = (any::<u64>(), any::<u64>());
    (prop::sample::select(kinds), any::<bool>(), any::<u16>(), id(), id(), size(), times).prop_map(
        |(kind, retry, sequence, from, to, size, (duration, airtime))| Frame {
            kind,
            retry,
            sequence,
            from: NodeId(from),
            to: NodeId(to),
            packet: PacketId::NONE,
            second: None,
            size: Bytes(size),
            duration: Dur::from_ns(duration),
            airtime: Dur::from_ns(airtime),
        },
    )
}

fn lines() -> impl Strategy<Value = Vec<RouteAdvert>> {
    let line = (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(to, metric, sequence)| RouteAdvert {
        destination: NodeId(to),
        metric,
        sequence,
    });
    prop_oneof![9 => prop::collection::vec(line, 0..20), 1 => Just(vec![RouteAdvert {
        destination: NodeId(1), metric: 1, sequence: 1 }; 6_000])]
}

proptest! {
    #[test]
    fn decodes_to_what_was_encoded(
        packet in packets(),
        frame in frames(),
        lines in lines(),
        received in proptest::option::of((any::<u64>().prop_map(SimTime::from_ns), any::<f64>())),
    ) {
        let scenario = scenario(CHAIN, &[]);
        let carried = (frame.kind == FrameKind::Data).then_some((&packet, &lines[..]));
        let forward = packet.flow == FlowId(0) && packet.source == NodeId(0);
        let record = encode(&scenario, &frame, carried, received);
        check(&record, &Made { frame: &frame, carried, received, forward });
    }

    #[test]
    fn is_a_well_formed_record(
        packet in packets(),
        frame in frames(),
        lines in lines(),
        at in any::<u64>(),
        power in any::<f64>(),
        comment in proptest::option::of(".*"),
    ) {
        let scenario = scenario(CHAIN, &[]);
        let (datagrams, radio) = (Datagrams::new(&scenario.flows), Radio::new(&scenario.config));
        let mpdu = match frame.kind {
            FrameKind::Data => data(&datagrams, &frame, frame.to, &packet, &lines),
            _ => control(&frame),
        };
        let now = SimTime::from_ns(at);
        let sink = Shared::default();
        let mut file = NodeFile::new(sink.clone(), NodeId(1), &scenario.nodes);
        let comment = comment.as_deref();
        file.record(now, Direction::Outbound, &[radio.sent(&frame), mpdu.clone()].concat(), comment);
        let received = [radio.received(&frame, now, power), mpdu].concat();
        file.record(now, Direction::Inbound(Reception::Promiscuous), &received, None);
        let mut alone = Vec::new();
        datagrams.append(&mut alone, &packet, &lines);
        file.record(now, Direction::Unsent, &alone, comment);
        file.finish().expect("memory does not fail");
        let records = sink.records();
        prop_assert_eq!(records.len(), 3);
        for record in &records {
            prop_assert_eq!(record.at, at);
            record.datagram();
        }
        prop_assert_eq!(records[0].comment.as_deref(), comment);
        let routing = matches!(packet.payload, Payload::Routing(_));
        let size = packet.size.0 as usize;
        if !routing && (80..=65_535).contains(&size) {
            prop_assert_eq!(alone.len(), size);
        }
    }
}
