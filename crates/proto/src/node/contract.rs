//! What a node is told, and what it asks for.

use super::net::IfIndex;
use crate::contract::{Cause, Cx, Dropped, drop_packet};
use crate::endpoint::App;
use crate::tcp;
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Frame, PacketId};

/// Timers of a node, numbered from 1: a driver that keeps what fires of a node in one place has the end of its
/// transmission as number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The MAC's back-off.
    Access = 1,
    /// The MAC's exchange.
    Sequence,
    /// The earliest of routing, transport and proxies.
    Upper,
}

/// What a node is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// The node starts.
    Start,
    /// A frame was received whole by an interface, at this power \[W\].
    Receive(IfIndex, &'a Frame, f64),
    /// A timer fires (it may fire early): one of this interface, or [`Timer::Upper`].
    Timer(IfIndex, Timer),
    /// The application of a flow that starts here does something.
    App(FlowId, App),
    /// Something is left for the end of a flow whose other end is this node: [`endpoint::Input::Wake`]. If the node is
    /// the woken one itself, it is left for its routing: [`routing::Input::Wake`].
    Wake(FlowId, NodeId),
    /// The node goes down (`false`) or comes back.
    Power(bool),
    /// An oracle tells what is about to happen to the network, or is over: [`Notice::Outage`].
    Outage(FlowId, bool),
    /// The last bit of this packet has left the other end of the wire from that node, whose copy it is.
    Wire(NodeId, PacketId),
    /// The wire from that node is cut (`true`) or whole again.
    WireCut(NodeId, bool),
}

/// What a node asks for, or tells the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this frame, starting now. Its packets are held: the driver releases them when the frame has
    /// ended everywhere ([`crate::wire::PacketStore::release`]).
    Transmit(Frame),
    /// Wake me at this instant; replaces an earlier request of the same timer. The timer is that of the station;
    /// [`Timer::Upper`] is of the node.
    Arm(NodeId, Timer, SimTime),
    /// The last bit of a packet has left on the wire to this node: it is held until [`Input::Wire`] has told that node.
    WireSent(NodeId, PacketId),
    /// A packet has arrived over the wire from this node: this is the own copy, held until the arrival has been
    /// recorded.
    WireReceived(NodeId, PacketId),
    /// The radio of the station dozes (`true`) or wakes: see [`mac::Action::Doze`].
    Doze(NodeId, bool),
    /// The MAC of the station gave the frame in service up; if its packet is lost for it, that follows.
    GaveUp(NodeId, Cause),
    /// A packet was lost here.
    Dropped(Dropped),
    /// Something happened at a TCP sender of this node.
    Transport {
        /// Its flow.
        flow: FlowId,
        /// What.
        event: tcp::Event,
    },
    /// A route to the other end of a flow of this node was found, or is lost.
    Route {
        /// The other end.
        destination: NodeId,
        /// Whether there is one now.
        found: bool,
    },
    /// New payload arrived at a sink of this node.
    Arrived {
        /// Its flow.
        flow: FlowId,
        /// Bytes that can now be read in order.
        readable: u64,
        /// Age of the packet that brought it.
        delay: Dur,
        /// Hops that it took; 0 if that is not known.
        hops: u8,
    },
}

impl Action {
    /// A packet is lost here.
    pub(super) fn lost(cx: &mut Cx<'_>, id: PacketId, reason: DropReason) -> Self {
        Self::Dropped(drop_packet(cx, id, reason))
    }
}
