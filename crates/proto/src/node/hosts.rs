//! The ends of flows that a node has, and what all packets that they send are like.

use super::host::Endpoint;
use crate::contract::{Arrival, Cx, NodeState};
use crate::endpoint::{Action, Input, Transport};
use crate::units::{Bytes, FlowId, NodeId, SimTime};
use crate::wire::{INITIAL_TTL, LinkHeader, Packet, PacketId, Payload, Segment, Towards, UserPriority};

/// IPv4 (RFC 791) and TCP (RFC 9293) headers without options.
const TCP_HEADERS: u32 = 40;

/// The ends of flows at a node.
#[derive(Debug)]
pub struct Hosts {
    /// The node.
    node: NodeId,
    ends: Vec<Endpoint>,
    /// Headers of a TCP segment with payload.
    data_header: Bytes,
    hop_limit: u8,
    /// Which one hears first of room in a queue.
    first: usize,
    /// Empty; kept for its memory.
    actions: Vec<Action>,
}

impl Hosts {
    /// None yet, at this node.
    pub(super) const fn new(node: NodeId) -> Self {
        let data_header = Bytes(TCP_HEADERS);
        Self { node, ends: Vec::new(), data_header, hop_limit: INITIAL_TTL, first: 0, actions: Vec::new() }
    }

    /// Adds one.
    pub fn add(&mut self, end: Endpoint) {
        self.ends.push(end);
    }

    /// The places of all, in the order in which they hear of room in a queue: first the one after that which took room last, or
    /// a flow whose packets always fill the queue would leave the others none.
    pub(super) fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, count) = (self.first, self.ends.len());
        (first..count).chain(0..first)
    }

    /// One has taken room in a queue.
    pub(super) const fn took_room(&mut self, index: usize) {
        self.first = if index + 1 < self.ends.len() { index + 1 } else { 0 };
    }

    /// Sets what a TCP segment with payload counts for its headers, 40 bytes otherwise.
    pub const fn set_data_header(&mut self, header: Bytes) {
        self.data_header = header;
    }

    /// Sets how many hops packets may go, 64 otherwise.
    pub const fn set_hop_limit(&mut self, hops: u8) {
        self.hop_limit = hops;
    }

    /// How many hops packets may go.
    #[inline(always)]
    pub(super) const fn hop_limit(&self) -> u8 {
        self.hop_limit
    }

    /// All of them.
    #[inline(always)]
    #[must_use]
    pub const fn all(&self) -> &[Endpoint] {
        self.ends.as_slice()
    }

    /// All of them, to change them.
    #[inline(always)]
    pub const fn all_mut(&mut self) -> &mut [Endpoint] {
        self.ends.as_mut_slice()
    }

    /// The end of a flow that starts here.
    pub(super) fn sending(&self, flow: FlowId) -> Option<usize> {
        self.ends.iter().position(|end| end.flow == flow && end.towards == Towards::Destination)
    }

    /// The end of a flow.
    pub(super) fn of_flow(&self, flow: FlowId) -> Option<usize> {
        self.ends.iter().position(|end| end.flow == flow)
    }

    /// The end of a flow whose other end is that node.
    #[inline(always)]
    pub(super) fn between(&self, flow: FlowId, peer: NodeId) -> Option<usize> {
        self.ends.iter().position(|end| end.flow == flow && end.peer == peer)
    }

    /// When the earliest timer fires.
    #[inline(always)]
    pub(super) fn deadline(&self) -> SimTime {
        self.ends.iter().map(|end| end.deadline).min().unwrap_or(SimTime::MAX)
    }

    /// Whether the timer of an end fires now; then it is off.
    pub(super) fn fires(&mut self, index: usize, now: SimTime) -> bool {
        let fires = self.ends[index].deadline <= now;
        if fires {
            self.ends[index].deadline = SimTime::MAX;
        }
        fires
    }

    /// A packet reaches its end. Returns what it was to it, and what it asks for, which goes back by [`Hosts::take_back`].
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        node_state: &impl Fn() -> NodeState,
        id: PacketId,
    ) -> (Arrival, Vec<Action>) {
        let mut actions = std::mem::take(&mut self.actions);
        let end = &mut self.ends[index];
        end.order.arrived(cx.packets[id].maker, cx.packets[id].uid);
        (end.kind.receive(cx, node_state, id, &mut actions), actions)
    }

    /// Lets an end act. Returns what it asks for, which goes back by [`Hosts::take_back`].
    pub(super) fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        node_state: &NodeState,
        input: Input<'_>,
    ) -> Vec<Action> {
        let mut actions = std::mem::take(&mut self.actions);
        self.ends[index].kind.handle(cx, node_state, input, &mut actions);
        actions
    }

    /// Takes a list back whose actions are done.
    #[inline(always)]
    pub(super) fn take_back(&mut self, mut actions: Vec<Action>) {
        actions.clear();
        self.actions = actions;
    }

    /// A new packet of the node.
    pub(super) fn make(
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

    /// Bytes of a packet with this segment: headers, payload, options.
    #[inline(always)]
    pub(super) fn segment_size(&self, segment: &Segment) -> u32 {
        let headers = if segment.len > 0 { self.data_header.0 } else { TCP_HEADERS };
        headers + segment.len + segment.options()
    }
}
