//! One end of a flow whose transport is that of Linux.

use std::sync::{Arc, PoisonError};

use multihop_proto::contract::{Arrival, Cx, NodeState, Notice, Phase, Sink, TcpView};
use multihop_proto::endpoint::{Action, Input, Transport};
use multihop_proto::tcp::Event;
use multihop_proto::tcp::connection::Counters;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::address::ipv4;
use multihop_proto::wire::{Opaque, PacketId, Payload, RangeSet, Signal, Towards, flags};
use netlink_packet_sock_diag::inet::nlas::TcpInfo;

use crate::datagram::{Seen, arrived, read};
use crate::exchange::{Delivered, Shared};
use crate::layer::HostEvent;
use crate::receiving::Receiving;
use crate::sending::{Sending, parts};
use crate::socket::Sockets;

/// States of the congestion control of Linux (`enum tcp_ca_state`).
const RECOVERY: u8 = 3;
const LOSS: u8 = 4;
/// How old what is known of a socket may be while its connection is at work.
const FRESH: Dur = Dur::from_ms(50);

/// An end of a flow.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) flow: FlowId,
    pub(crate) here: NodeId,
    pub(crate) peer: NodeId,
    pub(crate) towards: Towards,
    /// Most hops that a packet of the node may go.
    pub(crate) hop_limit: u8,
    /// Bytes in front of the IP header. Behind those of a frame, the kernels on the way have lowered the hop limit.
    pub(crate) head: u8,
    pub(crate) shared: Shared,
    pub(crate) sockets: Arc<Sockets>,
    pub(crate) sending: Sending,
    pub(crate) receiving: Receiving,
    pub(crate) known: Option<Known>,
}

/// What was told last of the socket that sends most.
#[derive(Debug)]
pub(crate) struct Known {
    at: SimTime,
    connection: usize,
    info: TcpInfo,
    /// For the view: a list that stays empty.
    sacked: RangeSet,
}

impl End {
    /// A packet of TCP that belongs to the data of the flow, or answers them.
    fn is_source(&self) -> bool {
        self.towards == Towards::Destination
    }

    /// Looks at a socket, unless that was done a short time ago.
    fn look(&mut self, now: SimTime, connection: usize, always: bool) {
        let fresh = self.known.as_ref().is_some_and(|known| now.saturating_since(known.at) < FRESH);
        if self.flow.is_none()
            || (fresh && !always)
            || (!always && self.sending.busiest() != Some(connection))
        {
            return;
        }
        let Some(ports) = self.sending.get(connection).map(|connection| connection.ports) else { return };
        let Some((info, control)) = self.sockets.ask(ipv4(self.here), ipv4(self.peer), ports) else { return };
        if self.sending.busiest() == Some(connection) {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            match shared.controls.iter_mut().find(|(flow, _)| *flow == self.flow) {
                Some((_, name)) => *name = control,
                None => shared.controls.push((self.flow, control)),
            }
        }
        self.known = Some(Known { at: now, connection, info, sacked: RangeSet::default() });
    }

    /// The kernel sends something again: whether it has just come to believe that it is lost, and why.
    fn judge(&mut self, now: SimTime, connection: usize, seq: u64) -> Option<Event> {
        let state = |known: &Option<Known>| {
            let known = known.as_ref().filter(|known| known.connection == connection);
            known.map_or((0, 0), |known| (known.info.ca_state, known.info.retransmits))
        };
        let before = state(&self.known);
        self.look(now, connection, true);
        match state(&self.known) {
            (LOSS, retransmits) if before.0 != LOSS || before.1 != retransmits => {
                self.sending.counts.timeouts += 1;
                Some(Event::Timeout { seq })
            }
            (RECOVERY, _) if before.0 != RECOVERY => {
                self.sending.counts.fast_retransmits += 1;
                Some(Event::FastRetransmit { seq })
            }
            _ => None,
        }
    }

    /// A datagram leaves this node.
    fn send(&mut self, cx: &mut Cx<'_>, seen: &Seen, bytes: Arc<[u8]>, out: &mut dyn Sink<Action>) {
        let mut position = None;
        match &seen.tcp {
            Some(tcp) if self.is_source() => {
                let placed = self.sending.send(cx.now, tcp, seen.len);
                position = Some(placed.position);
                if placed.again && !self.flow.is_none() {
                    let event = self.judge(cx.now, placed.connection, placed.position);
                    let again = Event::SentAgain { seq: placed.position };
                    event.into_iter().chain([again]).for_each(|event| out.put(Action::Event(event)));
                }
            }
            Some(tcp) => position = tcp.ack.map(u64::from),
            None => self.sending.counts.sent += u64::from(self.is_source()),
        }
        let (protocol, ecn, len, head) = (seen.protocol, seen.ecn, seen.len, self.head);
        let opaque = cx.packets.opaque(bytes, |body| Opaque { protocol, ecn, head, position, len, body });
        out.put(Action::Send(opaque));
    }
}

