//! The ends of a flow over ATP.

use super::contract::{Action, App, Input};
use crate::atp::{self, Body, Header, Source};
use crate::contract::{Arrival, Cx, Sink};
use crate::units::FlowId;
use crate::wire::{PacketId, Payload, Protocol, SignalKind};

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

    pub(super) fn receive<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> Arrival {
        match header(cx, packet) {
            Some((header @ Header { body: Body::Report { .. }, .. }, _)) => {
                self.feed(cx, atp::Input::Report(&header), out);
                Arrival::Control
            }
            _ => Arrival::Unacceptable,
        }
    }

    pub(super) fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
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

    pub(super) fn receive<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
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

    pub(super) fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
        if input == Input::Timer {
            if let Some(report) = self.sink.on_timer(cx.now) {
                send(cx, self.flow, &report, 0, out);
            }
            out.put(Action::Arm(self.sink.deadline()));
        }
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
