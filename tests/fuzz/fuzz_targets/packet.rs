//! Any frame and any packet, through the encoder of captures and back.
#![no_main]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use libwifi::Frame as Read;
use libwifi::frame::components::{FrameControl, MacAddress};
use multihop_proto::phy::{Preamble, TxVector};
use multihop_proto::units::{Bitrate, Bytes, Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{
    BatchId, Frame, FrameKind, LinkHeader, Packet, PacketId, PacketStore, Payload, Protocol, SackBlocks,
    Segment, Signal, SignalKind, Towards, UdpDatagram, UserPriority,
};
use multihop_sim::probe::pcap::encode;
use multihop_sim::resolve;
use multihop_sim::scenario::{Layer, Resolved, Sources};

#[path = "../../../crates/sim/src/probe/pcap/tests/decode.rs"]
mod decode;
use decode::{Made, check, crc32};

/// Two flows, so that signals about packets of flow 0 from node 0 and of flow 1 from node 2 run forward.
const SCENARIO: &str = "\
topology = { kind = \"chain\", hops = 2, spacing = \"200 m\" }
[[flow]]
kind = \"bulk\"
from = \"0\"
to = \"2\"
[[flow]]
kind = \"cbr\"
from = \"2\"
to = \"0\"
rate = \"1 Mbps\"
";

static NETWORK: LazyLock<Resolved> = LazyLock::new(|| {
    let scenario = Layer { name: "fuzz.toml".to_owned(), text: SCENARIO.to_owned() };
    let sources = Sources { scenario, techniques: Vec::new(), sets: Vec::new() };
    resolve(&sources).unwrap_or_else(|error| panic!("{error}"))
});

#[derive(Arbitrary, Debug)]
enum Id {
    Near(u8),
    Any(u32),
    All,
}

impl Id {
    const fn number(&self) -> u32 {
        match self {
            Self::Near(number) => (*number % 4) as u32,
            Self::Any(number) => *number,
            Self::All => u32::MAX,
        }
    }

    const fn node(&self) -> NodeId {
        NodeId(self.number())
    }
}

#[derive(Arbitrary, Debug)]
enum Size {
    Usual(u16),
    Any(u32),
}

#[derive(Arbitrary, Debug)]
enum Body {
    Tcp { seq: u64, ack: u64, len: u32, flags: u8, window: u32, sack: Vec<(u64, u32)> },
    Udp { number: u64, len: u32 },
    Signal { kind: u8, source: Id, destination: Id, sequence: u64 },
    Message { experimental: bool, bytes: Vec<u8>, times: u16 },
}

#[derive(Arbitrary, Debug)]
struct Case {
    kind: u8,
    retry: bool,
    more: bool,
    sequence: u16,
    ends: (Id, Id),
    duration: u64,
    airtime: u64,
    received: Option<(u64, f64)>,
    uid: u64,
    flow: Id,
    route: (Id, Id),
    back: bool,
    size: Size,
    ttl: u8,
    header: Option<Vec<u8>>,
    body: Body,
}

fn frame(case: &Case) -> Frame {
    let kinds = [FrameKind::Data, FrameKind::Rts, FrameKind::Cts, FrameKind::Ack];
    Frame {
        more: case.more,
        // mostly data
        kind: *kinds.get(usize::from(case.kind % 8)).unwrap_or(&FrameKind::Data),
        retry: case.retry,
        sequence: case.sequence,
        from: case.ends.0.node(),
        to: case.ends.1.node(),
        packet: PacketId::NONE,
        second: None,
        batch: BatchId::NONE,
        priority: UserPriority::BEST_EFFORT,
        size: Bytes(0),
        duration: Dur::from_ns(case.duration),
        airtime: Dur::from_ns(case.airtime),
        tx: TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long),
    }
}

