//! The ends of flows that a node has.

use super::endpoint::Endpoint;
use crate::contract::{Arrival, Cx, NodeState, Wake};
use crate::endpoint::{Action, Input, Transport};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{PacketId, Towards};

/// The ends of flows at a node.
#[derive(Debug, Default)]
pub struct Hosts {
    ends: Vec<Endpoint>,
    /// Which one hears first of room in a queue.
    first: usize,
    /// Empty; kept for its memory.
    actions: Vec<Action>,
}

impl Hosts {
    /// Adds one.
    pub fn add(&mut self, end: Endpoint) {
        self.ends.push(end);
    }

    /// The places of all, in the order in which they hear of room in a queue: first the one after that which took room
    /// last, or a flow whose packets always fill the queue would leave the others none.
    pub(super) fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, count) = (self.first, self.ends.len());
        (first..count).chain(0..first)
    }

    /// One has taken room in a queue.
    pub(super) const fn took_room(&mut self, index: usize) {
        self.first = if index + 1 < self.ends.len() { index + 1 } else { 0 };
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

    /// Whether the other end of any is at that node.
    pub(super) fn reach(&self, node: NodeId) -> bool {
        self.ends.iter().any(|end| end.peer == node)
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
        Wake::earliest(self.ends.iter().map(|end| end.wake))
    }

    /// Whether the timer of an end fires now; then it is off.
    pub(super) fn fires(&mut self, index: usize, now: SimTime) -> bool {
        self.ends[index].wake.fires(now)
    }

    /// A packet reaches its end. Returns what it was to it, and what it asks for, which goes back by
    /// [`Hosts::take_back`].
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
}
