//! The set of endpoints.

use super::atp::{AtpSink, AtpSource};
use super::contract::{Action, CustomEndpoint, Input};
use super::tcp::{ReceiverEnd, SenderEnd};
use super::trace::Trace;
use crate::contract::{Arrival, Cx, NodeState, Sink, TcpView};
use crate::shim::{AnyShim, Shim};
use crate::tcp::{Receiver, Sender};
use crate::udp;
use crate::wire::{PacketId, Towards};

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
            Self::Custom(custom) => custom.view(),
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
