//! One end of a flow, as its node keeps it.

use crate::contract::Wake;
use crate::endpoint::{AnyTransport, Transport};
use crate::units::{FlowId, NodeId};
use crate::wire::Towards;

/// One end of a flow.
#[derive(Debug)]
pub struct Endpoint {
    /// Its flow.
    pub flow: FlowId,
    /// The node at the other end.
    pub peer: NodeId,
    /// Which way its packets run.
    pub(super) towards: Towards,
    /// Its timer.
    pub(super) wake: Wake,
    /// In which order packets of the flow reach it.
    pub order: Order,
    /// What it is.
    pub kind: AnyTransport,
}

/// Counts packets that arrive after a later one: RFC 4737 §3.3, with the packet's number in the run for its place in
/// the order of sending. Second arrivals count too. Agents on the way make packets as well: each maker's are in an
/// order of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The latest that has arrived, of each that made some.
    latest: Vec<(NodeId, u64)>,
    /// How many came after one that had been sent later.
    pub reordered: u64,
}

impl Order {
    /// Packet `uid` of this maker has arrived.
    pub(super) fn arrived(&mut self, maker: NodeId, uid: u64) {
        match self.latest.iter_mut().find(|(node, _)| *node == maker) {
            Some((_, latest)) => {
                self.reordered += u64::from(uid < *latest);
                *latest = uid.max(*latest);
            }
            None => self.latest.push((maker, uid)),
        }
    }
}

impl Endpoint {
    /// One end of a flow, with nothing between it and the network layer.
    #[must_use]
    pub fn new(flow: FlowId, peer: NodeId, kind: AnyTransport) -> Self {
        let towards = kind.towards();
        Self { flow, peer, towards, wake: Wake::OFF, order: Order::default(), kind }
    }
}
