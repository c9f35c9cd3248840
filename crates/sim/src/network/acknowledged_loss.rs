//! Whether a flow is broken: bytes that its source was told had arrived, and that no node has any more, or only an
//! agent that would have given them up.

use std::collections::BTreeSet;

use multihop_proto::endpoint::{AnyTransport, Transport};
#[cfg(doc)]
use multihop_proto::proxy::Agent;
use multihop_proto::units::FlowId;
use multihop_proto::wire::{PacketId, Payload, RangeSet, Towards};

use super::Network;

impl Network {
    /// Payload of a flow that its source has done with, and that neither its destination has nor any packet in the
    /// network \[B\], what agents hold in vain left out ([`Agent::is_stranded`]); none if no agent serves the flow:
    /// then no node but the destination acknowledges.
    #[must_use]
    pub fn broken_bytes(&self, flow: FlowId) -> Option<u64> {
        if !self.nodes.iter().any(|node| node.relays().serve(flow)) {
            return None;
        }
        let ends = || self.nodes.iter().flat_map(|node| node.hosts().all()).filter(|end| end.flow == flow);
        let done = ends().find_map(|end| end.kind.acknowledged())?;
        let receiver = ends().find_map(|end| match &end.kind {
            AnyTransport::TcpReceiver(end) => Some(end.receiver.view()),
            _ => None,
        })?;
        if done <= receiver.expected {
            return Some(0);
        }
        let mut somewhere = RangeSet::default();
        let mut found = |start: u64, end: u64| {
            let (start, end) = (start.max(receiver.expected), end.min(done));
            if start < end {
                somewhere.insert(start, end);
            }
        };
        receiver.waiting.iter().for_each(|(start, end)| found(start, end));
        let in_vain: BTreeSet<PacketId> =
            self.nodes.iter().flat_map(|node| node.relays().stranded(flow, self.world.now)).collect();
        let custody = self.nodes.iter().flat_map(|node| node.custody()).filter(|id| !in_vain.contains(id));
        for packet in custody.map(|id| &self.packets[id]).filter(|packet| packet.flow == flow) {
            if let (Payload::Tcp(segment), Towards::Destination) = (&packet.payload, packet.towards) {
                found(segment.seq, segment.seq + u64::from(segment.len));
            }
        }
        let there: u64 = somewhere.iter().map(|(start, end)| end - start).sum();
        Some(done - receiver.expected - there)
    }
}
