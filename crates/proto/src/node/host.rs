//! Transport endpoints of a node, and what stands between them and the network layer.

use super::stack::{Action, App, Node};
use crate::port::{Control, Cx, Facts, Notice, Sink};
use crate::routing::Provenance;
use crate::shim::{self, Shim};
use crate::tcp::{self, Gate, Receiver, Sender, connection::Arrival};
use crate::udp;
use crate::units::{Bytes, FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, Fate, Packet, PacketId, Payload, Segment, Towards};

/// IPv4 (RFC 791) and TCP (RFC 9293) headers without options.
pub(super) const TCP_HEADERS: u32 = 40;
/// IPv4 and UDP (RFC 768) headers.
const UDP_HEADERS: u32 = 28;
/// Initial hop limit (RFC 1700).
pub(super) const TTL: u8 = 64;

/// One end of a flow.
#[derive(Debug)]
pub struct Endpoint {
    /// Its flow.
    pub flow: FlowId,
    /// The node at the other end.
    pub peer: NodeId,
    /// When its timer fires; `SimTime::MAX` when it is off.
    pub deadline: SimTime,
    /// In which order packets of the flow reach it.
    pub order: Order,
    /// What judges its inputs first.
    pub shim: Shim,
    /// What it is.
    pub kind: EndpointKind,
}

/// Counts packets that arrive after a later one: RFC 4737 §3.3, with the packet's number in the run for its place in
/// the order of sending. Second arrivals count too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    latest: u64,
    /// How many came after one that had been sent later.
    pub reordered: u64,
}

impl Order {
    /// Packet `uid` has arrived.
    pub(super) fn arrived(&mut self, uid: u64) {
        self.reordered += u64::from(uid < self.latest);
        self.latest = self.latest.max(uid);
    }
}

impl Endpoint {
    /// One end of a flow, with nothing between it and the network layer.
    #[must_use]
    pub const fn new(flow: FlowId, peer: NodeId, kind: EndpointKind) -> Self {
        Self {
            flow,
            peer,
            deadline: SimTime::MAX,
            order: Order { latest: 0, reordered: 0 },
            shim: Shim::None,
            kind,
        }
    }
}

/// A TCP sender with its gate.
#[derive(Debug)]
pub struct TcpEnd {
    /// The sender.
    pub sender: Sender,
    /// What limits its bursts.
    pub gate: Gate,
}

/// The kinds of endpoint.
#[derive(Debug)]
pub enum EndpointKind {
    /// Sends data over TCP.
    TcpSender(Box<TcpEnd>),
    /// Receives data over TCP.
    TcpReceiver(Box<Receiver>),
    /// Sends datagrams.
    UdpSource(udp::Source),
    /// Receives datagrams.
    UdpSink(udp::Sink),
}

impl EndpointKind {
    /// Which way its packets run.
    const fn towards(&self) -> Towards {
        match self {
            Self::TcpSender(_) | Self::UdpSource(_) => Towards::Destination,
            Self::TcpReceiver(_) | Self::UdpSink(_) => Towards::Source,
        }
    }
}

