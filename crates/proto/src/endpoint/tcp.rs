//! The ends of a TCP connection: TCP's own machine, the shim before it, the gate behind which it sends.

use super::contract::{Action, Input, Transport};
use super::steered::{Direct, Steered, Timers};
use super::trace::{Before, Trace};
use crate::contract::{Arrival, Cx, End, NodeState, Notice, Sink, TcpView};
use crate::shim::{self, AnyShim, Shim};
use crate::tcp::connection::Counters;
use crate::tcp::gate::{AnyGate, Gate};
use crate::tcp::{self, Receiver, Sender};
use crate::units::{Dur, SimTime};
use crate::wire::{PacketId, Payload, Towards};

/// The sending end.
#[derive(Debug)]
pub struct SenderEnd {
    /// The sender.
    pub sender: Sender,
    /// What limits its bursts.
    pub gate: AnyGate,
    /// What stands between it and the network.
    pub shim: AnyShim,
    /// What happens here event by event, if that is to be kept.
    pub trace: Option<Box<Trace>>,
    timers: Timers,
}

impl SenderEnd {
    /// A sender behind the gate of its configuration, with nothing else between it and the network.
    #[must_use]
    pub fn new(sender: Sender) -> Self {
        Self {
            gate: AnyGate::new(sender.gate()),
            sender,
            shim: AnyShim::NONE,
            trace: None,
            timers: Timers::OFF,
        }
    }

    fn on_timers<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, out: &mut S) {
        if Timers::is_due(&mut self.timers.shim, cx.now) {
            self.tell_shim(cx, node_state, shim::Input::Timer, out);
        }
        if Timers::is_due(&mut self.timers.judgement, cx.now) {
            self.feed(cx, node_state, tcp::Input::Timer(tcp::Timer::LossDetector), out);
        }
        if Timers::is_due(&mut self.timers.pace, cx.now) {
            self.feed(cx, node_state, tcp::Input::Timer(tcp::Timer::Pace), out);
        }
        if Timers::is_due(&mut self.timers.tcp, cx.now) {
            // The persist timer is no sign of loss.
            if self.shim.is_none() || self.sender.is_probing() {
                self.feed(cx, node_state, tcp::Input::Timer(tcp::Timer::Retransmit), out);
            } else {
                self.time_out(cx, node_state, out);
            }
        }
        out.put(Action::Arm(self.timers.next()));
    }

    /// Lets TCP act.
    #[inline(always)]
    fn feed<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: tcp::Input,
        out: &mut S,
    ) {
        if self.trace.is_some() {
            self.feed_traced(cx, node_state, input, out);
        } else if self.shim.is_none() {
            let Self { sender, gate, timers, .. } = self;
            sender.set_budget(gate.budget(node_state, &|| sender.view()));
            sender.handle(cx.now, input, &mut Direct { out, timers });
        } else {
            self.feed_steered(cx, &mut { *node_state }, input, out);
        }
    }

    /// Lets TCP act, and keeps what it heard and did.
    #[cold]
    #[inline(never)]
    fn feed_traced<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: tcp::Input,
        out: &mut S,
    ) {
        if self.shim.is_none() {
            let mut told = Vec::new();
            self.act(cx.now, node_state, input, &mut told);
            let mut direct = Direct { out, timers: &mut self.timers };
            told.into_iter().for_each(|action| direct.put(action));
        } else {
            self.feed_steered(cx, &mut { *node_state }, input, out);
        }
    }
}

impl Transport for SenderEnd {
    fn towards(&self) -> Towards {
        Towards::Destination
    }

    #[inline(always)]
    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival {
        let Payload::Tcp(segment) = cx.packets[packet].payload else { return Arrival::Unacceptable };
        if self.shim.is_none() {
            // It matters to the gate alone.
            let node_state = if self.gate.is_open() { NodeState::default() } else { node_state() };
            self.feed(cx, &node_state, tcp::Input::Segment(segment), out);
            Arrival::Control
        } else {
            let created = cx.packets[packet].created;
            self.receive_steered(cx, &node_state(), &segment, created, out)
        }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        match input {
            Input::App(app) => {
                let input = match app {
                    super::App::Open => tcp::Input::Open,
                    super::App::Write(bytes) => tcp::Input::Write(bytes),
                    super::App::Stop => tcp::Input::Stop,
                    super::App::Datagram(_) => return,
                };
                self.feed(cx, node_state, input, out);
            }
            Input::Wake => {} // it has no such place
            Input::Timer => self.on_timers(cx, node_state, out),
            Input::Notice(notice) => {
                self.tell_shim(cx, node_state, shim::Input::Notice(notice), out);
                // The queue of a node that is back is empty.
                let room = matches!(notice, Notice::QueueSpace | Notice::Power { up: true });
                if room && self.sender.is_stalled() {
                    self.feed(cx, node_state, tcp::Input::Wake, out);
                }
            }
            Input::Signal { signal, from } => {
                self.tell_shim(cx, node_state, shim::Input::Signal { signal, from }, out);
            }
        }
    }

