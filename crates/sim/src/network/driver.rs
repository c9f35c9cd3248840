//! The event loop: timers to nodes, transmissions through the air.
//!
//! One batched start and one end event a transmission. Transmissions that are decided at an instant begin after
//! all timers of that instant: who fires now cannot have heard who starts now.

use multihop_proto::mac;
use multihop_proto::node::{Action, App, Input, Timer};
use multihop_proto::port::{Cx, Facts, Sink};
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use crate::air::{Arrival, Ending, Heard, Link};
use crate::kernel::{Phase, TimerTree};
use crate::probe::{Recorder, Tap};

/// Timer slots of a node: the end of its transmission, then its own timers.
const PER_NODE: usize = 4;
/// Timer slots of the probes: sample, start and end of the measured time.
const PROBES: usize = 3;

/// All timer slots of a network.
pub(super) const fn slots(nodes: usize, flows: usize) -> usize {
    nodes * PER_NODE + flows + PROBES
}

pub(super) const fn flow_slot(nodes: usize, flow: usize) -> usize {
    nodes * PER_NODE + flow
}

pub(super) const fn probe_slot(nodes: usize, flows: usize, probe: usize) -> usize {
    nodes * PER_NODE + flows + probe
}

/// Where a node's answers go: the timer tree, the air, the record.
struct Driver<'a> {
    now: SimTime,
    node: NodeId,
    timers: &'a mut TimerTree,
    starting: &'a mut Vec<NodeId>,
    on_air: &'a mut [Option<Frame>],
    recorder: &'a mut Recorder,
    tap: &'a mut Option<Box<dyn Tap>>,
}

impl Sink<Action> for Driver<'_> {
    #[inline]
    fn put(&mut self, action: Action) {
        match action {
            Action::Transmit(frame) => {
                self.on_air[self.node.index()] = Some(frame);
                self.starting.push(self.node);
            }
            Action::Arm(timer, at) => {
                let slot = self.node.index() * PER_NODE + 1 + timer as usize;
                self.timers.arm(slot, at, Phase::Timer);
            }
            Action::Dropped(dropped) => {
                self.recorder.dropped(self.now, self.node, dropped);
                if let Some(tap) = self.tap {
                    tap.dropped(self.now, self.node, &dropped);
                }
            }
            Action::Transport { flow, event } => self.recorder.transport(self.now, flow, event),
            Action::Arrived { flow, readable, delay } => {
                self.recorder.arrived(self.now, flow, readable, delay)
            }
        }
    }
}

impl Network {
    /// Runs until nothing happens before or at `until`.
    pub fn advance(&mut self, until: SimTime) {
        while let Some((time, phase)) = self.timers.peek() {
            if !self.starting.is_empty() && (time > self.now || phase > Phase::Timer as u64) {
                self.start_transmissions();
                continue;
            }
            if time > until {
                break;
            }
            self.now = time;
            self.events += 1;
            let slot = self.timers.take();
            self.dispatch(slot);
            if !self.recorder.pending.is_empty() {
                self.look_up_truths();
            }
        }
    }

    /// The present instant.
    #[must_use]
    pub const fn now(&self) -> SimTime {
        self.now
    }

    /// Takes a node down or brings it back.
    pub fn power(&mut self, node: NodeId, up: bool) {
        self.tell(node, Input::Power(up));
    }

    #[inline]
    fn dispatch(&mut self, slot: usize) {
        let nodes = self.nodes.len();
        if slot < nodes * PER_NODE {
            let node = NodeId((slot / PER_NODE) as u32); // node counts are 32-bit
            match slot % PER_NODE {
                0 => self.end_transmission(node),
                1 => self.tell(node, Input::Timer(Timer::Access)),
                2 => self.tell(node, Input::Timer(Timer::Sequence)),
                _ => self.tell(node, Input::Timer(Timer::Upper)),
            }
        } else if slot < nodes * PER_NODE + self.flows.len() {
            self.run_application(slot - nodes * PER_NODE);
        } else {
            self.run_probe(slot - nodes * PER_NODE - self.flows.len());
        }
    }

