//! The agents that stand at a node.

use crate::contract::{Cx, NodeState};
use crate::proxy::{Action, Agent, Input, Proxy, Verdict};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{PacketId, PacketKind, Towards};

/// The agents of a node.
#[derive(Debug, Default)]
pub(super) struct Agents(Vec<Proxy>);

impl Agents {
    /// Adds one for a flow.
    pub(super) fn add(&mut self, flow: FlowId, agent: Box<dyn Agent>) {
        let ends = (NodeId::BROADCAST, NodeId::BROADCAST);
        self.0.push(Proxy { flow, deadline: SimTime::MAX, ends, agent });
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Proxy] {
        &self.0
    }

    /// How many there are.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether an agent is one of a flow.
    #[inline]
    pub(super) fn serves(&self, index: usize, flow: FlowId) -> bool {
        self.0[index].flow == flow
    }

    /// When the earliest timer fires.
    #[inline(always)]
    pub(super) fn deadline(&self) -> SimTime {
        self.0.iter().map(|agent| agent.deadline).min().unwrap_or(SimTime::MAX)
    }

    /// Whether the timer of an agent fires now; then it is off.
    pub(super) fn fires(&mut self, index: usize, now: SimTime) -> bool {
        let fires = self.0[index].deadline <= now;
        if fires {
            self.0[index].deadline = SimTime::MAX;
        }
        fires
    }

    /// Lets an agent act: what it says of a packet that passes, and what it asks for. Its timer is set.
    pub(super) fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        node_state: &NodeState,
        input: Input,
    ) -> (Verdict, Vec<Action>) {
        let proxy = &mut self.0[index];
        if let Input::Passing(id) = input
            && cx.packets.kind(id) != PacketKind::Signal
        {
            let (from, to) = (cx.packets[id].source, cx.packets[id].destination);
            proxy.ends = match cx.packets[id].towards {
                Towards::Destination => (from, to),
                Towards::Source => (to, from),
            };
        }
        let mut actions = Vec::new();
        (proxy.agent.handle(cx, node_state, input, &mut actions), actions)
    }

    /// Sets the timer of an agent.
    pub(super) fn arm(&mut self, index: usize, at: SimTime) {
        self.0[index].deadline = at;
    }

    /// What agents of a flow hold here, and TCP would have given up ([`Agent::is_stranded`]).
    pub(super) fn stranded(&self, flow: FlowId, now: SimTime) -> impl Iterator<Item = PacketId> {
        let agents = self.0.iter().filter(move |proxy| proxy.flow == flow);
        agents.filter(move |proxy| proxy.agent.is_stranded(now)).flat_map(|proxy| proxy.agent.packets())
    }

    /// The node goes down: what they have is lost.
    pub(super) fn flush(&mut self, cx: &mut Cx<'_>) -> Vec<PacketId> {
        self.0.iter_mut().flat_map(|proxy| proxy.agent.flush(cx)).collect()
    }
}
