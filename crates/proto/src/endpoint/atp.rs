//! The ends of a flow over ATP.

use super::contract::{Action, App, Input, Transport};
use crate::atp::{self, Body, Header, Source};
use crate::contract::{Arrival, Cx, NodeState, Sink};
use crate::tcp::connection::Counters;
use crate::units::{Dur, FlowId};
use crate::wire::{PacketId, Payload, Protocol, SignalKind, Towards};

/// The sending end.
#[derive(Debug)]
pub struct AtpSource {
    flow: FlowId,
    /// The sender.
    pub source: Source,
}

impl AtpSource {
    /// The sending end of this flow.
    #[must_use]
    pub const fn new(flow: FlowId, source: Source) -> Self {
        Self { flow, source }
    }

    fn feed<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: atp::Input<'_>, out: &mut S) {
        let mut actions = Vec::new();
        self.source.handle(cx.now, input, &mut actions);
        for action in actions {
            match action {
                atp::Action::Send(header, len) => send(cx, self.flow, &header, len, out),
                atp::Action::Completed => out.put(Action::Event(crate::tcp::Event::Completed)),
            }
        }
        out.put(Action::Arm(self.source.deadline()));
    }
}

impl Transport for AtpSource {
    fn towards(&self) -> Towards {
        Towards::Destination
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival {
        match header(cx, packet) {
            Some((header @ Header { body: Body::Report { .. }, .. }, _)) => {
                self.feed(cx, atp::Input::Report(&header), out);
                Arrival::Control
            }
            _ => Arrival::Unacceptable,
        }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        let input = match input {
            Input::App(App::Write(bytes)) => atp::Input::Write(bytes),
            Input::App(App::Stop) => atp::Input::Stop,
            Input::Signal { signal, .. } if signal.kind == SignalKind::LinkFailure => atp::Input::Broken,
            Input::Timer => atp::Input::Timer,
            Input::App(App::Open | App::Datagram(_))
            | Input::Wake
            | Input::Notice(_)
            | Input::Signal { .. } => {
                return;
            }
        };
        self.feed(cx, input, out);
    }

    fn counters(&self) -> Option<(Counters, (Dur, u64))> {
        let &atp::Counters { sent, retransmissions, .. } = self.source.counters();
        Some((Counters { sent, retransmissions, ..Counters::default() }, (Dur::ZERO, 0)))
    }

    fn settled(&self) -> Option<u64> {
        Some(self.source.acknowledged())
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.source.counters().each(tell);
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct AtpSink {
    flow: FlowId,
    /// The receiver.
    pub sink: atp::Sink,
}

impl AtpSink {
    /// The receiving end of this flow.
    #[must_use]
    pub const fn new(flow: FlowId, sink: atp::Sink) -> Self {
        Self { flow, sink }
    }
}

impl Transport for AtpSink {
    fn towards(&self) -> Towards {
        Towards::Source
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival {
        let Some((header, len)) = header(cx, packet) else { return Arrival::Unacceptable };
        let hop = cx.now.saturating_since(cx.packets[packet].enqueued);
        let (arrival, due) = self.sink.receive(cx.now, &header, len, hop);
        if due {
            let report = self.sink.report();
            send(cx, self.flow, &report, 0, out);
        }
        out.put(Action::Arm(self.sink.deadline()));
        arrival
    }

    fn handle(&mut self, cx: &mut Cx<'_>, _node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        if input == Input::Timer {
            if let Some(report) = self.sink.on_timer(cx.now) {
                send(cx, self.flow, &report, 0, out);
            }
            out.put(Action::Arm(self.sink.deadline()));
        }
    }

    fn has(&self, position: u64) -> bool {
        self.sink.has(position)
    }
}

/// The header of a packet of ATP, and its payload in bytes.
fn header(cx: &Cx<'_>, packet: PacketId) -> Option<(Header, u32)> {
    let Payload::Transport(datagram) = cx.packets[packet].payload else { return None };
    (datagram.protocol == Protocol::Atp).then_some(())?;
    Some((Header::parse(cx.packets.message(packet)?).ok()?, datagram.len))
}

fn send<S: Sink<Action>>(cx: &mut Cx<'_>, flow: FlowId, header: &Header, len: u32, out: &mut S) {
    let number = match header.body {
        Body::Data(number) => number,
        Body::Probe => 0,
        Body::Report { below, .. } => below,
    };
    out.put(Action::Send(cx.packets.transport(Protocol::Atp, number, len, header.emit(flow))));
}