    /// Hands an input to a node and carries out its answers.
    #[inline]
    pub(super) fn tell(&mut self, node: NodeId, input: Input<'_>) {
        let mut cx = Cx { now: self.now, packets: &mut self.packets, facts: Facts::default() };
        let mut driver = Driver {
            now: self.now,
            node,
            timers: &mut self.timers,
            starting: &mut self.starting,
            on_air: &mut self.on_air,
            recorder: &mut self.recorder,
            tap: &mut self.tap,
        };
        self.nodes[node.index()].handle(&mut cx, input, &mut driver);
    }

    /// All transmissions that start now: first the senders turn deaf, then the others hear them.
    fn start_transmissions(&mut self) {
        let now = self.now;
        for index in 0..self.starting.len() {
            let node = self.starting[index];
            let Some(frame) = self.on_air[node.index()] else { continue };
            let end = now + frame.airtime;
            self.timers.arm(node.index() * PER_NODE, end, Phase::End);
            self.recorder.transmission(now, &frame);
            if let Some(tap) = &mut self.tap {
                tap.sent(now, &frame, &self.packets);
            }
            if let Some(missed) = self.radios.transmit(node, now, end) {
                self.tell(node, Input::Medium(mac::Input::Undecodable(missed)));
            }
        }
        for index in 0..self.starting.len() {
            let node = self.starting[index];
            let Some(frame) = self.on_air[node.index()] else { continue };
            self.begin_signal(node, now + frame.airtime);
        }
        self.starting.clear();
    }

    /// The signal of `from` begins at all nodes that it reaches.
    #[inline]
    fn begin_signal(&mut self, from: NodeId, end: SimTime) {
        let (links, decodable) = self.links.range(from);
        for index in links.clone() {
            let link = self.links.at(index);
            let decodable = index < decodable;
            let arrival = Arrival { from, power: link.power, end, decodable, sensed: link.sensed };
            match self.radios.begin(link.to, self.now, &arrival) {
                Heard::Busy => self.tell(link.to, Input::Medium(mac::Input::Carrier(end))),
                Heard::Lost(until) => {
                    self.tell(link.to, Input::Medium(mac::Input::Carrier(until)));
                    self.tell(link.to, Input::Medium(mac::Input::Undecodable(until)));
                }
                Heard::Captured => self.tell(link.to, Input::Medium(mac::Input::Captured(end))),
                Heard::Nothing => {}
            }
        }
    }

    /// A transmission ends: its receivers have it, or not.
    fn end_transmission(&mut self, from: NodeId) {
        let Some(frame) = self.on_air[from.index()] else { return };
        let (links, decodable) = self.links.range(from);
        for index in links.start..decodable {
            let link = self.links.at(index);
            self.end_signal(&frame, link);
        }
        if self.radios.sums_interference() {
            for index in decodable..links.end {
                let link = self.links.at(index);
                self.radios.end(link.to, self.now, from, link.power);
            }
        }
    }

    #[inline]
    fn end_signal(&mut self, frame: &Frame, link: Link) {
        let ending = self.radios.end(link.to, self.now, frame.from, link.power);
        if !self.nodes[link.to.index()].is_up() {
            return;
        }
        let whole = ending == Ending::Whole;
        let hit = whole && self.errors.hits(frame.size, &mut self.error_draws[link.to.index()]);
        if frame.to == link.to {
            self.recorder.watch.attempt(frame.kind, frame.from, frame.to, whole && !hit, hit);
        }
        if whole && !hit {
            if let Some(tap) = &mut self.tap {
                tap.received(self.now, link.to, frame, &self.packets);
            }
            self.tell(link.to, Input::Receive(frame, link.power));
        } else if hit || ending == Ending::Garbled {
            self.tell(link.to, Input::Medium(mac::Input::Undecodable(self.now)));
        }
    }

    fn run_application(&mut self, flow: usize) {
        let step = self.sources[flow].step(self.now);
        self.timers.arm(flow_slot(self.nodes.len(), flow), step.next, Phase::Application);
        let (node, id) = (self.flows[flow].from, self.flows[flow].id);
        for act in step.acts.into_iter().flatten() {
            self.app(node, id, act);
        }
    }

    fn app(&mut self, node: NodeId, flow: FlowId, act: App) {
        self.tell(node, Input::App(flow, act));
    }
}
