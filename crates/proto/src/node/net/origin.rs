//! What all packets that a node makes are like.

use crate::contract::Cx;
use crate::units::{Bytes, FlowId, NodeId};
use crate::wire::{INITIAL_TTL, LinkHeader, Packet, PacketId, Payload, Segment, Towards, UserPriority};

/// IPv4 (RFC 791) and TCP (RFC 9293) headers without options.
const TCP_HEADERS: u32 = 40;
/// IPv4 header.
const IPV4: u32 = 20;

/// What makes the packets of a node.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    node: NodeId,
    /// Headers of a TCP segment with payload.
    data_header: Bytes,
    hop_limit: u8,
}

impl Origin {
    /// Of this node.
    pub(super) const fn new(node: NodeId) -> Self {
        Self { node, data_header: Bytes(TCP_HEADERS), hop_limit: INITIAL_TTL }
    }

    /// Sets the bytes of the headers of a TCP segment with payload, 40 otherwise.
    pub const fn set_data_header(&mut self, header: Bytes) {
        self.data_header = header;
    }

    /// Sets how many hops packets may go, 64 otherwise.
    pub const fn set_hop_limit(&mut self, hops: u8) {
        self.hop_limit = hops;
    }

    /// How many hops packets may go.
    #[inline(always)]
    pub(in crate::node) const fn hop_limit(&self) -> u8 {
        self.hop_limit
    }

    /// A new packet.
    pub(in crate::node) fn make(
        &self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        to: NodeId,
        towards: Towards,
        size: u32,
        payload: Payload,
    ) -> PacketId {
        cx.packets.create(Packet {
            uid: 0,
            flow,
            source: self.node,
            maker: self.node,
            destination: to,
            towards,
            size: Bytes(size),
            ttl: self.hop_limit,
            forced: false,
            priority: UserPriority::BEST_EFFORT,
            link: LinkHeader::default(),
            header: None,
            payload,
            created: cx.now,
            enqueued: cx.now,
        })
    }

    /// Bytes of a packet with this payload, its headers included.
    pub(in crate::node) fn size_of(&self, cx: &Cx<'_>, payload: &Payload) -> u32 {
        match payload {
            Payload::Tcp(segment) => self.segment_size(segment),
            other => IPV4 + cx.packets.length(other),
        }
    }

    /// Bytes of a packet with this segment: headers, payload, options.
    #[inline(always)]
    pub(in crate::node) fn segment_size(&self, segment: &Segment) -> u32 {
        let headers = if segment.len > 0 { self.data_header.0 } else { TCP_HEADERS };
        headers + segment.len + segment.options()
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;
    use crate::contract::Cx;
    use crate::testing::cx;
    use crate::units::{Bytes, FlowId, NodeId, SimTime};
    use crate::wire::{PacketStore, Payload, Segment, Towards};

    #[test]
    fn only_segments_with_payload_count_other_headers() {
        let mut origin = Origin::new(NodeId(3));
        origin.set_data_header(Bytes(52));
        let sizes = [0, 1000].map(|len| origin.segment_size(&Segment { len, ..Segment::default() }));
        assert_eq!(sizes, [40, 1052]);
    }

    #[test]
    fn a_packet_is_of_its_node_and_may_go_as_far_as_is_set() {
        let mut packets = PacketStore::new(1);
        let mut origin = Origin::new(NodeId(3));
        origin.set_hop_limit(7);
        let plain = Payload::Tcp(Segment::default());
        let cx: &mut Cx<'_> = &mut cx(SimTime::from_ms(5), &mut packets);
        let size = origin.size_of(cx, &plain);
        let id = origin.make(cx, FlowId(0), NodeId(9), Towards::Source, size, plain);
        let packet = &cx.packets[id];
        assert_eq!((packet.source, packet.maker, packet.destination), (NodeId(3), NodeId(3), NodeId(9)));
        assert_eq!((packet.ttl, packet.size, packet.created), (7, Bytes(40), SimTime::from_ms(5)));
    }
}
