//! The event loop: timers to nodes, transmissions through the air.
//!
//! One batched start and one end event a transmission. Transmissions that are decided at an instant begin after all
//! timers of that instant: the node that fires now cannot have heard the node that starts now. With a propagation delay
//! they leave at that instant, and begin and end everywhere that much later: one more event.

use std::ops::Range;

use multihop_proto::contract::Cx;
use multihop_proto::mac::Sensed;
use multihop_proto::node::{App, IfIndex, Input, Node, Timer};
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::{Frame, PacketStore};

use super::Network;
use super::signal_start::{begin_summed, reach};
use super::world::{Transmission, World};
use crate::air::{Arrival, Ending, Harm, Link, Radios};
use crate::kernel::Event;
use crate::probe::{Recorder, Tap};

impl Network {
    /// Runs until nothing happens before or at `until`.
    pub fn advance(&mut self, until: SimTime) {
        self.advance_by(until, u64::MAX);
    }

    /// Runs until nothing happens before or at `until`, but for no more than about so many events; whether it got
    /// there.
    pub(super) fn advance_by(&mut self, until: SimTime, events: u64) -> bool {
        let arrived = self.go_on(until, events);
        if let Some(tap) = &mut self.world.tap {
            tap.pause(self.world.now, &self.packets);
            self.packets.forget_lost();
        }
        arrived
    }

    #[inline(always)]
    fn go_on(&mut self, until: SimTime, events: u64) -> bool {
        let mut left = events;
        let until = until.min(self.world.timers.latest());
        loop {
            let (time, key) = self.world.timers.earliest();
            if !self.world.starting.is_empty() && (time > self.world.now || !self.world.timers.is_timer(key))
            {
                self.start_transmissions();
                continue;
            }
            if time > until {
                break;
            }
            if left == 0 {
                self.events += events;
                return false;
            }
            left -= 1;
            debug_assert!(time >= self.world.now, "a timer was set for the past");
            self.world.now = time;
            match self.world.timers.take(key) {
                Event::End(mut station) => {
                    if self.ties.has_ends() {
                        station = self.first_tied(station, Event::End);
                    }
                    self.end_transmission(station);
                }
                Event::Access(station) if self.needs.order_of_arrival() && self.hears_first(station) => {
                    self.lose_slot(station);
                }
                Event::Access(station) => self.fire(station, Timer::Access),
                Event::Sequence(mut station) => {
                    if self.needs.steps() {
                        station = self.prepare_step(station);
                    }
                    self.fire(station, Timer::Sequence);
                }
                Event::Upper(node) => self.tell(node, Input::Timer(IfIndex::FIRST, Timer::Upper)),
                Event::Application(flow) => self.run_application(flow),
                Event::Probe(probe) => self.run_probe(probe),
                Event::Scheduled => self.run_scheduled(),
            }
            if !self.world.after.is_empty() {
                self.finish_event();
            }
        }
        self.events += events - left;
        true
    }

    /// Which station is the first of those with such an event at this instant. That of one of them was taken.
    #[cold]
    #[inline(never)]
    fn first_tied(&mut self, taken: NodeId, kind: fn(NodeId) -> Event) -> NodeId {
        self.ties.first(taken, kind, self.world.now, &mut self.world.timers)
    }

    /// The next step of a station is due. That of the first by name goes first, and it hears what it is receiving.
    #[cold]
    #[inline(never)]
    fn prepare_step(&mut self, taken: NodeId) -> NodeId {
        let station = if self.ties.has_steps() { self.first_tied(taken, Event::Sequence) } else { taken };
        self.tell_reception(station);
        station
    }

    /// The present instant.
    #[must_use]
    pub const fn now(&self) -> SimTime {
        self.world.now
    }

    /// The packets in the network.
    #[must_use]
    pub const fn packets(&self) -> &PacketStore {
        &self.packets
    }

    /// The nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Hands an input to a node and carries out its answers.
    #[inline(always)]
    pub(super) fn tell(&mut self, node: NodeId, input: Input<'_>) {
        let mut cx = Cx { now: self.world.now, packets: &mut self.packets };
        self.world.node = node;
        self.nodes[node.index()].handle(&mut cx, input, &mut self.world);
    }

