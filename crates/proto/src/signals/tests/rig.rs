//! A notifier of a relay between the ends of two flows, 0 → 4 and 5 → 4.

use std::sync::Arc;

use crate::contract::Cx;
use crate::signals::{Action, Input, Loss, Notifier, SignalsConfig, Verdict};
use crate::units::{Bytes, FlowId, NodeId, SimTime};
use crate::wire::{
    DropReason, LinkHeader, Packet, PacketId, PacketKind, PacketStore, Payload, Segment, Signal, SignalKind,
    Towards, UserPriority,
};

pub(super) const FLOW: FlowId = FlowId(0);
pub(super) const OTHER: FlowId = FlowId(1);
pub(super) const SOURCE: NodeId = NodeId(0);
pub(super) const SINK: NodeId = NodeId(4);
/// The node itself.
pub(super) const RELAY: NodeId = NodeId(2);
/// The neighbours of the relay: towards the sources, towards the sink, and another.
pub(super) const BEFORE: NodeId = NodeId(1);
pub(super) const AFTER: NodeId = NodeId(3);
pub(super) const ASIDE: NodeId = NodeId(9);

/// A notifier and its packets.
#[derive(Debug)]
pub(super) struct Rig {
    pub(super) notifier: Notifier,
    pub(super) packets: PacketStore,
}

impl Rig {
    pub(super) fn new(config: &SignalsConfig) -> Self {
        Self::at(config, RELAY)
    }

    /// Not in a relay, but there.
    pub(super) fn at(config: &SignalsConfig, me: NodeId) -> Self {
        let flows = Arc::from([(SOURCE, SINK), (NodeId(5), SINK)]);
        Self { notifier: Notifier::new(config, me, flows), packets: PacketStore::new(2) }
    }

    pub(super) fn feed(&mut self, now: SimTime, input: Input) -> Vec<Action> {
        let mut out = Vec::new();
        self.notifier.handle(&mut Cx { now, packets: &mut self.packets }, input, &mut out);
        out
    }

    fn passes(&mut self, now: SimTime, id: PacketId, from: NodeId, next: NodeId) -> (Verdict, Vec<Action>) {
        let mut out = Vec::new();
        let input = Input::Passing { packet: id, from, next: Some(next) };
        let verdict = self.notifier.handle(&mut Cx { now, packets: &mut self.packets }, input, &mut out);
        (verdict, out)
    }

    /// A segment of a flow is about to be forwarded.
    pub(super) fn segment(&mut self, now: SimTime, flow: FlowId, seq: u64) -> (Verdict, Vec<Action>) {
        let id = self.packet(flow, SINK, Towards::Destination, Payload::Tcp(segment(seq)));
        self.passes(now, id, BEFORE, AFTER)
    }

    /// A signal about flow 0 is about to be forwarded to its source; it came from the next node on the way, and routing
    /// has this next hop for the data.
    pub(super) fn signal(&mut self, now: SimTime, kind: SignalKind, next: NodeId) -> (Verdict, Vec<Action>) {
        let payload = Payload::Signal(about(kind, 0));
        let id = self.packet(FLOW, SOURCE, Towards::Destination, payload);
        self.passes(now, id, AFTER, next)
    }

    pub(super) fn packet(
        &mut self,
        flow: FlowId,
        to: NodeId,
        towards: Towards,
        payload: Payload,
    ) -> PacketId {
        self.packets.create(Packet {
            uid: 0,
            flow,
            source: BEFORE,
            maker: BEFORE,
            destination: to,
            towards,
            size: Bytes(1040),
            ttl: 60,
            forced: false,
            priority: UserPriority::BEST_EFFORT,
            link: LinkHeader::default(),
            header: None,
            payload,
            created: SimTime::ZERO,
            enqueued: SimTime::ZERO,
        })
    }
}

fn segment(seq: u64) -> Segment {
    Segment { seq, len: 1000, ..Segment::default() }
}

/// A signal about a segment of flow 0.
pub(super) const fn about(kind: SignalKind, sequence: u64) -> Signal {
    Signal { kind, source: SOURCE, destination: SINK, sequence }
}

/// That signal, to the source.
pub(super) const fn says(kind: SignalKind, sequence: u64) -> Action {
    Action::Signal { flow: FLOW, to: SOURCE, signal: about(kind, sequence) }
}

/// A segment of flow 0 that was lost.
pub(super) const fn lost(reason: DropReason, sequence: u64) -> Input {
    Input::Lost(Loss { flow: FLOW, kind: PacketKind::TcpData, sequence, reason })
}

/// The instant so many seconds after zero.
pub(super) const fn s(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds)
}
