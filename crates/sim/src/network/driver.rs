//! The event loop: timers to nodes, transmissions through the air.
//!
//! One batched start and one end event a transmission. Transmissions that are decided at an instant begin after
//! all timers of that instant: who fires now cannot have heard who starts now.

use multihop_proto::mac::Sensed;
use multihop_proto::node::{Action, App, Input, Node};
use multihop_proto::port::{Cx, Facts, Sink};
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use crate::air::{Arrival, Ending, Heard, Link, Radios};
use crate::kernel::{Event, EventQueue};
use crate::probe::{Recorder, Tap};

/// Where a node's answers go: the timer tree, the air, the record.
struct Driver<'a> {
    now: SimTime,
    node: NodeId,
    timers: &'a mut EventQueue,
    starting: &'a mut Vec<NodeId>,
    on_air: &'a mut [Option<Frame>],
    recorder: &'a mut Recorder,
    tap: &'a mut Option<Box<dyn Tap>>,
}

impl Sink<Action> for Driver<'_> {
    #[inline(always)]
    fn put(&mut self, action: Action) {
        match action {
            Action::Transmit(frame) => {
                self.on_air[self.node.index()] = Some(frame);
                self.starting.push(self.node);
            }
            Action::Arm(timer, at) => self.timers.arm(self.node, timer, at),
            Action::Dropped(dropped) => {
                let why = self.recorder.dropped(self.now, self.node, dropped);
                if let Some(tap) = self.tap {
                    tap.dropped(self.now, self.node, &dropped, why);
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
        while let Some((time, key)) = self.timers.earliest() {
            if !self.starting.is_empty() && (time > self.now || !self.timers.is_timer(key)) {
                self.start_transmissions();
                continue;
            }
            if time > until {
                break;
            }
            self.now = time;
            self.events += 1;
            match self.timers.take(key) {
                Event::End(node) => self.end_transmission(node),
                Event::Timer(node, timer) => self.tell(node, Input::Timer(timer)),
                Event::Application(flow) => self.run_application(flow),
                Event::Probe(probe) => self.run_probe(probe),
            }
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

    /// The nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
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
            let Some(frame) = &self.on_air[node.index()] else { continue };
            let end = now + frame.airtime;
            self.timers.arm_end(node, end);
            self.recorder.transmission(now, frame);
            if let Some(tap) = &mut self.tap {
                tap.sent(now, frame, &self.packets);
            }
            if let Some(missed) = self.radios.transmit(node, now, end) {
                self.nodes[node.index()].sense(now, Sensed::Undecodable(missed));
            }
        }
        match *self.starting.as_slice() {
            [node] => {
                if let Some(frame) = &self.on_air[node.index()] {
                    self.begin_signal(node, now + frame.airtime);
                }
            }
            _ => self.begin_signals(),
        }
        self.starting.clear();
    }

    /// The signal of `from` begins at all nodes that it reaches.
    #[inline]
    fn begin_signal(&mut self, from: NodeId, end: SimTime) {
        let (now, nodes) = (self.now, self.nodes.as_mut_slice());
        let (links, decodable) = self.links.all(from);
        match &mut self.radios {
            Radios::Ns2(radios) => reach(links, decodable, now, from, end, nodes, |node, arrival| {
                radios[node].begin(now, arrival)
            }),
            Radios::Sinr(radios) => reach(links, decodable, now, from, end, nodes, |node, arrival| {
                radios[node].begin(now, arrival)
            }),
        }
    }

    /// Several signals begin at once. Every listener takes them strongest first, as if from the nearest first: the
    /// senders' numbers must not matter.
    fn begin_signals(&mut self) {
        let now = self.now;
        let mut arrivals = Vec::new(); // stations that drew the same slot: seldom
        for &from in &self.starting {
            let Some(frame) = self.on_air[from.index()] else { continue };
            let end = now + frame.airtime;
            let (links, decodable) = self.links.all(from);
            arrivals.extend(links.iter().enumerate().map(|(place, link)| {
                let decodable = place < decodable;
                (link.to, Arrival { from, power: link.power, end, decodable, sensed: link.sensed })
            }));
        }
        arrivals.sort_by(|(_, a), (_, b)| b.power.total_cmp(&a.power));
        for (listener, arrival) in arrivals {
            let heard = self.radios.begin(listener, now, &arrival);
            if let Some(sensed) = sensed(heard, arrival.end) {
                self.nodes[listener.index()].sense(now, sensed);
            }
        }
    }

    /// A transmission ends: its receivers have it, or not.
    fn end_transmission(&mut self, from: NodeId) {
        let Some(frame) = self.on_air[from.index()].take() else { return self.end_cut(from) };
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
                tap.received(self.now, link.to, link.power, frame, &self.packets);
            }
            self.tell(link.to, Input::Receive(frame, link.power));
        } else if hit || ending == Ending::Garbled {
            self.nodes[link.to.index()].sense(self.now, Sensed::Undecodable(self.now));
        }
    }

    fn run_application(&mut self, flow: usize) {
        let step = self.sources[flow].step(self.now);
        self.timers.arm_application(flow, step.next);
        let (node, id) = (self.flows[flow].from, self.flows[flow].id);
        for act in step.acts.into_iter().flatten() {
            self.app(node, id, act);
        }
    }

    fn app(&mut self, node: NodeId, flow: FlowId, act: App) {
        self.tell(node, Input::App(flow, act));
    }
}

/// A signal begins at all its listeners, of which the first `decodable` could decode it.
#[inline]
fn reach(
    links: &[Link],
    decodable: usize,
    now: SimTime,
    from: NodeId,
    end: SimTime,
    nodes: &mut [Node],
    mut begin: impl FnMut(usize, &Arrival) -> Heard,
) {
    for (place, link) in links.iter().enumerate() {
        let listener = link.to.index();
        let arrival =
            Arrival { from, power: link.power, end, decodable: place < decodable, sensed: link.sensed };
        if let Some(sensed) = sensed(begin(listener, &arrival), end) {
            nodes[listener].sense(now, sensed);
        }
    }
}

/// What a station senses of a signal that ends at `end`.
#[inline]
const fn sensed(heard: Heard, end: SimTime) -> Option<Sensed> {
    match heard {
        Heard::Busy => Some(Sensed::Carrier(end)),
        Heard::Lost(until) => Some(Sensed::Undecodable(until)),
        Heard::Captured => Some(Sensed::Captured(end)),
        Heard::Nothing => None,
    }
}
