//! The DSDV machine: periodic and triggered updates, silent neighbours, packets that wait for a route.
//!
//! Perkins and Bhagwat 1994, §3; where the paper leaves a choice, the one that ns-2.35's agent makes, and its
//! constants (see `DsdvConfig`). Not modelled: incremental updates split over several packets; base-station layer-2
//! operation.

use super::counters::Counters;
use super::table::{Effect, INFINITY, Table};
use super::wire::{self, Line};
use crate::contract::{Cx, Notice, Sink, drop_packet};
use crate::routing::DsdvConfig;
use crate::routing::buffer::{BufferRule, RouteBuffer, WhenFull};
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, Fate, Packet, PacketId, Payload, Protocol};

/// Hop limit of an update, which goes no further than the neighbours.
const TTL: u8 = 64;

/// One node's DSDV.
#[derive(Clone, Debug)]
pub struct Dsdv {
    config: DsdvConfig,
    me: NodeId,
    table: Table,
    rng: Rng,
    periodic_at: SimTime,
    /// When the last update was made, of either kind.
    last_update: Option<SimTime>,
    /// When each neighbour was heard last.
    heard: Vec<(NodeId, SimTime)>,
    /// Packets that wait for a route.
    buffer: RouteBuffer,
    /// Routes lost because the neighbour that they led through was gone.
    lost: u64,
    counters: Counters,
}

impl Dsdv {
    /// A node that knows itself only; `rng` draws the jitter.
    #[must_use]
    pub fn new(config: DsdvConfig, me: NodeId, rng: Rng) -> Self {
        // As in ns-2: the oldest of the same destination makes room.
        let rule = BufferRule {
            limit: usize::MAX,
            per_destination: config.buffer as usize,
            age: Dur::MAX,
            full: WhenFull::DropOldest,
        };
        Self {
            table: Table::new(me, &config),
            config,
            me,
            rng,
            periodic_at: SimTime::MAX,
            last_update: None,
            heard: Vec::new(),
            buffer: RouteBuffer::new(rule),
            lost: 0,
            counters: Counters::default(),
        }
    }

