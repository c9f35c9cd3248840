//! What passes between the network and what drives it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use multihop_proto::shim::Counters;
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::DropReason;

use crate::datagram::Seen;
use crate::layer::HostEvent;

/// A datagram of a host that was dropped on its way.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// Where.
    pub(crate) node: NodeId,
    /// Why.
    pub(crate) reason: DropReason,
    /// All of it.
    pub(crate) bytes: Arc<[u8]>,
}

/// A datagram or a frame for the stack of a node.
#[derive(Debug)]
pub(crate) struct Delivered {
    /// The node.
    pub(crate) node: NodeId,
    /// When it arrives.
    pub(crate) at: SimTime,
    /// With which power \[W\]; 0 over a wire.
    pub(crate) power: f64,
    /// The whole datagram, or the frame that it is in.
    pub(crate) bytes: Vec<u8>,
}

/// What is put into the network at the next wake, and what has come out of it since it was looked at.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// From the stack of the node that is woken next.
    pub(crate) leaving: VecDeque<(Seen, Arc<[u8]>)>,
    /// Other frames of that node, and the neighbour that each is for, or all.
    pub(crate) frames: VecDeque<(NodeId, Arc<[u8]>)>,
    /// For any node, in the order of arrival.
    pub(crate) delivered: Vec<Delivered>,
    /// Congestion control of each flow, as Linux calls it.
    pub(crate) controls: Vec<(FlowId, String)>,
    /// What the layers below TCP have counted for each flow, once the emulation is over.
    pub(crate) layers: Vec<(FlowId, Counters)>,
    /// Datagrams that were dropped on their way.
    pub(crate) lost: Vec<Lost>,
    /// Routes that were found: where, and to which node.
    pub(crate) found: Vec<(NodeId, NodeId)>,
    /// What the network tells the layers below TCP.
    pub(crate) events: Vec<HostEvent>,
}

/// Shared by the ends and what drives the network; one thread uses it.
pub(crate) type Shared = Arc<Mutex<Exchange>>;
