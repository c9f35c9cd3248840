//! What looks at the packets that a node sends on: agents of flows, and the meter of ATP.

use crate::atp::Meter;
use crate::contract::{Cx, NodeState, Wake};
use crate::proxy::{Action, Agent, Input, Proxy, Verdict};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{PacketId, PacketKind, Payload, Protocol, Towards};

/// What a node has as a relay.
#[derive(Debug, Default)]
pub struct Relays {
    agents: Vec<Proxy>,
    meter: Option<Box<Meter>>,
    /// Whether there is any of these.
    watch: bool,
}

impl Relays {
    /// Name of the counter of packets that the meter has seen.
    pub const METERED: &'static str = Meter::NAME;

    /// Adds an agent of a flow that passes here.
    pub fn add(&mut self, flow: FlowId, agent: Box<dyn Agent>) {
        let ends = (NodeId::BROADCAST, NodeId::BROADCAST);
        self.watch = true;
        self.agents.push(Proxy { flow, wake: Wake::OFF, ends, agent });
    }

    /// Whether an agent of this flow stands here.
    #[must_use]
    pub fn serve(&self, flow: FlowId) -> bool {
        self.agents.iter().any(|agent| agent.flow == flow)
    }

    /// All agents.
    pub(super) fn agents(&self) -> &[Proxy] {
        &self.agents
    }

    /// How many agents there are.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether an agent is one of a flow.
    #[inline]
    pub(super) fn serves(&self, index: usize, flow: FlowId) -> bool {
        self.agents[index].flow == flow
    }

    /// When the earliest timer fires.
    #[inline(always)]
    pub(super) fn deadline(&self) -> SimTime {
        Wake::earliest(self.agents.iter().map(|agent| agent.wake))
    }

    /// Whether the timer of an agent fires now; then it is off.
    pub(super) fn fires(&mut self, index: usize, now: SimTime) -> bool {
        self.agents[index].wake.fires(now)
    }

    /// Lets an agent act: what it says of a packet that passes, and what it asks for. Its timer is set.
    pub(super) fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        node_state: &NodeState,
        input: Input,
    ) -> (Verdict, Vec<Action>) {
        let proxy = &mut self.agents[index];
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
        self.agents[index].wake.set(at);
    }

    /// What agents of a flow hold here, and TCP would have given up ([`Agent::is_stranded`]).
    pub fn stranded(&self, flow: FlowId, now: SimTime) -> impl Iterator<Item = PacketId> {
        let agents = self.agents.iter().filter(move |proxy| proxy.flow == flow);
        agents.filter(move |proxy| proxy.agent.is_stranded(now)).flat_map(|proxy| proxy.agent.packets())
    }

    /// Has it write into packets of ATP what the queues of the node measure ([`crate::link::Link::measure`]).
    pub fn set_meter(&mut self, meter: Meter) {
        self.watch = true;
        self.meter = Some(Box::new(meter));
    }

    /// Whether anything wants to see what passes.
    #[inline(always)]
    pub(super) const fn watch(&self) -> bool {
        self.watch
    }

    /// Writes into a packet that is about to be sent on; from a neighbour, after a hop that took so long. `average`:
    /// how long packets stay here \[s\], none while nothing is known of it.
    #[inline]
    pub(super) fn stamp(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        hop: Option<Dur>,
        average: impl Fn(SimTime) -> Option<f64>,
    ) {
        let (Some(meter), Payload::Transport(datagram)) = (&mut self.meter, cx.packets[id].payload) else {
            return;
        };
        if datagram.protocol != Protocol::Atp {
            return;
        }
        let Some(bytes) = cx.packets.message(id) else { return };
        if let Some(bytes) = meter.stamp(cx.packets[id].flow, bytes, hop, average(cx.now)) {
            cx.packets.rewrite(id, bytes);
        }
    }

    /// The packets in the custody of agents.
    pub(super) fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.agents.iter().flat_map(|proxy| proxy.agent.packets())
    }

    /// Tells the counters of all machines.
    pub(super) fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        self.agents.iter().for_each(|proxy| proxy.agent.each_counter(tell));
        if let Some(meter) = &self.meter {
            meter.each_counter(tell);
        }
    }

    /// The node goes down: what they have is lost.
    pub(super) fn flush(&mut self, cx: &mut Cx<'_>) -> Vec<PacketId> {
        self.agents.iter_mut().flat_map(|proxy| proxy.agent.flush(cx)).collect()
    }
}