    /// What was decided at this instant takes effect: first the senders turn deaf, then the others hear them.
    fn start_transmissions(&mut self) {
        if self.needs.beginnings() {
            return self.start_specially();
        }
        self.start_at_once();
    }

    /// Transmissions leave and begin to arrive at the same instant.
    #[inline(always)]
    pub(super) fn start_at_once(&mut self) {
        if let Some(node) = self.world.starting.take_only() {
            if let Some(end) = self.depart(node) {
                self.begin_signal(node, end);
            }
            return;
        }
        self.start_together();
    }

    /// Stations begin to send that drew the same slot: seldom.
    #[inline(never)]
    fn start_together(&mut self) {
        self.cut_slots();
        let mut simultaneous = std::mem::take(&mut self.simultaneous);
        simultaneous.take(&mut self.world, &self.nodes);
        simultaneous.overlap(&mut self.links, &self.radios, self.world.now);
        for &node in simultaneous.stations() {
            self.depart(node);
        }
        self.begin_signals(&mut simultaneous);
        self.simultaneous = simultaneous;
    }

    /// A node begins to send what begins to arrive at the same instant; returns when it ends.
    #[inline(always)]
    fn depart(&mut self, node: NodeId) -> Option<SimTime> {
        let World { now, on_air, recorder, tap, .. } = &mut self.world;
        let Transmission::Beginning(frame) = &on_air[node.index()] else { return None };
        let end = announce(*now, frame, recorder, tap, &self.packets);
        self.deafen(node, end);
        Some(end)
    }

    /// A node hears nothing while it sends.
    #[inline(always)]
    pub(super) fn deafen(&mut self, node: NodeId, end: SimTime) {
        if let Some(missed) = self.radios.transmit(node, self.world.now, end) {
            self.sense(node, Sensed::Undecodable(missed));
        }
    }

    /// A station hears what the medium does.
    #[inline(never)]
    pub(super) fn sense(&mut self, station: NodeId, sensed: Sensed) {
        let timers = &mut self.world.timers;
        let arm = |at| timers.arm(station, Timer::Access, at);
        self.nodes.interface(station).sense(self.world.now, sensed, arm);
    }

    /// The signal of `from` begins at all nodes that it reaches.
    #[inline(always)]
    pub(super) fn begin_signal(&mut self, from: NodeId, end: SimTime) {
        let now = self.world.now;
        let heard = self.links.begin(from, now);
        let (nodes, timers) = (&mut self.nodes, &mut self.world.timers);
        match &mut self.radios {
            Radios::Ns2 { radios, capture } => {
                let capture = *capture;
                let (tx, size) = Arrival::UNREAD;
                let arrival = |link: &Link| {
                    let Link { power, sensed, decodable, .. } = *link;
                    Arrival { from, power, end, tx, size, parted: false, decodable, sensed }
                };
                if self.needs.cut_slots() {
                    return reach(heard, now, nodes, timers, end, |link, interface| {
                        let radio = &mut radios[link.to.index()];
                        if radio.last_heard() == Some(from) {
                            interface.cut_slot(now);
                        }
                        radio.begin(now, &arrival(link), capture)
                    });
                }
                reach(heard, now, nodes, timers, end, |link, _| {
                    radios[link.to.index()].begin(now, &arrival(link), capture)
                });
            }
            Radios::Sinr(radios) => {
                let Some(frame) = self.world.on_air[from.index()].frame() else { return };
                begin_summed(heard, now, nodes, radios, timers, (from, end, frame));
            }
        }
    }

    /// A transmission ends: its receivers have it, or not. A delayed one may only begin to arrive. Apart from the loop,
    /// which would have fewer registers left.
    #[inline(never)]
    fn end_transmission(&mut self, from: NodeId) {
        let on_air = &mut self.world.on_air[from.index()];
        let frame = match *on_air {
            Transmission::Beginning(frame) | Transmission::Arriving(frame) => frame,
            Transmission::Leaving(frame) => {
                *on_air = Transmission::Beginning(frame);
                self.world.timers.arm_end(from, self.world.now + frame.airtime);
                return self.world.starting.push(from);
            }
            Transmission::Mute(frame) => return self.end_mute(&frame),
            Transmission::None | Transmission::Dozing => return self.end_cut(from),
        };
        *on_air = Transmission::None;
        let (links, decodable) = self.links.range(from);
        if !self.needs.ends() {
            for index in links.start..decodable {
                let link = self.links.at(index);
                self.end_signal::<true>(&frame, link);
            }
        } else {
            self.end_specially(&frame, links, decodable);
        }
        self.packets.release(&frame);
        if !self.world.behind.is_empty() {
            self.world.follow_up(from);
        }
    }

