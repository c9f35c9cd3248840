//! The event loop: timers to nodes, transmissions through the air.
//!
//! One batched start and one end event a transmission. Transmissions that are decided at an instant begin after
//! all timers of that instant: who fires now cannot have heard who starts now. With a propagation delay they
//! leave at that instant, and begin and end everywhere that much later: one more event.

use multihop_proto::mac::Sensed;
use multihop_proto::node::{App, Input, Node, Timer};
use multihop_proto::port::{Cx, Facts};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use super::world::World;
use crate::air::{Arrival, Ending, Heard, Link, Radios};
use crate::kernel::Event;

impl Network {
    /// Runs until nothing happens before or at `until`.
    pub fn advance(&mut self, until: SimTime) {
        while let Some((time, key)) = self.world.timers.earliest() {
            if !self.world.starting.is_empty() && (time > self.world.now || !self.world.timers.is_timer(key))
            {
                self.start_transmissions();
                continue;
            }
            if time > until {
                break;
            }
            self.world.now = time;
            self.events += 1;
            match self.world.timers.take(key) {
                Event::End(node) => self.end_transmission(node),
                Event::Access(node) => self.tell(node, Input::Timer(Timer::Access)),
                Event::Sequence(node) => self.tell(node, Input::Timer(Timer::Sequence)),
                Event::Upper(node) => self.tell(node, Input::Timer(Timer::Upper)),
                Event::Application(flow) => self.run_application(flow),
                Event::Probe(probe) => self.run_probe(probe),
            }
            if !self.world.recorder.pending.is_empty() {
                self.look_up_truths();
            }
        }
    }

    /// The present instant.
    #[must_use]
    pub const fn now(&self) -> SimTime {
        self.world.now
    }

    /// The nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Hands an input to a node and carries out its answers.
    #[inline(always)]
    pub(super) fn tell(&mut self, node: NodeId, input: Input<'_>) {
        let mut cx = Cx { now: self.world.now, packets: &mut self.packets, facts: Facts::default() };
        self.world.node = node;
        self.nodes[node.index()].handle(&mut cx, input, &mut self.world);
    }

    /// What was decided at this instant takes effect: first the senders turn deaf, then the others hear them.
    fn start_transmissions(&mut self) {
        if self.world.delay > Dur::ZERO {
            return self.start_delayed();
        }
        let now = self.world.now;
        if let [node] = *self.world.starting.as_slice() {
            self.world.starting.clear();
            self.leave(node);
            if let Some(frame) = &self.world.on_air[node.index()] {
                self.begin_signal(node, now + frame.airtime);
            }
            return;
        }
        for index in 0..self.world.starting.len() {
            self.leave(self.world.starting[index]);
        }
        self.begin_signals();
        self.world.starting.clear();
    }

    /// Some transmissions leave, others begin to arrive.
    #[cold]
    fn start_delayed(&mut self) {
        for index in 0..self.world.starting.len() {
            let node = self.world.starting[index];
            if self.world.leaving[node.index()] {
                self.leave(node);
            }
        }
        let World { starting, leaving, .. } = &mut self.world;
        starting.retain(|node| !leaving[node.index()]);
        self.begin_signals();
        self.world.starting.clear();
    }

    /// A node begins to send.
    #[inline(always)]
    fn leave(&mut self, node: NodeId) {
        let World { now, on_air, recorder, tap, .. } = &mut self.world;
        let (now, Some(frame)) = (*now, &on_air[node.index()]) else { return };
        recorder.transmission(now, frame);
        if let Some(tap) = tap {
            tap.sent(now, frame, &self.packets);
        }
        if let Some(missed) = self.radios.transmit(node, now, now + frame.airtime) {
            self.nodes[node.index()].sense(now, Sensed::Undecodable(missed));
        }
    }

    /// The signal of `from` begins at all nodes that it reaches.
    #[inline(always)]
    fn begin_signal(&mut self, from: NodeId, end: SimTime) {
        let (now, nodes) = (self.world.now, self.nodes.as_mut_slice());
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

    /// A delayed transmission begins to arrive everywhere.
    #[cold]
    fn arrive(&mut self, from: NodeId) {
        self.world.leaving[from.index()] = false;
        if let Some(frame) = &self.world.on_air[from.index()] {
            self.world.timers.arm_end(from, self.world.now + frame.airtime);
            self.world.starting.push(from);
        }
    }

    /// Several signals begin at once. Every listener takes them strongest first, as if from the nearest first: the
    /// senders' numbers must not matter.
    fn begin_signals(&mut self) {
        let now = self.world.now;
        let mut arrivals = Vec::new(); // stations that drew the same slot: seldom
        for &from in &self.world.starting {
            let Some(frame) = self.world.on_air[from.index()] else { continue };
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
        if self.world.leaving[from.index()] {
            return self.arrive(from);
        }
        let Some(frame) = self.world.on_air[from.index()].take() else { return self.end_cut(from) };
        let (links, decodable) = self.links.range(from);
        for index in links.start..decodable {
            let link = self.links.at(index);
            self.end_signal(&frame, link);
        }
        if self.radios.sums_interference() {
            for index in decodable..links.end {
                let link = self.links.at(index);
                self.radios.end(link.to, self.world.now, from, link.power);
            }
        }
    }

    #[inline]
    fn end_signal(&mut self, frame: &Frame, link: Link) {
        let ending = self.radios.end(link.to, self.world.now, frame.from, link.power);
        if !self.nodes[link.to.index()].is_up() {
            return;
        }
        let whole = ending == Ending::Whole;
        let hit = whole && self.errors.hits(frame.size, &mut self.error_draws[link.to.index()]);
        if frame.to == link.to {
            self.world.recorder.watch.attempt(frame.kind, frame.from, frame.to, whole && !hit, hit);
        }
        if whole && !hit {
            if let Some(tap) = &mut self.world.tap {
                tap.received(self.world.now, link.to, link.power, frame, &self.packets);
            }
            self.tell(link.to, Input::Receive(frame, link.power));
        } else if hit || ending == Ending::Garbled {
            self.nodes[link.to.index()].sense(self.world.now, Sensed::Undecodable(self.world.now));
        }
    }

    fn run_application(&mut self, flow: usize) {
        let step = self.sources[flow].step(self.world.now);
        self.world.timers.arm_application(flow, step.next);
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
