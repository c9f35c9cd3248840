//! The DSDV machine: periodic and triggered updates, silent neighbours, packets that wait for a route.
//!
//! Perkins and Bhagwat 1994, §3; where the paper leaves a choice, the one that ns-2.35's agent makes, and its
//! constants (see `DsdvConfig`). Not modelled: incremental updates split over several packets; base-station layer-2
//! operation.

use std::sync::Arc;

use super::table::{Effect, INFINITY, Table};
use crate::port::{Cx, Notice, Sink, drop_packet};
use crate::routing::DsdvConfig;
use crate::routing::contract::{Action, Input};
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, PacketId, RouteAdvert};

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
    /// Updates on their way to the queue, each with the end of its jitter.
    outbox: Vec<(SimTime, Arc<[RouteAdvert]>)>,
    /// When each neighbour was heard last.
    heard: Vec<(NodeId, SimTime)>,
    /// Packets that wait for a route, oldest first.
    waiting: Vec<(NodeId, PacketId)>,
    /// Routes lost because the neighbour that they led through was gone.
    lost: u64,
}

impl Dsdv {
    /// A node that knows itself only; `rng` draws the jitter.
    #[must_use]
    pub fn new(config: DsdvConfig, me: NodeId, rng: Rng) -> Self {
        Self {
            table: Table::new(me, &config),
            config,
            me,
            rng,
            periodic_at: SimTime::MAX,
            last_update: None,
            outbox: Vec::new(),
            heard: Vec::new(),
            waiting: Vec::new(),
            lost: 0,
        }
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        match input {
            Input::Start => {
                let jitter = self.rng.range_dur(Dur::ZERO, self.config.startup_jitter);
                self.periodic_at = cx.now + jitter;
            }
            Input::Stop => self.stop(cx, out),
            Input::Timer => self.on_timer(cx.now, out),
            Input::Adverts { from, adverts } => self.on_adverts(cx, from, &adverts, out),
            Input::LinkFailed { neighbour } => {
                if self.config.link_feedback {
                    self.lose(cx.now, neighbour, out);
                }
            }
            Input::NoRoute { packet } => self.keep(cx, packet, out),
            Input::RouteWanted { .. } => {} // proactive: the next update brings it
        }
        out.put(Action::Arm(self.next_wake()));
    }

    /// The neighbour to which packets for `destination` go now.
    #[inline]
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        let route = self.table.route(destination)?;
        (route.metric < INFINITY).then_some(route.next_hop)
    }

    /// The routes.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// How many packets wait for a route.
    #[must_use]
    pub const fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How often a route was lost because the neighbour that it led through fell silent or was given up.
    #[must_use]
    pub const fn routes_lost(&self) -> u64 {
        self.lost
    }

    /// The packets that wait for a route.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|&(_, packet)| packet)
    }

    fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.outbox.retain(|(at, lines)| {
            if *at <= now {
                out.put(Action::Broadcast(Arc::clone(lines)));
            }
            *at > now
        });
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
        self.last_update = Some(now);
        if self.config.broadcast_jitter == Dur::ZERO {
            out.put(Action::Broadcast(lines));
        } else {
            let jitter = self.rng.range_dur(Dur::ZERO, self.config.broadcast_jitter);
            self.outbox.push((now + jitter, lines));
        }
    }

    fn on_adverts<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        adverts: &[RouteAdvert],
        out: &mut S,
    ) {
        let now = cx.now;
        match self.heard.iter_mut().find(|(node, _)| *node == from) {
            Some((_, at)) => *at = now,
            None => self.heard.push((from, now)),
        }
        for line in adverts {
            if self.table.learn(now, from, line) == Effect::Defend {
                self.periodic_at = now; // tell the world at once that this node is here
            }
            if self.config.believe_outdated {
                self.believe_outdated(cx, from, line, out);
            }
        }
        self.release(out);
    }

    /// A finite line about a lost route for which packets wait, and which the table has not believed, so that it is
    /// older than the loss. ns-2 offers the packets to the table again and again until their hops are used up, and
    /// only then installs the line.
    fn believe_outdated<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        line: &RouteAdvert,
        out: &mut S,
    ) {
        let waits = self.waiting.iter().any(|&(destination, _)| destination == line.destination);
        if waits && self.table.believe(cx.now, from, line) {
            for (_, packet) in self.waiting.extract_if(.., |&mut (to, _)| to == line.destination) {
                out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Expired)));
            }
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

    /// Keeps a packet until there is a route; the oldest of the same destination makes room.
    fn keep<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut S) {
        let destination = cx.packets[packet].destination;
        if destination == self.me {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Unclaimed)));
        }
        let same = |&(waiting, _): &(NodeId, PacketId)| waiting == destination;
        if self.waiting.iter().filter(|entry| same(entry)).count() >= self.config.buffer as usize
            && let Some(oldest) = self.waiting.iter().position(same)
        {
            let (_, oldest) = self.waiting.remove(oldest);
            out.put(Action::Dropped(drop_packet(cx, oldest, DropReason::RouteBufferFull)));
        }
        self.waiting.push((destination, packet));
    }

    fn release<S: Sink<Action>>(&mut self, out: &mut S) {
        let mut index = 0;
        while index < self.waiting.len() {
            let (destination, packet) = self.waiting[index];
            if let Some(to) = self.next_hop(destination) {
                self.waiting.remove(index);
                out.put(Action::Forward { packet, to });
            } else {
                index += 1;
            }
        }
    }

    fn stop<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for (_, packet) in std::mem::take(&mut self.waiting) {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NodeDown)));
        }
        self.table = Table::new(self.me, &self.config);
        self.heard.clear();
        self.outbox.clear();
        (self.periodic_at, self.last_update) = (SimTime::MAX, None);
    }

    fn patience(&self) -> Dur {
        self.config.period * u64::from(self.config.allowed_loss)
    }

    fn next_wake(&self) -> SimTime {
        let silent = self.heard.iter().map(|&(_, at)| at + self.patience()).min().unwrap_or(SimTime::MAX);
        let outgoing = self.outbox.iter().map(|&(at, _)| at).min().unwrap_or(SimTime::MAX);
        self.periodic_at.min(self.table.next_trigger()).min(outgoing).min(silent)
    }
}