impl Transport for End {
    fn towards(&self) -> Towards {
        self.towards
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &dyn Fn() -> NodeState,
        id: PacketId,
        _: &mut Vec<Action>,
    ) -> Arrival {
        let packet = &cx.packets[id];
        let Payload::Opaque(datagram) = packet.payload else { return Arrival::Unacceptable };
        let hops = if self.head > 0 { 1 } else { packet.hops(self.hop_limit) };
        let Some(bytes) = cx.packets.message(id) else { return Arrival::Unacceptable };
        let Some((head, bytes)) = bytes.split_at_checked(self.head.into()) else {
            return Arrival::Unacceptable;
        };
        let Some(seen) = read(bytes) else { return Arrival::Unacceptable };
        let come = arrived(bytes, hops, datagram.ecn & flags::CE != 0);
        let Some(come) = come else { return Arrival::Unacceptable };
        let (node, at) = (self.here, cx.now);
        let power = node_state().received_power;
        let delivered = Delivered { node, at, power, bytes: [head, &come].concat() };
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).delivered.push(delivered);
        if self.is_source() {
            if let Some(connection) = seen.tcp.and_then(|tcp| self.sending.acknowledge(cx.now, &tcp)) {
                self.look(cx.now, connection, false);
            }
            return Arrival::Control;
        }
        match (seen.tcp, datagram.position) {
            _ if self.flow.is_none() => Arrival::Control,
            (Some(_), Some(position)) => self.receiving.take(position, seen.len),
            _ => Arrival::New { readable: u64::from(seen.len) },
        }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match input {
            Input::Notice(Notice::RouteFound { destination, .. }) if destination == self.peer => {
                shared.found.push((self.here, self.peer));
            }
            Input::Notice(Notice::Outage { ahead, .. }) => {
                shared.events.push(HostEvent::Outage { node: self.here, peer: self.peer, ahead });
            }
            Input::Signal { signal, from } if self.is_source() => {
                let (number, sequence) = parts(signal.sequence);
                let of = self.sending.get(number).map(|connection| (self.here, self.peer, connection.ports));
                let signal = Signal { sequence, ..*signal };
                shared.events.extend(of.map(|way| HostEvent::Signal { way, signal, from }));
            }
            Input::Wake => {
                let leaving = std::mem::take(&mut shared.leaving);
                drop(shared);
                leaving.into_iter().for_each(|(seen, bytes)| self.send(cx, &seen, bytes, out));
            }
            _ => {}
        }
    }

    fn has(&self, position: u64) -> bool {
        self.receiving.has(position)
    }

    fn counters(&self) -> Option<(Counters, (Dur, u64))> {
        (self.is_source() && !self.flow.is_none()).then_some((self.sending.counts, self.sending.rtt))
    }

    fn view(&self) -> Option<TcpView<'_>> {
        let known = self.known.as_ref()?;
        let connection = self.sending.get(known.connection)?;
        let us = |us: u32| Dur::from_us(u64::from(us));
        Some(TcpView {
            flow: self.flow,
            segment: known.info.snd_mss,
            phase: if known.info.ca_state == RECOVERY { Phase::Recovery } else { Phase::Open },
            una: connection.acknowledged,
            nxt: connection.next,
            max_sent: connection.next,
            peer_window: u64::from(known.info.snd_wnd),
            sacked: &known.sacked,
            cwnd: f64::from(known.info.snd_cwnd),
            ssthresh: f64::from(known.info.snd_ssthresh),
            srtt: Some(us(known.info.rtt)),
            rto: us(known.info.rto),
            doublings: u32::from(known.info.backoff),
            dupacks: 0,
            timer: SimTime::MAX,
            frozen: false,
        })
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        if self.is_source() && !self.flow.is_none() {
            self.sending.counts.each(tell);
            let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let of_flow = shared.layers.iter().filter(|(flow, _)| *flow == self.flow);
            of_flow.for_each(|(_, counted)| counted.each(tell));
        }
    }
}