fn payload(case: &Case, packets: &mut PacketStore) -> Payload {
    match &case.body {
        Body::Tcp { seq, ack, len, flags, window, sack } => {
            let mut blocks = SackBlocks::default();
            sack.iter().for_each(|&(start, len)| blocks.push(start, len));
            let (seq, ack, len, flags, window) = (*seq, *ack, *len, *flags, *window);
            Payload::Tcp(Segment { seq, ack, len, flags, window, sack: blocks, ..Segment::default() })
        }
        Body::Udp { number, len } => Payload::Udp(UdpDatagram { number: *number, len: *len }),
        Body::Signal { kind, source, destination, sequence } => Payload::Signal(Signal {
            kind: SignalKind::ALL[usize::from(*kind) % SignalKind::ALL.len()],
            source: source.node(),
            destination: destination.node(),
            sequence: *sequence,
        }),
        Body::Message { experimental, bytes, times } => {
            let protocol = if *experimental { Protocol::Experimental } else { Protocol::Dsdv };
            // repeated: more than a datagram has room for
            packets.payload(protocol, bytes.repeat(usize::from(*times) % 512 + 1).into())
        }
    }
}

fn packet(case: &Case, packets: &mut PacketStore) -> PacketId {
    let payload = payload(case, packets);
    let size = match case.size {
        Size::Usual(size) => u32::from(size) % 3_000,
        Size::Any(size) => size,
    };
    let id = packets.create(Packet {
        uid: 0,
        flow: FlowId(case.flow.number()),
        source: case.route.0.node(),
        maker: case.route.0.node(),
        destination: case.route.1.node(),
        towards: if case.back { Towards::Source } else { Towards::Destination },
        size: Bytes::ZERO,
        ttl: case.ttl,
        forced: false,
        header: None,
        payload,
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
    });
    if let Some(header) = &case.header {
        packets.set_header(id, Some((Protocol::Experimental, header.as_slice().into())));
    }
    (packets[id].uid, packets[id].size) = (case.uid, Bytes(size));
    id
}

/// What `libwifi` makes of the MPDU, which is the record without its radiotap header.
fn check_mpdu(record: &[u8], frame: &Frame) {
    let mpdu = &record[usize::from(u16::from_le_bytes([record[2], record[3]]))..];
    let address = |bytes: &[u8]| MacAddress(bytes.try_into().expect("six bytes"));
    let (to, from) = (address(&mpdu[4..10]), mpdu.get(10..16).map(address));
    let same = |control: &FrameControl| {
        control.retry() == frame.retry && control.flags & !0x08 == if frame.more { 0x20 } else { 0 }
    };
    match libwifi::parse_frame(mpdu, true).expect("an 802.11 frame with its FCS") {
        Read::Data(data) => {
            assert!(same(&data.header.frame_control) && frame.kind == FrameKind::Data);
            assert_eq!((data.header.address_1, Some(data.header.address_2)), (to, from));
            assert_eq!(data.header.sequence_control.sequence_number, frame.sequence & 0xfff);
            assert_eq!(data.data.len(), mpdu.len() - 24, "body and FCS");
        }
        Read::Rts(rts) => {
            assert!(same(&rts.frame_control));
            assert_eq!((rts.destination, Some(rts.source)), (to, from));
        }
        Read::Cts(cts) => assert!(same(&cts.frame_control) && cts.destination == to),
        Read::Ack(ack) => assert!(same(&ack.frame_control) && ack.destination == to),
        other => panic!("{other:?}"),
    }
    assert_eq!(crc32(mpdu), 0x2144_df1c, "the residue of every right FCS");
}

fuzz_target!(|case: Case| {
    let frame = frame(&case);
    let mut packets = PacketStore::new(2);
    let id = packet(&case, &mut packets);
    let carried = (frame.kind == FrameKind::Data).then_some(packets.carried(id));
    let received = case.received.map(|(ended, power)| (SimTime::from_ns(ended), power));
    let forward = match packets[id].payload {
        Payload::Signal(signal) => matches!((packets[id].flow.0, signal.source.0), (0, 0) | (1, 2)),
        _ => packets[id].towards == Towards::Destination,
    };
    let record = encode(&NETWORK, &frame, carried, received);
    check(&record, &Made { frame: &frame, carried, received, forward });
    check_mpdu(&record, &frame);
});
