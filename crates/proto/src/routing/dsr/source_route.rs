//! Routes as they stand in packets, and the sizes of messages.

use std::sync::Arc;

use super::config::{DsrConfig, DsrWire, RreqSize};
use super::wire::{Header, NO_NEXT_HEADER, SourceRoute, Trouble};
use crate::contract::Cx;
use crate::units::{Bytes, NodeId};
use crate::wire::{Carriage, Malformed, Packet, PacketId, Payload, Protocol};

/// IPv4 header.
const IPV4: u32 = 20;

/// The whole way of a packet: both ends and all between them, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PacketPath {
    /// From where the route begins: the packet's source, or the node that salvaged it last.
    pub(super) nodes: Vec<NodeId>,
    /// The place of the node that the packet goes to now, or is at.
    pub(super) here: usize,
    pub(super) salvage: u8,
}

impl PacketPath {
    /// The way of a packet with this route, seen by the node that it goes to now.
    pub(super) fn of(packet: &Packet, route: &SourceRoute) -> Self {
        let source = (route.salvage == 0).then_some(packet.source);
        let nodes: Vec<NodeId> =
            source.into_iter().chain(route.addresses.iter().copied()).chain([packet.destination]).collect();
        let here = nodes.len().saturating_sub(1 + usize::from(route.left));
        Self { nodes, here, salvage: route.salvage }
    }

    /// The route that says so.
    pub(super) fn route(&self) -> SourceRoute {
        let first = usize::from(self.salvage == 0);
        let last = self.nodes.len().saturating_sub(1);
        SourceRoute {
            salvage: self.salvage,
            left: u8::try_from(last.saturating_sub(self.here)).unwrap_or(u8::MAX), // at most 15
            addresses: self.nodes.get(first..last).unwrap_or_default().to_vec(),
        }
    }

    /// A way from its first node, to the second.
    pub(super) fn begin(nodes: Vec<NodeId>, salvage: u8) -> Self {
        Self { nodes, here: 1, salvage }
    }
}

/// The DSR header of a packet: of a message its body, of others what stands before the transport. None if it has none.
pub(super) fn header_of(cx: &Cx<'_>, packet: PacketId) -> Option<Result<Header, Malformed>> {
    match cx.packets[packet].payload {
        Payload::Message { protocol: Protocol::Dsr, .. } => {
            cx.packets.message(packet).map(|bytes| Header::parse(bytes))
        }
        Payload::Message { .. } => Some(Err(Malformed("a message of another protocol"))),
        _ => cx.packets.header(packet).map(|bytes| Header::parse(bytes)),
    }
}

/// The IP protocol number of what a packet carries.
pub(super) const fn next_header(packet: &Packet) -> u8 {
    match packet.payload {
        Payload::Tcp(_) => 6,
        Payload::Udp(_) => 17,
        Payload::Signal(_) => 1,
        Payload::Opaque(datagram) => datagram.protocol,
        Payload::Transport(datagram) => match datagram.protocol.carriage() {
            Carriage::Ip(number) => number,
            Carriage::Udp(_) => 17,
            Carriage::Link(_) | Carriage::Frame => NO_NEXT_HEADER,
        },
        Payload::Message { .. } => NO_NEXT_HEADER,
    }
}

/// How often a packet has been salvaged.
pub(super) fn salvaged(cx: &Cx<'_>, packet: PacketId) -> u8 {
    let header = header_of(cx, packet).and_then(Result::ok);
    header.and_then(|header| header.route).map_or(0, |route| route.salvage)
}

/// How headers are written, and how long messages count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    wire: DsrWire,
    rreq_size: RreqSize,
    /// What the node adds to every packet.
    extra: Bytes,
}

impl Form {
    /// `extra` is what the node adds to every packet.
    pub(super) const fn new(config: &DsrConfig, extra: Bytes) -> Self {
        Self { wire: config.wire, rreq_size: config.rreq_size, extra }
    }

    /// Gives a packet another DSR header.
    pub(super) fn write(&self, cx: &mut Cx<'_>, packet: PacketId, header: &Header) {
        let bytes = header.emit();
        if let Payload::Message { .. } = cx.packets[packet].payload {
            let size = self.size(header, &bytes);
            cx.packets.set_message(packet, bytes, size);
        } else {
            cx.packets.set_header(packet, Some((Protocol::Dsr, bytes)));
        }
    }

    /// A message's header and bytes.
    pub(super) fn message(&self, header: &Header) -> (Arc<[u8]>, Bytes) {
        let bytes = header.emit();
        let size = self.size(header, &bytes);
        (bytes, size)
    }

    /// What a message counts with its IP header.
    fn size(&self, header: &Header, bytes: &[u8]) -> Bytes {
        let whole = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        if let (Some(request), RreqSize::Cumulative) = (&header.request, self.rreq_size) {
            // Each relay has added the fixed part, the request, the errors and all addresses up to its own.
            let relays = whole(request.addresses.len());
            let each = 12 + 16 * whole(header.errors.len());
            let size = IPV4 + (relays + 1) * each + 2 * relays * (relays + 1);
            return Bytes(size.saturating_sub(self.own_header()));
        }
        match self.wire {
            DsrWire::Rfc => Bytes(IPV4 + whole(bytes.len())),
            DsrWire::Ns2 => {
                let request =
                    header.request.as_ref().map_or(0, |request| 8 + 4 * whole(request.addresses.len()));
                let reply = header.reply.as_ref().map_or(0, |reply| 5 + 4 * (whole(reply.len()) + 1));
                let error = |what| match what {
                    Trouble::Unreachable(_) => 16,
                    Trouble::FlowUnknown(..) => 14,
                    Trouble::DefaultFlowUnknown(_) => 12,
                };
                let errors: u32 = header.errors.iter().map(|one| error(one.what)).sum();
                let route = header
                    .route
                    .as_ref()
                    .map_or(0, |route| 4 * (whole(route.addresses.len()) + u32::from(route.salvage == 0)));
                let size = IPV4 + (4 + request + reply + errors + route).next_multiple_of(4);
                Bytes(size.saturating_sub(self.own_header()))
            }
        }
    }

    /// In ns-2 what agents add to a packet is a second IP header, which messages do not have.
    const fn own_header(&self) -> u32 {
        match self.wire {
            DsrWire::Rfc => 0,
            DsrWire::Ns2 => self.extra.get(),
        }
    }
}
