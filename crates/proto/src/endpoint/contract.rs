//! The contract of endpoints. A packet for it is shown before its custody ends: the endpoint says what the packet was
//! to it, and the node ends it accordingly.

use crate::contract::{Arrival, Cx, NodeState, Notice, Sink, TcpView};

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
        /// Who sent it.
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

/// An endpoint from outside this crate: experiments and tests.
pub trait CustomEndpoint: std::fmt::Debug + Send {
    /// Which way its packets run: towards the destination from a source, and back from a sink.
    fn towards(&self) -> Towards;
    /// Takes a packet for it, whose custody ends with the call.
    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        packet: PacketId,
        out: &mut dyn Sink<Action>,
    ) -> Arrival;
    /// Takes another input.
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        out: &mut dyn Sink<Action>,
    );
    /// Whether what stands at this position of the flow ([`crate::wire::Packet::position`]) has arrived.
    fn has(&self, _position: u64) -> bool {
        false
    }
    /// Packets sent so far.
    fn sent(&self) -> u64 {
        0
    }
    /// What a sender of TCP has counted, with the sum and the number of its round-trip samples; none of other ends.
    fn tcp(&self) -> Option<(tcp::connection::Counters, (Dur, u64))> {
        None
    }
    /// The state of a sender of TCP; none of other ends.
    fn view(&self) -> Option<TcpView<'_>> {
        None
    }
    /// Tells its counters by their public names.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
