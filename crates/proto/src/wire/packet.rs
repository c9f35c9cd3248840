//! Network-layer packets: addresses, the transport header, and the times that estimators need.

use super::{BodyId, Dscp, PathOption, Protocol, SackBlocks, Signal, Timestamps, UserPriority};
use crate::units::{Bytes, FlowId, NodeId, SimTime};

/// Index of a packet in the [`super::PacketStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PacketId(pub u32);

impl PacketId {
    /// No packet (control frames).
    pub const NONE: Self = Self(u32::MAX);

    /// Position in the store.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// TCP header flags that the machines use, RFC 9293 §3.1, and the ECN field of the IP header around the segment: it
/// belongs to the same byte, as packets are copied at every hop.
pub mod flags {
    /// Synchronize.
    pub const SYN: u8 = 1;
    /// Acknowledgment field is significant.
    pub const ACK: u8 = 2;
    /// ECN-echo, RFC 3168 §6.1.
    pub const ECE: u8 = 4;
    /// Congestion window reduced, RFC 3168 §6.1.
    pub const CWR: u8 = 8;
    /// IP: ECN-capable transport, RFC 3168 §5. Not among TCP's flags.
    pub const ECT: u8 = 16;
    /// IP: congestion experienced, RFC 3168 §5; beside [`ECT`]. Not among TCP's flags.
    pub const CE: u8 = 32;
    /// Explicit loss notification: what the ACK asks for was not lost by congestion, and an agent sees to it. Captures
    /// show it, as [`END_TO_END`], as the last of TCP's reserved bits.
    pub const ELN: u8 = 64;
    /// The same, and no node but the source can repair it.
    pub const ELN_LOST: u8 = ELN | END_TO_END;
    /// Between the ends of a flow, whatever proxies acknowledge: the destination's own ACK, or a segment that the
    /// source sends again because that did not come. Split TCP's; one of TCP's reserved bits.
    pub const END_TO_END: u8 = 128;
}

/// A TCP segment's header. Sequence numbers are 64-bit offsets from the start of the stream; an edge that
/// writes real headers folds them to 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// First byte carried.
    pub seq: u64,
    /// Next byte expected (with [`flags::ACK`]).
    pub ack: u64,
    /// Payload length in bytes.
    pub len: u32,
    /// Header flags, and the ECN field of IP ([`flags`]).
    pub flags: u8,
    /// Advertised window in bytes.
    pub window: u32,
    /// Selective acknowledgments.
    pub sack: SackBlocks,
    /// Timestamps of RFC 7323.
    pub times: Timestamps,
    /// Window scale of the end that sends it: `window` is a multiple of two to this power (RFC 7323 §2). 0: it has
    /// none.
    pub scale: u8,
    /// What the ends of ADTCP tell each other.
    pub path: PathOption,
    /// A ninth flag: accurate ECN (RFC 9768 §3.1.1), which the nonce sum was before.
    pub ae: bool,
}

/// A UDP datagram: a number for the sink's bookkeeping, and the payload length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpDatagram {
    /// Position in the flow, from 0.
    pub number: u64,
    /// Payload length in bytes.
    pub len: u32,
}

/// A packet of a transport that is neither TCP nor UDP: a header, whose bytes stay in the store, and payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Whose header it is; it has a number of IP's own ([`super::Carriage::Ip`]).
    pub protocol: Protocol,
    /// Position in the flow, for tables and traces.
    pub number: u64,
    /// Payload length in bytes.
    pub len: u32,
    /// Where the bytes of its header are.
    pub body: BodyId,
}