impl Node {
    /// The application of a flow does something.
    pub(super) fn on_app<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, flow: FlowId, app: App, out: &mut S) {
        let Some(index) = self.source_of(flow) else { return };
        let endpoint = &mut self.endpoints[index];
        match (&mut endpoint.kind, app) {
            (EndpointKind::UdpSource(source), App::Datagram(len)) => {
                let datagram = source.next(len);
                self.originate(cx, index, UDP_HEADERS + len, Payload::Udp(datagram), out);
            }
            (EndpointKind::TcpSender(_), App::Open) => self.tcp_input(cx, index, tcp::Input::Open, out),
            (EndpointKind::TcpSender(_), App::Write(bytes)) => {
                self.tcp_input(cx, index, tcp::Input::Write(bytes), out);
            }
            (EndpointKind::TcpSender(_), App::Stop) => self.tcp_input(cx, index, tcp::Input::Stop, out),
            _ => {}
        }
    }

    /// A packet for this node: hand it to its endpoint and end its custody.
    pub(super) fn arrive<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        let packet = &cx.packets[id];
        if let Payload::Signal(signal) = packet.payload {
            return self.receive_signal(cx, id, &signal, out);
        }
        let theirs = |end: &Endpoint| end.flow == packet.flow && end.peer == packet.source;
        let Some(index) = self.endpoints.iter().position(theirs) else { return self.unclaimed(cx, id, out) };
        let (flow, created) = (packet.flow, packet.created);
        self.endpoints[index].order.arrived(packet.uid);
        match (&mut self.endpoints[index].kind, &packet.payload) {
            (EndpointKind::TcpReceiver(receiver), Payload::Tcp(segment)) => {
                let mut actions = std::mem::take(&mut self.scratch);
                let arrival = receiver.on_segment(cx.now, segment, &mut actions);
                match arrival {
                    Arrival::New { readable } => {
                        cx.packets.end(id, Fate::Delivered);
                        out.put(Action::Arrived { flow, readable, delay: cx.now - created });
                    }
                    Arrival::Control => cx.packets.end(id, Fate::Delivered),
                    Arrival::Duplicate => cx.packets.end(id, Fate::Absorbed(Absorbed::SecondArrival)),
                    Arrival::Unacceptable => self.unclaimed(cx, id, out),
                }
                self.carry_out(cx, index, actions, out);
            }
            (EndpointKind::TcpSender(_), &Payload::Tcp(segment)) => {
                cx.packets.end(id, Fate::Delivered);
                self.tcp_segment(cx, index, &segment, out);
            }
            (EndpointKind::UdpSink(sink), Payload::Udp(datagram)) => {
                let (first, readable) = (sink.take(datagram), u64::from(datagram.len));
                cx.packets
                    .end(id, if first { Fate::Delivered } else { Fate::Absorbed(Absorbed::SecondArrival) });
                if first {
                    out.put(Action::Arrived { flow, readable, delay: cx.now - created });
                }
            }
            _ => self.unclaimed(cx, id, out),
        }
    }

    /// Timers of endpoints that are due.
    pub(super) fn on_endpoint_timers<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for index in 0..self.endpoints.len() {
            if self.endpoints[index].deadline > cx.now {
                continue;
            }
            self.endpoints[index].deadline = SimTime::MAX;
            match &mut self.endpoints[index].kind {
                EndpointKind::TcpSender(_) => self.tcp_timeout(cx, index, out),
                EndpointKind::TcpReceiver(receiver) => {
                    let mut actions = std::mem::take(&mut self.scratch);
                    receiver.on_timer(&mut actions);
                    self.carry_out(cx, index, actions, out);
                }
                EndpointKind::UdpSource(_) | EndpointKind::UdpSink(_) => {}
            }
        }
    }

    /// A notice for the transport layer: shims hear it; gates may have opened.
    pub(super) fn tell_transport<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, notice: Notice, out: &mut S) {
        for index in 0..self.endpoints.len() {
            let Endpoint { kind: EndpointKind::TcpSender(end), shim, .. } = &mut self.endpoints[index] else {
                continue;
            };
            let mut controls = Vec::new();
            let sender = &end.sender;
            shim.handle(cx, shim::Input::Notice(notice), || sender.view(), &mut controls);
            let stalled = notice == Notice::QueueSpace && sender.is_stalled();
            self.tcp_controls(cx, index, &controls, out);
            if stalled {
                self.tcp_input(cx, index, tcp::Input::Wake, out);
            }
        }
    }

    fn tcp_segment<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        segment: &Segment,
        out: &mut S,
    ) {
        let mut controls = Vec::new();
        let Endpoint { kind: EndpointKind::TcpSender(end), shim, .. } = &mut self.endpoints[index] else {
            return;
        };
        let sender = &end.sender;
        let verdict = shim.handle(cx, shim::Input::Segment(segment), || sender.view(), &mut controls);
        if verdict == shim::Verdict::Pass {
            self.tcp_input(cx, index, tcp::Input::Segment(*segment), out);
        }
        self.tcp_controls(cx, index, &controls, out);
    }

    fn tcp_timeout<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, index: usize, out: &mut S) {
        let mut controls = Vec::new();
        let Endpoint { kind: EndpointKind::TcpSender(end), shim, .. } = &mut self.endpoints[index] else {
            return;
        };
        let sender = &end.sender;
        let verdict = if sender.is_probing() {
            shim::Verdict::Pass // the persist timer, which is no sign of loss
        } else {
            shim.handle(cx, shim::Input::Timeout, || sender.view(), &mut controls)
        };
        if verdict == shim::Verdict::Pass {
            self.tcp_input(cx, index, tcp::Input::Timer(tcp::Timer::Retransmit), out);
        }
        self.tcp_controls(cx, index, &controls, out);
    }

    pub(super) fn tcp_controls<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        controls: &[Control],
        out: &mut S,
    ) {
        for &control in controls {
            self.tcp_input(cx, index, tcp::Input::Control(control), out);
        }
    }

    fn tcp_input<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, index: usize, input: tcp::Input, out: &mut S) {
        let facts = self.facts();
        let mut actions = std::mem::take(&mut self.scratch);
        let EndpointKind::TcpSender(end) = &mut self.endpoints[index].kind else { return };
        let TcpEnd { sender, gate, .. } = &mut **end;
        sender.set_budget(gate.budget(&facts, || sender.view()));
        sender.handle(cx.now, input, &mut actions);
        self.carry_out(cx, index, actions, out);
    }

    /// Carries out what an endpoint asked for and gives the buffer back.
    fn carry_out<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        mut actions: Vec<tcp::Action>,
        out: &mut S,
    ) {
        let flow = self.endpoints[index].flow;
        for action in actions.drain(..) {
            match action {
                tcp::Action::Send(segment) => {
                    let size = self.segment_size(&segment);
                    self.originate(cx, index, size, Payload::Tcp(segment), out);
                }
                tcp::Action::Arm(_, at) => self.endpoints[index].deadline = at,
                tcp::Action::Event(event) => out.put(Action::Transport { flow, event }),
            }
        }
        self.scratch = actions;
        self.arm_upper(out);
    }

    /// Makes a packet of an endpoint for its peer and sends it on its way.
    fn originate<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        index: usize,
        size: u32,
        payload: Payload,
        out: &mut S,
    ) {
        let Endpoint { flow, peer, kind, .. } = &self.endpoints[index];
        let id = self.make(cx, *flow, *peer, kind.towards(), size, payload);
        self.route(cx, id, Provenance::Here, out);
    }

    /// Sends a segment between two other nodes, in the name of one of them.
    pub(super) fn send_as<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        (from, to): (NodeId, NodeId),
        towards: Towards,
        segment: Segment,
        out: &mut S,
    ) {
        let id = self.make(cx, flow, to, towards, self.segment_size(&segment), Payload::Tcp(segment));
        cx.packets[id].source = from;
        self.route(cx, id, Provenance::Here, out);
    }

    /// A new packet of this node.
    pub(super) fn make(
        &self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        to: NodeId,
        towards: Towards,
        size: u32,
        payload: Payload,
    ) -> PacketId {
        cx.packets.create(Packet {
            uid: 0,
            flow,
            source: self.id,
            destination: to,
            towards,
            size: Bytes(size),
            ttl: TTL,
            mac_sequence: 0,
            header: None,
            payload,
            created: cx.now,
            enqueued: cx.now,
            head_of_line: cx.now,
        })
    }

    pub(super) fn facts(&self) -> Facts {
        Facts { queue_length: self.queue.length(), queue_free: self.queue.free(), ..self.facts }
    }

    fn source_of(&self, flow: FlowId) -> Option<usize> {
        let sends = |end: &Endpoint| end.kind.towards() == Towards::Destination;
        self.endpoints.iter().position(|end| end.flow == flow && sends(end))
    }

    /// Bytes of a packet with this segment: headers, payload, and the SACK option with its padding (RFC 2018 §3).
    fn segment_size(&self, segment: &Segment) -> u32 {
        let option = if segment.sack.is_empty() { 0 } else { 4 + 8 * segment.sack.len() as u32 };
        let headers = if segment.len > 0 { self.data_header.0 } else { TCP_HEADERS };
        headers + segment.len + option
    }
}
