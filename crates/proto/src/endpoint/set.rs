//! The set of endpoints.

use super::atp::{AtpSink, AtpSource};
use super::contract::{Action, Input, Transport};
use super::tcp::{ReceiverEnd, SenderEnd};
use super::trace::Trace;
use crate::atp::{self, AtpConfig};
use crate::contract::{Arrival, Cx, NodeState, TcpView};
use crate::shim::AnyShim;
use crate::tcp::connection::Counters;
use crate::tcp::{Receiver, Sender, acks, gate, loss, window};
use crate::udp;
use crate::units::{Bytes, Dur, FlowId};
use crate::wire::{PacketId, Towards};

dispatch! {
    /// One endpoint of the set.
    #[derive(Debug)]
    pub enum AnyTransport: Transport {
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
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn Transport>),
    }

    fn towards(&self) -> Towards;
    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival;
    fn handle(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>);
    fn has(&self, position: u64) -> bool;
    fn sent(&self) -> u64;
    fn counters(&self) -> Option<(Counters, (Dur, u64))>;
    fn acknowledged(&self) -> Option<u64>;
    fn settled(&self) -> Option<u64>;
    fn view(&self) -> Option<TcpView<'_>>;
    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64));
}

/// Names of the counters that an end of a flow may have besides those that each has.
#[must_use]
pub fn counter_names() -> Vec<&'static str> {
    let tcp: [&[_]; 5] = [
        &loss::Counters::NAMES,
        &loss::RackCounters::NAMES,
        &acks::Dynamic::NAMES,
        &[gate::QueueGate::NAME],
        &window::SlowStartCounters::NAMES,
    ];
    [&atp::Counters::NAMES, &*tcp.concat()].concat()
}

impl AnyTransport {
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

    /// Source and sink of a flow over ATP, which packs so many bytes at most.
    #[must_use]
    pub fn atp_ends(config: &AtpConfig, segment: Bytes, flow: FlowId) -> (Self, Self) {
        let source = AtpSource::new(flow, atp::Source::new(*config, segment.get()));
        let sink = AtpSink::new(flow, atp::Sink::new(*config));
        (Self::AtpSource(Box::new(source)), Self::AtpSink(Box::new(sink)))
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
}
