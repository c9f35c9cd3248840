//! Packets for tests.

use std::sync::Arc;

use crate::contract::Cx;
use crate::phy::{Preamble, TxVector};
use crate::units::{Bitrate, Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{
    BatchId, Frame, FrameKind, LinkHeader, Packet, PacketId, PacketStore, Payload, Protocol, Towards,
    UdpDatagram, UserPriority,
};

/// What frames are sent with whose length in time matters to no test: DSSS at 2 Mb/s.
pub(crate) const TX: TxVector = TxVector::dsss(Bitrate::from_mbps(2), Preamble::Long);

/// A context at `now`.
pub(crate) fn cx(now: SimTime, packets: &mut PacketStore) -> Cx<'_> {
    Cx { now, packets }
}

/// A packet of `size` bytes that node 0 has just made.
pub(crate) fn packet(flow: FlowId, destination: NodeId, size: u32, payload: Payload) -> Packet {
    Packet {
        uid: 0,
        flow,
        source: NodeId(0),
        maker: NodeId(0),
        destination,
        towards: Towards::Destination,
        size: Bytes(size),
        ttl: 64,
        forced: false,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
        header: None,
        payload,
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
    }
}

/// A datagram packet of `size` bytes in all.
pub(crate) fn udp(
    packets: &mut PacketStore,
    flow: FlowId,
    destination: NodeId,
    number: u64,
    size: u32,
) -> PacketId {
    let payload = Payload::Udp(UdpDatagram { number, len: size.saturating_sub(28) });
    packets.create(packet(flow, destination, size, payload))
}

/// A routing message with these bytes.
pub(crate) fn routing_message(packets: &mut PacketStore, protocol: Protocol, bytes: &[u8]) -> PacketId {
    let payload = packets.payload(protocol, Arc::from(bytes));
    let size = 20 + bytes.len() as u32; // a handful
    packets.create(packet(FlowId::NONE, NodeId::BROADCAST, size, payload))
}

/// A control frame from node 0 with nothing in it.
pub(crate) fn control_frame(to: NodeId) -> Frame {
    Frame {
        kind: FrameKind::Rts,
        retry: false,
        more: false,
        sequence: 0,
        from: NodeId(0),
        to,
        packet: PacketId::NONE,
        second: None,
        batch: BatchId::NONE,
        priority: UserPriority::BEST_EFFORT,
        size: Bytes(20),
        duration: Dur::ZERO,
        tx: TX,
        airtime: Dur::ZERO,
    }
}
