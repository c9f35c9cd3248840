//! What every endpoint speaks. A packet for it is shown before its custody ends: the endpoint says what the packet was
//! to it, and the node ends it accordingly.

use super::atp::{AtpSink, AtpSource};
use super::tcp::{ReceiverEnd, SenderEnd};
use super::trace::Trace;
use crate::contract::{Arrival, Cx, NodeState, Notice, Sink, TcpView};
use crate::shim::{AnyShim, Shim};

use crate::tcp::{self, Receiver, Sender};
use crate::udp;
use crate::units::{NodeId, SimTime};
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
    /// Tells its counters by their public names.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}

/// The endpoints.
#[derive(Debug)]
pub enum EndpointKind {
    /// Sends data over TCP.
    TcpSender(Box<SenderEnd>),
    /// Receives data over TCP.
    TcpReceiver(Box<ReceiverEnd>),
    /// Sends datagrams.
    UdpSource(udp::Source),
    /// Receives datagrams.
    UdpSink(udp::Sink),
    /// Sends data over ATP.
    AtpSource(Box<AtpSource>),
    /// Receives data over ATP.
    AtpSink(Box<AtpSink>),
    /// One from outside.
    Custom(Box<dyn CustomEndpoint>),
}

impl EndpointKind {
    /// A TCP sender with nothing between it and the network.
    #[must_use]
    pub fn tcp_sender(sender: Sender) -> Self {
        Self::TcpSender(Box::new(SenderEnd::new(sender)))
    }

    /// A TCP receiver with nothing between it and the network.
    #[must_use]
    pub fn tcp_receiver(receiver: Receiver) -> Self {
        Self::TcpReceiver(Box::new(ReceiverEnd::new(receiver)))
    }

    /// Puts a shim between this end of a connection and the network.
    ///
    /// # Panics
    /// If it is no end of a TCP connection.
    pub fn set_shim(&mut self, shim: AnyShim) {
        match self {
            Self::TcpSender(end) => end.shim = shim,
            Self::TcpReceiver(end) => end.shim = shim,
            _ => panic!("shims are for TCP"),
        }
    }

    /// Has a TCP sender keep so many of its events one by one, from now on; 0: none.
    pub fn set_trace(&mut self, most: usize) {
        if let (Self::TcpSender(end), 1..) = (self, most) {
            end.trace = Some(Box::new(Trace::new(most)));
        }
    }

    /// Which way its packets run.
    #[must_use]
    pub fn towards(&self) -> Towards {
        match self {
            Self::TcpSender(_) | Self::UdpSource(_) | Self::AtpSource(_) => Towards::Destination,
            Self::TcpReceiver(_) | Self::UdpSink(_) | Self::AtpSink(_) => Towards::Source,
            Self::Custom(custom) => custom.towards(),
        }
    }

    /// Takes a packet for it, whose custody ends with the call.
    #[inline(always)]
    pub fn receive<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: impl Fn() -> NodeState,
        packet: PacketId,
        out: &mut S,
    ) -> Arrival {
        match self {
            Self::TcpSender(end) => end.receive(cx, node_state, packet, out),
            Self::TcpReceiver(end) => end.receive(cx, node_state, packet, out),
            Self::UdpSource(_) => Arrival::Unacceptable,
            Self::UdpSink(sink) => sink.receive(cx, packet),
            Self::AtpSource(end) => end.receive(cx, packet, out),
            Self::AtpSink(end) => end.receive(cx, packet, out),
            Self::Custom(custom) => custom.receive(cx, &node_state(), packet, out),
        }
    }

    /// Takes another input.
    pub fn handle<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        out: &mut S,
    ) {
        match self {
            Self::TcpSender(end) => end.handle(cx, node_state, input, out),
            Self::TcpReceiver(end) => end.handle(cx, node_state, input, out),
            Self::UdpSource(source) => source.handle(input, out),
            Self::UdpSink(_) => {}
            Self::AtpSource(end) => end.handle(cx, input, out),
            Self::AtpSink(end) => end.handle(cx, input, out),
            Self::Custom(custom) => custom.handle(cx, node_state, input, out),
        }
    }

    /// Whether what stands at this position of the flow has arrived here.
    #[must_use]
    pub fn has(&self, position: u64) -> bool {
        match self {
            Self::TcpReceiver(end) => end.receiver.has(position),
            Self::UdpSink(sink) => sink.has(position),
            Self::AtpSink(end) => end.sink.has(position),
            Self::Custom(custom) => custom.has(position),
            Self::TcpSender(_) | Self::UdpSource(_) | Self::AtpSource(_) => false,
        }
    }

    /// First byte that a TCP sender still answers for: all below it has been acknowledged, by the destination itself if
    /// that is told apart.
    #[must_use]
    pub fn acknowledged(&self) -> Option<u64> {
        let Self::TcpSender(end) = self else { return None };
        end.shim.unacknowledged().or_else(|| Some(end.sender.view().una))
    }

    /// Bytes of a stream from here that its transport counts as acknowledged; none of what sends no stream.
    #[must_use]
    pub fn settled(&self) -> Option<u64> {
        match self {
            Self::AtpSource(end) => Some(end.source.acknowledged()),
            _ => self.view().map(|view| view.una),
        }
    }

    /// The state of a TCP sender.
    #[must_use]
    pub fn view(&self) -> Option<TcpView<'_>> {
        match self {
            Self::TcpSender(end) => Some(end.sender.view()),
            _ => None,
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        match self {
            Self::TcpSender(end) => {
                end.sender.each_counter(tell);
                end.gate.each_counter(tell);
                end.shim.each_counter(tell);
            }
            Self::TcpReceiver(end) => {
                end.receiver.each_counter(tell);
                end.shim.each_counter(tell);
            }
            Self::Custom(custom) => custom.each_counter(tell),
            Self::AtpSource(end) => end.source.counters().each(tell),
            Self::UdpSource(_) | Self::UdpSink(_) | Self::AtpSink(_) => {}
        }
    }
}