/// A whole IPv4 datagram of another IP stack, alone or in a frame of that stack. Its bytes stay in the store; what
/// queues and probes look at stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Protocol number of what IP carries (RFC 791 §3.1).
    pub protocol: u8,
    /// The ECN field of IP on this copy: [`flags::ECT`] and [`flags::CE`].
    pub ecn: u8,
    /// Bytes in front of the IP header: that of a frame, which the link replaces by its own. They do not count in its
    /// size.
    pub head: u8,
    /// Position in the flow as [`Packet::position`] has it, if the transport has one.
    pub position: Option<u64>,
    /// Payload of the transport in bytes.
    pub len: u32,
    /// Where the bytes are, IP header and what stands in front of it included.
    pub body: BodyId,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A TCP segment.
    Tcp(Segment),
    /// A UDP datagram.
    Udp(UdpDatagram),
    /// A signal about a flow.
    Signal(Signal),
    /// A packet of a transport that is neither TCP nor UDP.
    Transport(Datagram),
    /// A datagram of another IP stack.
    Opaque(Opaque),
    /// A message of routing or address resolution; its bytes stay in the store.
    Message {
        /// Whose.
        protocol: Protocol,
        /// Where the bytes are.
        body: BodyId,
    },
}

/// A header that routing has put between IP and transport, such as a source route. Its bytes stay in the store, shared
/// by all copies of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingHeader {
    /// Whose.
    pub protocol: Protocol,
    /// How far along it this copy has come; the machine says in what.
    pub cursor: u8,
    /// Where the bytes are.
    pub body: BodyId,
}

/// A packet with the bytes that stay in the store.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// The bytes of a routing message, of the header of another transport than TCP and UDP, or of a whole datagram of
    /// another stack; none in other packets.
    pub message: &'a [u8],
    /// The bytes of the routing header, if there is one.
    pub header: &'a [u8],
    /// How it is to be treated.
    pub dscp: Dscp,
}

/// Which end of its flow a packet is sent towards. A real header says it with its ports
/// ([`super::address::ports`]); its length says nothing: a probe has no payload, and runs with the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Towards {
    /// The flow's source: acknowledgments run this way.
    Source,
    /// The flow's destination: data run this way.
    #[default]
    Destination,
}

/// Protocol number of TCP in the header of IP.
const TCP: u8 = 6;
/// Protocol number of UDP.
const UDP: u8 = 17;

/// Initial hop limit (RFC 1700).
pub const INITIAL_TTL: u8 = 64;

/// Coarse class of a packet, for ledgers and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PacketKind {
    /// TCP segment towards the flow's destination: data, SYN, probes.
    TcpData,
    /// TCP segment towards the flow's source.
    TcpAck,
    /// UDP datagram.
    Udp,
    /// Routing message.
    Routing,
    /// Signal about a flow.
    Signal,
    /// Packet of another transport than TCP and UDP.
    Transport,
    /// Address resolution.
    Arp,
}

impl PacketKind {
    /// Whether routing knows nothing of such packets ([`Protocol::is_below_routing`]).
    #[must_use]
    pub const fn is_below_routing(self) -> bool {
        matches!(self, Self::Arp)
    }
}

/// Bytes of a link's own header that travel with a packet from node to node. Only the link that writes them knows what
/// they mean; a new packet has zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkHeader(pub [u8; 4]);

/// A network-layer packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Number of the packet in the run, from 1, the same in all its copies.
    pub uid: u64,
    /// Flow that it belongs to; `FlowId::NONE` for routing.
    pub flow: FlowId,
    /// Node that made it, or for which an agent on the way did.
    pub source: NodeId,
    /// Node that made it.
    pub maker: NodeId,
    /// Final destination, or `NodeId::BROADCAST`.
    pub destination: NodeId,
    /// From which of its flow's ports to which. Packets that are of no flow's transport have no ports.
    pub towards: Towards,
    /// Length with IP, routing and transport headers.
    pub size: Bytes,
    /// Remaining hops, RFC 791 §3.1.
    pub ttl: u8,
    /// Whether it has come here by an RTS that had to be answered, room or not (horizontal flow control).
    pub forced: bool,
    /// With which priority it waits in its present interface queue.
    pub priority: UserPriority,
    /// What its link sends along with it.
    pub link: LinkHeader,
    /// What routing has put between IP and transport.
    pub header: Option<RoutingHeader>,
    /// Transport header.
    pub payload: Payload,
    /// When the transport or routing machine made it.
    pub created: SimTime,
    /// When it entered the present interface queue.
    pub enqueued: SimTime,
}