    /// Decides on a packet for which the table has no next hop.
    #[cold]
    pub(super) fn without_route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut S,
    ) -> Decision {
        if cx.packets[packet].destination == self.me {
            return Decision::Refused(DropReason::Unclaimed);
        }
        if matches!(provenance, Provenance::Kept(_)) {
            return Decision::Stays;
        }
        self.buffer.put(cx, packet, out);
        Decision::Waiting
    }

    /// What it has told and taken.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The routes.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.drop_silent_neighbours(now, out);
        if self.periodic_at <= now {
            self.advertise(now, true, out);
        }
        while self.table.next_trigger() <= now {
            let earliest = self.last_update.map_or(SimTime::ZERO, |last| last + self.config.triggered_gap);
            if now < earliest {
                self.table.put_off(earliest);
            } else {
                self.advertise(now, false, out);
                self.table.end_trigger();
            }
        }
    }

    /// Makes an update now and sends it when its jitter is over, so that neighbours with one timer do not collide.
    fn advertise<S: Sink<Action>>(&mut self, now: SimTime, full: bool, out: &mut S) {
        let (lines, full) = self.table.update(now, full);
        if full {
            let (low, high) = (self.config.jitter_low, self.config.jitter_high);
            let factor = low + self.rng.f64() * (high - low);
            self.periodic_at = now + self.config.period.mul_f64(factor);
        }
        if lines.is_empty() {
            return;
        }
        self.counters.told(&lines);
        self.last_update = Some(now);
        let delay = if self.config.broadcast_jitter == Dur::ZERO {
            Dur::ZERO
        } else {
            self.rng.range_dur(Dur::ZERO, self.config.broadcast_jitter)
        };
        out.put(Action::Send(Outgoing {
            protocol: Protocol::Dsdv,
            body: wire::emit(&lines),
            size: wire::size(lines.len()),
            destination: NodeId::BROADCAST,
            to: NodeId::BROADCAST,
            ttl: TTL,
            delay,
        }));
    }

    fn on_message<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, from: NodeId, out: &mut S) {
        let ours = matches!(cx.packets[packet].payload, Payload::Message { protocol: Protocol::Dsdv, .. });
        let Some(lines) = ours.then(|| cx.packets.message(packet).map(|body| wire::parse(body))).flatten()
        else {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Unclaimed)));
        };
        match lines {
            Ok(lines) => {
                cx.packets.end(packet, Fate::Delivered);
                self.on_update(cx, from, &lines, out);
            }
            Err(_) => out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed))),
        }
    }

    fn on_update<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, from: NodeId, lines: &[Line], out: &mut S) {
        let now = cx.now;
        match self.heard.iter_mut().find(|(node, _)| *node == from) {
            Some((_, at)) => *at = now,
            None => self.heard.push((from, now)),
        }
        for line in lines {
            let before = self.table.route(line.destination).cloned();
            if self.table.learn(now, from, line) == Effect::Defend {
                self.periodic_at = now; // tell the world at once that this node is here
            }
            if self.config.believe_outdated {
                self.believe_outdated(cx, from, line, out);
            }
            let known = before.as_ref().filter(|_| line.destination != self.me);
            if let Some((known, now)) = known.zip(self.table.route(line.destination)) {
                self.counters.heard(from, line, known, now);
            }
            self.tell_change(before.map(|route| route.metric), line.destination, out);
        }
        let table = &self.table;
        self.buffer.release(|destination| table.next_hop(destination), out);
    }

    /// The layers above hear of a route that an update has taken away, and of one where there was none.
    fn tell_change<S: Sink<Action>>(&mut self, before: Option<u32>, destination: NodeId, out: &mut S) {
        let after = self.table.route(destination).map_or(INFINITY, |route| route.metric);
        match before {
            None | Some(INFINITY) if after < INFINITY && destination != self.me => {
                out.put(Action::Notice(Notice::RouteFound { destination, hops: after }));
            }
            Some(before) if before < INFINITY && after == INFINITY => {
                self.lost += 1;
                out.put(Action::Notice(Notice::RouteLost { destination }));
            }
            _ => {}
        }
    }

    /// A finite line about a lost route for which packets wait, and which the table has not believed, so that it is
    /// older than the loss. ns-2 offers the packets to the table again and again until their hops are used up, and
    /// only then installs the line.
    fn believe_outdated<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, from: NodeId, line: &Line, out: &mut S) {
        if self.buffer.waits_for(line.destination) && self.table.believe(cx.now, from, line) {
            self.buffer.give_up(cx, line.destination, DropReason::Expired, out);
        }
    }

    /// Neighbours that have been silent for the allowed number of periods are gone.
    fn drop_silent_neighbours<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let patience = self.patience();
        while let Some(index) = self.heard.iter().position(|&(_, at)| at + patience <= now) {
            let (neighbour, _) = self.heard.swap_remove(index);
            self.lose(now, neighbour, out);
        }
    }

    fn lose<S: Sink<Action>>(&mut self, now: SimTime, neighbour: NodeId, out: &mut S) {
        let lost = self.table.lose(now, neighbour);
        self.lost += lost.len() as u64;
        for destination in lost {
            out.put(Action::Notice(Notice::RouteLost { destination }));
        }
    }

    fn stop<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.buffer.flush(cx, out);
        self.table = Table::new(self.me, &self.config);
        self.heard.clear();
        (self.periodic_at, self.last_update) = (SimTime::MAX, None);
    }

    fn patience(&self) -> Dur {
        self.config.period * u64::from(self.config.allowed_loss)
    }

    fn next_wake(&self) -> SimTime {
        let silent = self.heard.iter().map(|&(_, at)| at + self.patience()).min().unwrap_or(SimTime::MAX);
        self.periodic_at.min(self.table.next_trigger()).min(silent)
    }
}

impl Routing for Dsdv {
    #[inline]
    fn known(&mut self, _now: SimTime, packet: &Packet, _provenance: Provenance) -> Option<NodeId> {
        self.table.next_hop(packet.destination)
    }

    fn next_hop(&self, _now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.table.next_hop(destination)
    }

    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        match self.table.next_hop(cx.packets[packet].destination) {
            Some(to) => Decision::To(to),
            None => self.without_route(cx, packet, provenance, out),
        }
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        if self.config.link_feedback {
            self.lose(cx.now, given_up.to, out);
            out.put(Action::Arm(self.next_wake()));
        }
        Disposal::Leave
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Start => {
                let jitter = self.rng.range_dur(Dur::ZERO, self.config.startup_jitter);
                self.periodic_at = cx.now + jitter;
            }
            Input::Stop => self.stop(cx, out),
            Input::Timer => self.on_timer(cx.now, out),
            Input::Message { packet, from } => self.on_message(cx, packet, from, out),
            Input::Wanted(_) | Input::Overheard(_) | Input::Wake => {}
        }
        out.put(Action::Arm(self.next_wake()));
    }

    fn packets(&self) -> Vec<PacketId> {
        self.buffer.packets().collect()
    }

    fn routes_lost(&self) -> u64 {
        self.lost
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