    fn counters(&self) -> Option<(Counters, (Dur, u64))> {
        Some((self.sender.counters(), self.sender.rtt_samples()))
    }

    fn acknowledged(&self) -> Option<u64> {
        self.shim.unacknowledged().or_else(|| Some(self.sender.view().una))
    }

    fn view(&self) -> Option<TcpView<'_>> {
        Some(self.sender.view())
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.sender.each_counter(tell);
        self.gate.each_counter(tell);
        self.shim.each_counter(tell);
    }
}

impl Steered for SenderEnd {
    fn parts(&mut self) -> (&mut AnyShim, End<'_>) {
        (&mut self.shim, End::Sender(self.sender.view()))
    }

    fn timers(&mut self) -> &mut Timers {
        &mut self.timers
    }

    fn act(
        &mut self,
        now: SimTime,
        node_state: &NodeState,
        input: tcp::Input,
        told: &mut Vec<tcp::Action>,
    ) -> Arrival {
        self.sender.set_budget(self.gate.budget(node_state, &|| self.sender.view()));
        let before = Before::of(&self.sender.view());
        let heard = self.trace.is_some().then_some(input);
        self.sender.handle(now, input, told);
        if let (Some(trace), Some(heard)) = (&mut self.trace, heard) {
            trace.add(now, before, &heard, told, &self.sender.view());
        }
        Arrival::Control
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct ReceiverEnd {
    /// The receiver.
    pub receiver: Receiver,
    /// What stands between it and the network.
    pub shim: AnyShim,
    timers: Timers,
}

impl ReceiverEnd {
    /// A receiver with nothing between it and the network.
    #[must_use]
    pub const fn new(receiver: Receiver) -> Self {
        Self { receiver, shim: AnyShim::NONE, timers: Timers::OFF }
    }
}

impl Transport for ReceiverEnd {
    fn towards(&self) -> Towards {
        Towards::Source
    }

    #[inline(always)]
    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        out: &mut Vec<Action>,
    ) -> Arrival {
        let Payload::Tcp(segment) = &cx.packets[packet].payload else { return Arrival::Unacceptable };
        if self.shim.is_none() {
            let Self { receiver, timers, .. } = self;
            receiver.on_segment(cx.now, segment, &mut Direct { out, timers })
        } else {
            let (segment, created) = (*segment, cx.packets[packet].created);
            self.receive_steered(cx, &node_state(), &segment, created, out)
        }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        match input {
            Input::App(_) | Input::Wake => {}
            Input::Timer => {
                if Timers::is_due(&mut self.timers.shim, cx.now) {
                    self.tell_shim(cx, node_state, shim::Input::Timer, out);
                }
                if Timers::is_due(&mut self.timers.tcp, cx.now) {
                    let timer = tcp::Input::Timer(tcp::Timer::DelayedAck);
                    self.feed_steered(cx, &mut { *node_state }, timer, out);
                }
                out.put(Action::Arm(self.timers.next()));
            }
            Input::Notice(notice) => self.tell_shim(cx, node_state, shim::Input::Notice(notice), out),
            Input::Signal { signal, from } => {
                self.tell_shim(cx, node_state, shim::Input::Signal { signal, from }, out);
            }
        }
    }

    fn has(&self, position: u64) -> bool {
        self.receiver.has(position)
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.receiver.each_counter(tell);
        self.shim.each_counter(tell);
    }
}

impl Steered for ReceiverEnd {
    fn parts(&mut self) -> (&mut AnyShim, End<'_>) {
        (&mut self.shim, End::Receiver(self.receiver.view()))
    }

    fn timers(&mut self) -> &mut Timers {
        &mut self.timers
    }

    fn act(
        &mut self,
        now: SimTime,
        _facts: &NodeState,
        input: tcp::Input,
        told: &mut Vec<tcp::Action>,
    ) -> Arrival {
        match input {
            tcp::Input::Segment(segment) => return self.receiver.on_segment(now, &segment, told),
            tcp::Input::Control(control) => self.receiver.control(now, control, told),
            tcp::Input::Timer(_) => self.receiver.on_timer(now, told),
            tcp::Input::Open | tcp::Input::Write(_) | tcp::Input::Stop | tcp::Input::Wake => {}
        }
        Arrival::Control
    }
}
