//! The contract of endpoints. A packet for it is shown before its custody ends: the endpoint says what the packet was
//! to it, and the node ends it accordingly.

use crate::contract::{Arrival, Cx, NodeState, Notice, TcpView};
use crate::tcp;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{PacketId, Payload, Segment, Signal, Towards};

/// What an application does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum App {
    /// Opens its connection.
    Open,
    /// Gives TCP this many more bytes; `u64::MAX` for a source that never runs dry.
    Write(u64),
    /// Stops giving data.
    Stop,
    /// Sends a datagram of this many bytes.
    Datagram(u32),
}

/// What an endpoint is told, but for packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// Its application does something; at the source of a flow only.
    App(App),
    /// Its timer fires.
    Timer,
    /// What drives the network has left something for it, in a place that both know.
    Wake,
    /// The node has something to tell.
    Notice(Notice),
    /// A signal about the flow has come to this end.
    Signal {
        /// What it says.
        signal: &'a Signal,
        /// The node that sent it.
        from: NodeId,
    },
}

/// What an endpoint asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this segment to the other end of the flow.
    Segment(Segment),
    /// Send a packet with this to the other end of the flow.
    Send(Payload),
    /// Wake me at this instant; replaces an earlier request. `SimTime::MAX` disarms.
    Arm(SimTime),
    /// Something for the record.
    Event(tcp::Event),
    /// This many more bytes can be read in order, though no packet has just arrived; the one that brought them was made
    /// then.
    Readable(u64, SimTime),
}

/// One end of a flow over some transport.
pub trait Transport: std::fmt::Debug + Send {
    /// Which way its packets run: towards the destination from a source, and back from a sink.
    fn towards(&self) -> Towards;
    /// Takes a packet for it, whose custody ends with the call. `node_state` reads the state of the node, if it is
    /// needed.
    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival;

    /// Takes another input.
    fn handle(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>);

    /// True if the byte or datagram at this position of the flow ([`crate::wire::Packet::position`]) has arrived.
    fn has(&self, _position: u64) -> bool {
        false
    }

    /// Packets sent so far, by ends that have no [`Self::counters`].
    fn sent(&self) -> u64 {
        0
    }

    /// What the sender of a stream has counted, with the sum and the number of its round-trip samples; none of other
    /// ends.
    fn counters(&self) -> Option<(tcp::connection::Counters, (Dur, u64))> {
        None
    }

    /// First byte that a TCP sender still keeps. The bytes below it are acknowledged: by the destination itself, where
    /// ACKs say so.
    fn acknowledged(&self) -> Option<u64> {
        None
    }

    /// Bytes of a stream from here that its transport counts as acknowledged; none of ends that send no stream.
    fn settled(&self) -> Option<u64> {
        self.view().map(|view| view.una)
    }

    /// The state of a TCP sender; none of other ends.
    fn view(&self) -> Option<TcpView<'_>> {
        None
    }

    /// Tells its counters by their public names.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