    /// The same where signals are lost by chance or watched, or interference is summed up.
    #[inline(never)]
    fn end_specially(&mut self, frame: &Frame, links: Range<usize>, decodable: usize) {
        self.note_sent(frame);
        for index in links.start..decodable {
            let link = self.links.at(index);
            self.end_signal::<false>(frame, link);
        }
        if self.radios.sums_interference() {
            for index in decodable..links.end {
                let link = self.links.at(index);
                self.radios.end(link.to, self.world.now, frame.from, link.power);
            }
        }
        if self.links.fades() {
            self.note_faded(frame, links.start..decodable);
        }
    }

    /// Finds out what the ends of signals need.
    pub(super) fn note_ends(&mut self) {
        let recorder = &self.world.recorder;
        let watched = self.world.tap.is_some() || recorder.echoes.is_some() || recorder.mpdus.is_some();
        let fades = self.links.fades();
        let needed = self.errors.strike_any() || watched || fades || self.radios.sums_interference();
        self.needs.set_ends(needed);
    }

    /// A signal ends at a node that can decode it; `PLAIN`: its end needs nothing special.
    #[inline(always)]
    fn end_signal<const PLAIN: bool>(&mut self, frame: &Frame, link: Link) {
        let (now, to) = (self.world.now, link.to);
        if !PLAIN && frame.is_parted() {
            return self.end_parted(frame, link);
        }
        let ending = self.radios.end(to, now, frame.from, link.power);
        let (node, which) = self.nodes.station(to);
        if !node.is_up() {
            return;
        }
        let whole = ending == Ending::Whole;
        let mut harm = None;
        if !PLAIN && whole && self.errors.strike_any() {
            let links = &mut self.links;
            harm = self.errors.strike(frame, link, now, || links.place(to, now));
        }
        if !whole || harm.is_some() {
            if !PLAIN {
                self.note_ended(frame, to, whole, harm);
            }
            if frame.to == to || harm.is_some() || ending == Ending::Garbled {
                self.end_in_vain(frame, to, harm, ending == Ending::Garbled);
            }
            return;
        }
        let World { recorder, tap, .. } = &mut self.world;
        if frame.to == to {
            recorder.attempts.arrived(frame.kind, frame.from, frame.to);
        }
        if !PLAIN && let Some(tap) = tap {
            tap.received(now, to, link.power, frame, &self.packets);
        }
        let mut cx = Cx { now, packets: &mut self.packets };
        if frame.to != to && node.try_receive_fast(&mut cx, which, frame) {
            return;
        }
        self.world.node = node.id();
        node.handle(&mut cx, Input::Receive(which, frame, link.power), &mut self.world);
        if !PLAIN {
            self.note_ended(frame, to, whole, None);
        }
    }

    /// A signal ends at a node that can decode it, but did not get it whole.
    #[inline(never)]
    pub(super) fn end_in_vain(&mut self, frame: &Frame, to: NodeId, harm: Option<Harm>, garbled: bool) {
        if frame.to == to {
            match harm {
                Some(harm) => self.harmed(frame, harm),
                None => self.spoilt(frame),
            }
        }
        if harm.is_some() || garbled {
            self.sense(to, Sensed::Undecodable(self.world.now));
        }
    }

    fn run_application(&mut self, flow: usize) {
        let step = self.applications[flow].step(self.world.now);
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

/// The record notes that a transmission begins; returns when it ends at its sender.
#[inline(always)]
pub(super) fn announce(
    now: SimTime,
    frame: &Frame,
    recorder: &mut Recorder,
    tap: &mut Option<Box<dyn Tap>>,
    packets: &PacketStore,
) -> SimTime {
    recorder.transmission(now, frame);
    if let Some(tap) = tap {
        tap.sent(now, frame, packets);
    }
    now + frame.airtime
}
