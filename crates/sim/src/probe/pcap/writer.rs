//! A node's pcapng file: a section, two interfaces, the names of the nodes, then a record for each frame.
//!
//! Interface 0 is the node's radio. Interface 1 has the packets that the node lost and had never sent: IPv4
//! datagrams without any radio header, as no frame carried them. A node with wired links has interface 2: the IPv4
//! datagrams that go over them.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use multihop_proto::units::{NodeId, SimTime};
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption as Option_,
};
use pcap_file::pcapng::blocks::name_resolution::{Ipv4Record, NameResolutionBlock, Record};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use multihop_proto::wire::address::{ipv4, mac};

use crate::scenario::Place;

/// if_tsresol: nanoseconds.
const NANOSECONDS: u8 = 9;
/// Networks up to this size have all their names in every file.
const NAMED: usize = 1_000;

/// Where a record comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Received by a radio of the node, by its place: addressed to it, to all, or overheard.
    Inbound(Reception, u32),
    /// Sent by a radio of the node.
    Outbound(u32),
    /// Lost by the node without having been sent.
    Unsent,
    /// Received over a wire.
    WireInbound,
    /// Sent over a wire.
    WireOutbound,
}

/// To which node a received frame was addressed (epb_flags, bits 2 to 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reception {
    Unicast = 1,
    Broadcast = 3,
    Promiscuous = 4,
}

impl Direction {
    /// The epb_flags word: direction, reception type, length of the FCS.
    const fn flags(self) -> u32 {
        const INBOUND: u32 = 1;
        const OUTBOUND: u32 = 2;
        const FCS: u32 = 4 << 5;
        match self {
            Self::Inbound(reception, _) => INBOUND | (reception as u32) << 2 | FCS,
            Self::Outbound(_) => OUTBOUND | FCS,
            Self::Unsent | Self::WireOutbound => OUTBOUND,
            Self::WireInbound => INBOUND | (Reception::Unicast as u32) << 2,
        }
    }

    /// The number of the interface in the file of a node with or without wires: the first radio, what was never sent,
    /// the wires if there are any, then the other radios.
    const fn interface(self, wired: bool) -> u32 {
        match self {
            Self::Inbound(_, 0) | Self::Outbound(0) => 0,
            Self::Inbound(_, radio) | Self::Outbound(radio) => 1 + wired as u32 + radio,
            Self::Unsent => 1,
            Self::WireInbound | Self::WireOutbound => 2,
        }
    }
}

/// Writes one node's file. After the first error nothing more is written.
pub(super) struct NodeFile<W: Write> {
    name: String,
    wired: bool,
    out: Result<PcapNgWriter<Counted<W>>, String>,
}

/// Counts what is written.
struct Counted<W> {
    sink: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

impl<W: Write> NodeFile<W> {
    /// Begins the file of `node` with these radios, whose frames are of this link type, and which may have a wire.
    pub(super) fn new(
        sink: W,
        (node, radios): (NodeId, &[NodeId]),
        nodes: &[Place],
        link: DataLink,
        wired: bool,
    ) -> Self {
        let name = label(&nodes[node.index()].name);
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::Hardware("simulated".into()),
                SectionHeaderOption::UserApplication(concat!("multihop ", env!("CARGO_PKG_VERSION")).into()),
            ],
            ..Default::default()
        };
        let sink = Counted { sink, bytes: 0 };
        let out = PcapNgWriter::with_section_header(sink, section).map_err(|error| message(&name, &error));
        let mut file = Self { out, name, wired };
        let radio = format!("radio of node {}", file.name);
        file.interface(link, file.name.clone(), radio, node);
        let unsent = format!("packets that node {} lost and had never sent", file.name);
        file.interface(DataLink::IPV4, format!("{} (never sent)", file.name), unsent, node);
        if wired {
            let wires = format!("wired links of node {}", file.name);
            file.interface(DataLink::IPV4, format!("{} (wire)", file.name), wires, node);
        }
        for (station, radio) in radios.iter().zip(1..).skip(1) {
            let name = format!("{} (radio {radio})", file.name);
            let about = format!("radio {radio} of node {}", file.name);
            file.interface(link, name, about, *station);
        }
        if nodes.len() <= NAMED {
            file.names(nodes);
        }
        file
    }

    /// Writes a record.
    pub(super) fn record(&mut self, at: SimTime, direction: Direction, data: &[u8], comment: Option<&str>) {
        let mut options = vec![EnhancedPacketOption::Flags(direction.flags())];
        options.extend(comment.map(|text| EnhancedPacketOption::Comment(text.into())));
        self.block(EnhancedPacketBlock {
            interface_id: direction.interface(self.wired),
            timestamp: Duration::from_nanos(at.as_ns()),
            original_len: data.len() as u32, // a frame is far shorter
            data: Cow::Borrowed(data),
            options,
        });
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.out.as_ref().map_or(0, |out| out.get_ref().bytes)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub(super) fn finish(self) -> Result<(), String> {
        let mut out = self.out?;
        out.get_mut().flush().map_err(|error| message(&self.name, &PcapError::IoError(error)))
    }

    fn interface(&mut self, linktype: DataLink, name: String, description: String, node: NodeId) {
        let [a, b, c, d] = ipv4(node);
        self.block(InterfaceDescriptionBlock {
            linktype,
            snaplen: 0, // no limit
            options: vec![
                Option_::IfName(name.into()),
                Option_::IfDescription(description.into()),
                Option_::IfMacAddr(mac(node).to_vec().into()),
                Option_::IfIpv4Addr(vec![a, b, c, d, 255, 0, 0, 0].into()),
                Option_::IfTsResol(NANOSECONDS),
            ],
        });
    }

    fn names(&mut self, nodes: &[Place]) {
        let record = |(place, number): (&Place, u32)| {
            let names = vec![label(&place.name).into()];
            Record::Ipv4(Ipv4Record { ip_addr: ipv4(NodeId(number)).to_vec().into(), names })
        };
        let records = nodes.iter().zip(0..).map(record).collect();
        self.block(NameResolutionBlock { records, options: Vec::new() });
    }

    fn block<'a>(&mut self, block: impl PcapNgBlock<'a>) {
        if let Ok(out) = &mut self.out
            && let Err(error) = out.write_pcapng_block(block)
        {
            self.out = Err(message(&self.name, &error));
        }
    }
}

/// A node's name where lengths have 16 bits and a zero ends a text.
fn label(name: &str) -> String {
    name.chars().take(200).map(|c| if c == '\0' { '_' } else { c }).collect()
}

fn message(node: &str, error: &PcapError) -> String {
    match error {
        PcapError::IoError(cause) if cause.kind() == ErrorKind::StorageFull => {
            format!("the capture of node {node} cannot be written: the disk is full")
        }
        PcapError::IoError(cause) => format!("the capture of node {node} cannot be written: {cause}"),
        other => format!("the capture of node {node} cannot be written: {other}"),
    }
}