/// What is copied at every hop is copied in line: longer values take a call.
const _: () = assert!(size_of::<Packet>() <= 128);

impl Payload {
    /// The bytes that stay in the store: a routing message, the header of another transport than TCP and UDP, or a
    /// whole datagram.
    #[inline]
    #[must_use]
    pub const fn body(&self) -> Option<BodyId> {
        match self {
            Self::Message { body, .. }
            | Self::Transport(Datagram { body, .. })
            | Self::Opaque(Opaque { body, .. }) => Some(*body),
            Self::Tcp(_) | Self::Udp(_) | Self::Signal(_) => None,
        }
    }
}

impl Packet {
    /// Hops that it has taken where it arrives, since it was made or an agent sent it anew with this hop limit.
    #[must_use]
    pub const fn hops(&self, limit: u8) -> u8 {
        limit.saturating_sub(self.ttl) + 1
    }

    /// Coarse class.
    #[must_use]
    pub const fn kind(&self) -> PacketKind {
        match (&self.payload, self.towards) {
            (Payload::Tcp(_), Towards::Destination) => PacketKind::TcpData,
            (Payload::Tcp(_), Towards::Source) => PacketKind::TcpAck,
            (Payload::Udp(_), _) => PacketKind::Udp,
            (Payload::Signal(_), _) => PacketKind::Signal,
            (Payload::Opaque(Opaque { protocol: TCP, .. }), Towards::Destination) => PacketKind::TcpData,
            (Payload::Opaque(Opaque { protocol: TCP, .. }), Towards::Source) => PacketKind::TcpAck,
            (Payload::Opaque(Opaque { protocol: UDP, .. }), _) => PacketKind::Udp,
            (Payload::Transport(_) | Payload::Opaque(_), _) => PacketKind::Transport,
            (Payload::Message { protocol: Protocol::Arp, .. }, _) => PacketKind::Arp,
            (Payload::Message { .. }, _) => PacketKind::Routing,
        }
    }

    /// Whether its transport understands marks (RFC 3168).
    #[must_use]
    pub const fn is_markable(&self) -> bool {
        matches!(&self.payload, Payload::Tcp(segment) if segment.flags & flags::ECT != 0)
    }

    /// Marks it as having met congestion; returns whether its transport understands that (RFC 3168 §5).
    pub const fn mark(&mut self) -> bool {
        if let Payload::Tcp(segment) = &mut self.payload
            && segment.flags & flags::ECT != 0
        {
            segment.flags |= flags::CE;
            return true;
        }
        if let Payload::Opaque(datagram) = &mut self.payload
            && datagram.ecn & flags::ECT != 0
        {
            datagram.ecn |= flags::CE;
            return true;
        }
        false
    }

    /// Where in its flow it stands: first byte of a segment towards the destination, acknowledged byte of one towards
    /// the source, datagram number.
    #[must_use]
    pub const fn position(&self) -> Option<u64> {
        match (&self.payload, self.towards) {
            (Payload::Tcp(segment), Towards::Destination) => Some(segment.seq),
            (Payload::Tcp(segment), Towards::Source) => Some(segment.ack),
            (Payload::Udp(datagram), _) => Some(datagram.number),
            (Payload::Transport(datagram), _) => Some(datagram.number),
            (Payload::Opaque(datagram), _) => datagram.position,
            (Payload::Signal(_) | Payload::Message { .. }, _) => None,
        }
    }
}

impl Payload {
    /// Bytes of the application's that it carries.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self {
            Self::Tcp(segment) => segment.len,
            Self::Udp(datagram) => datagram.len,
            Self::Transport(datagram) => datagram.len,
            Self::Opaque(datagram) => datagram.len,
            Self::Signal(_) | Self::Message { .. } => 0,
        }
    }
}
