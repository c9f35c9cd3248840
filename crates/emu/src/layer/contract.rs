//! Inputs and outputs of the layers between TCP of Linux and the network.

use std::sync::Arc;

use multihop_proto::shim::Counters;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Signal;

use crate::datagram::Way;

/// A segment that a layer sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// To the TCP of this host.
    Host(NodeId, Vec<u8>),
    /// Into the network, from this host.
    Network(NodeId, Arc<[u8]>),
}

/// What a layer does with a datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Swallow,
    /// It is replaced by this one.
    Replace(Arc<[u8]>),
}

/// An event in the network that a host must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HostEvent {
    /// Something about a segment of a connection.
    Signal { way: Way, signal: Signal, from: NodeId },
    /// A node is about to be cut off from another one (`ahead`), or has a way again.
    Outage { node: NodeId, peer: NodeId, ahead: bool },
}

/// Times of a connection, from its socket in Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Retransmission timeout.
    pub(crate) rto: Dur,
    /// Smoothed round-trip time.
    pub(crate) srtt: Dur,
}

/// One step of a layer: time, host, and where its outputs go.
pub(super) struct Step<'a> {
    pub(super) now: SimTime,
    pub(super) host: NodeId,
    /// None once Linux has closed the connection.
    pub(super) times: Option<Times>,
    pub(super) counts: &'a mut Counters,
    pub(super) out: &'a mut Vec<Output>,
}

impl Step<'_> {
    /// To TCP, as from its peer.
    pub(super) fn tell(&mut self, segment: Option<Vec<u8>>) {
        self.out.extend(segment.map(|segment| Output::Host(self.host, segment)));
    }

    /// Into the network, as from TCP.
    pub(super) fn send(&mut self, segment: Option<Vec<u8>>) {
        self.out.extend(segment.map(|segment| Output::Network(self.host, segment.into())));
    }
}
