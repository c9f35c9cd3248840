//! What every agent in a relay speaks.

use crate::contract::{Cx, Dropped, NodeState, Notice, Wake};
use crate::units::{FlowId, NodeId, SimTime};
pub use crate::wire::Towards;
use crate::wire::{PacketId, Segment, Signal};

/// What a proxy is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A packet of its flow, a signal about it included, is about to be forwarded.
    Passing(PacketId),
    /// A signal about its flow was sent to this very node.
    Signal(PacketId),
    /// Its timer fires (it may fire early).
    Timer,
    /// Its node has something to tell: routes found and lost, neighbours given up, the node down or up again.
    Notice(Notice),
}

/// What a proxy asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send a segment in the name of the far end.
    Send(Towards, Segment),
    /// Send this segment out of a packet in the agent's custody, which stays there: another packet on the same way, as
    /// old as that one.
    Resend(PacketId, Segment),
    /// A packet in the agent's custody goes on.
    Forward(PacketId),
    /// The agent has lost a packet of its custody ([`crate::contract::drop_packet`]).
    Dropped(Dropped),
    /// Send a signal about the flow, in the name of this node.
    Signal {
        /// An end or a relay of the flow.
        to: NodeId,
        /// What it says.
        signal: Signal,
    },
    /// Wake me at this instant; replaces an earlier request.
    Arm(SimTime),
}

/// Whether the packet goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is forwarded.
    Pass,
    /// Its journey ends here.
    Absorb,
    /// The agent takes it into its custody.
    Keep,
}

/// A proxy from outside this crate: experiments and tests.
pub trait Agent: std::fmt::Debug + Send {
    /// Takes one input. The verdict matters for [`Input::Passing`] only.
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input,
        out: &mut Vec<Action>,
    ) -> Verdict;

    /// The packets in its custody.
    fn packets(&self) -> Vec<PacketId> {
        Vec::new()
    }

    /// The node goes down: it hands over all that it has in custody, which is lost, and forgets what it knew.
    fn flush(&mut self, _cx: &mut Cx<'_>) -> Vec<PacketId> {
        Vec::new()
    }

    /// Whether what it has acknowledged for the destination, and holds, would have been given up by now (RFC 1122
    /// §4.2.3.5, R2): as a run ends no node need wait for it.
    fn is_stranded(&self, _now: SimTime) -> bool {
        false
    }

    /// Tells every counter by its public name.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}

/// A proxy for one flow in one relay.
#[derive(Debug)]
pub struct Proxy {
    /// The flow it watches.
    pub flow: FlowId,
    /// Its timer.
    pub wake: Wake,
    /// Source and destination of the flow, learnt from what passes.
    pub ends: (NodeId, NodeId),
    /// The agent itself.
    pub agent: Box<dyn Agent>,
}
