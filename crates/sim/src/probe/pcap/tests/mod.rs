//! What is written, read back by other libraries and checked by sums of this module's own.

mod any;
mod decode;
mod fates;
mod headers;
mod routing;
mod runs;
mod slots;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use etherparse::{IpNumber, Ipv4Slice};
use multihop_proto::units::{Bytes, FlowId, NodeId, SimTime};
use multihop_proto::wire::{LinkHeader, Packet, Payload, Segment, Towards, UserPriority};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, OptionCode, PcapNGCapture};

use self::decode::{crc32, sum};
use crate::resolve;
use crate::scenario::{Layer, Resolved, Sources};

/// A sink that can be read after the capture has taken it.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn size(&self) -> u64 {
        self.0.lock().expect("one thread").len() as u64
    }

    fn records(&self) -> Vec<Read> {
        read(&self.0.lock().expect("one thread"))
    }
}

/// A record as read back.
#[derive(Clone, Debug)]
struct Read {
    interface: u32,
    /// \[ns\]
    at: u64,
    data: Vec<u8>,
    flags: u32,
    comment: Option<String>,
}

impl Read {
    fn is_outbound(&self) -> bool {
        self.flags & 3 == 2
    }

    /// The MPDU, after a check of the radiotap header and of the FCS.
    fn mpdu(&self) -> &[u8] {
        assert_eq!(self.interface, 0);
        assert_eq!(self.data[0], 0, "version of radiotap");
        let length = usize::from(u16::from_le_bytes([self.data[2], self.data[3]]));
        let present = u32::from_le_bytes(self.data[4..8].try_into().expect("four bytes"));
        let outbound = self.is_outbound();
        assert_eq!(present & 1, u32::from(!outbound), "TSFT of received frames only");
        assert_eq!(present >> 5 & 1, u32::from(!outbound), "signal of received frames only");
        assert_eq!(present >> 10 & 1, u32::from(outbound), "power of sent frames only");
        let flags = self.data[if outbound { 8 } else { 16 }];
        assert_eq!(flags & 0x50, 0x10, "FCS is there and right");
        let mpdu = &self.data[length..];
        let (body, fcs) = mpdu.split_at(mpdu.len() - 4);
        assert_eq!(fcs, crc32(body).to_le_bytes(), "FCS");
        body
    }

    /// The datagram in the record, checked; none in a control frame.
    fn datagram(&self) -> Option<Vec<u8>> {
        let bytes = if self.interface == 1 {
            self.data.as_slice()
        } else {
            let mpdu = self.mpdu();
            if mpdu[0] != 0x08 {
                assert_eq!(mpdu.len(), if mpdu[0] == 0xb4 { 16 } else { 10 }, "control frame");
                return None;
            }
            assert_eq!(mpdu[24..31], [0xaa, 0xaa, 3, 0, 0, 0, 8], "LLC/SNAP");
            if mpdu[31] == 6 {
                return None; // ARP
            }
            assert_eq!(mpdu[31], 0, "IPv4");
            &mpdu[32..]
        };
        check_datagram(bytes);
        Some(bytes.to_vec())
    }
}

/// Reads a whole file, and checks its interfaces.
fn read(file: &[u8]) -> Vec<Read> {
    let capture = PcapNGCapture::from_file(file).expect("a pcapng file");
    let blocks = &capture.sections[0].blocks;
    let mut links = Vec::new();
    let mut records = Vec::new();
    for block in blocks {
        match block {
            Block::InterfaceDescription(interface) => {
                assert_eq!(interface.ts_resolution(), Some(1_000_000_000));
                links.push(interface.linktype.0);
            }
            Block::EnhancedPacket(packet) => {
                assert_eq!(packet.caplen, packet.origlen);
                let option = |code| packet.options.iter().find(move |option| option.code == code);
                records.push(Read {
                    interface: packet.if_id,
                    at: u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low),
                    data: packet.packet_data().to_vec(),
                    flags: option(OptionCode(2)).expect("flags").as_u32_le().expect("four bytes"),
                    comment: option(OptionCode(1)).map(|text| text.as_str().expect("UTF-8").to_owned()),
                });
            }
            _ => {}
        }
    }
    assert!(matches!(links[..], [127 | 147, 228]), "radiotap, or slots' frames, and IPv4: {links:?}");
    records
}

/// Checks lengths and all checksums of a datagram.
fn check_datagram(bytes: &[u8]) {
    let ip = Ipv4Slice::from_slice(bytes).expect("an IPv4 datagram");
    let header = ip.header();
    assert_eq!(usize::from(header.total_len()), bytes.len(), "total length");
    assert_eq!(sum(header.slice()), 0xffff, "header checksum");
    let payload = ip.payload().payload;
    match header.protocol() {
        IpNumber::TCP | IpNumber::UDP => {
            let length = u16::try_from(payload.len()).expect("16 bits");
            let pseudo = [header.source(), header.destination(), [0, header.protocol().0, 0, 0]].concat();
            let pseudo = [&pseudo[..10], &length.to_be_bytes(), payload].concat();
            assert_eq!(sum(&pseudo), 0xffff, "checksum of protocol {}", header.protocol().0);
        }
        IpNumber::ICMP => assert_eq!(sum(payload), 0xffff, "checksum of ICMP"),
        other => assert!([253, 254].contains(&other.0), "nothing else is sent: {}", other.0),
    }
}

#[track_caller]
fn scenario(text: &str, sets: &[&str]) -> Resolved {
    let sources = Sources {
        scenario: Layer { name: "capture.toml".into(), text: text.into() },
        techniques: Vec::new(),
        sets: sets.iter().map(|&set| set.to_owned()).collect(),
    };
    resolve(&sources).unwrap_or_else(|error| panic!("{error}"))
}

/// Two hops, one TCP flow.
const CHAIN: &str = "\
[run]
duration = \"10 s\"
[topology]
kind = \"chain\"
hops = 2
spacing = \"200 m\"
[air]
bit-error-rate = 5e-5
[[flow]]
kind = \"bulk\"
from = \"0\"
to = \"2\"
";

/// A segment of 1460 bytes from node 0 to node 2, in flow 0.
fn packet(segment: Segment) -> Packet {
    Packet {
        uid: 0,
        flow: FlowId(0),
        source: NodeId(0),
        maker: NodeId(0),
        destination: NodeId(2),
        towards: Towards::Destination,
        size: Bytes(40 + segment.len),
        ttl: 64,
        forced: false,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
        header: None,
        payload: Payload::Tcp(segment),
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
    }
}
