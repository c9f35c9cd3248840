//! What layers are told, and what they say.

use std::sync::Arc;

use multihop_proto::shim::Counters;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Signal;

use crate::datagram::Way;

/// What a layer has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// To the TCP of this host.
    Host(NodeId, Vec<u8>),
    /// Into the network, from this host.
    Network(NodeId, Arc<[u8]>),
}

/// What becomes of a datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Swallow,
    /// This one goes in its place.
    Replace(Arc<[u8]>),
}

/// What the network tells a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Told {
    /// Something about a segment of a connection.
    Signal { way: Way, signal: Signal, from: NodeId },
    /// A node is about to be cut off from another one (`ahead`), or has a way again.
    Outage { node: NodeId, peer: NodeId, ahead: bool },
}

/// What Linux knows of the times of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Retransmission timeout.
    pub(crate) rto: Dur,
    /// Smoothed round-trip time.
    pub(crate) srtt: Dur,
}

/// What a layer needs for a step.
pub(super) struct Step<'a> {
    pub(super) now: SimTime,
    pub(super) host: NodeId,
    /// None once Linux has closed the connection.
    pub(super) times: Option<Times>,
    pub(super) counts: &'a mut Counters,
    pub(super) out: &'a mut Vec<Said>,
}

impl Step<'_> {
    /// To TCP, as from its peer.
    pub(super) fn tell(&mut self, segment: Option<Vec<u8>>) {
        self.out.extend(segment.map(|segment| Said::Host(self.host, segment)));
    }

    /// Into the network, as from TCP.
    pub(super) fn send(&mut self, segment: Option<Vec<u8>>) {
        self.out.extend(segment.map(|segment| Said::Network(self.host, segment.into())));
    }
}
