//! The machine: what becomes of each packet, and the timers.

use super::config::DsrConfig;
use super::counters::Counters;
use super::delayed::DelayedAnswers;
use super::flows::{Carry, Flows};
use super::known::Known;
use super::overhear::Listener;
use super::requests::{For, Requests, Searches, Seen};
use super::source_route::{Form, PacketPath, header_of, next_header};
use super::waiting::Waiting;
use super::wire::Header;
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::contract::{Action, Awaited, Decision, Disposal, GivenUp, Input, Provenance, Routing};
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, PacketId, Payload};

/// Dynamic Source Routing of one node.
#[derive(Debug)]
pub struct Dsr {
    pub(super) config: DsrConfig,
    pub(super) me: NodeId,
    pub(super) form: Form,
    pub(super) rng: Rng,
    pub(super) known: Known,
    pub(super) requests: Requests,
    pub(super) searches: Searches,
    pub(super) seen: Seen,
    pub(super) waiting: Waiting,
    pub(super) flows: Flows,
    pub(super) answers: DelayedAnswers,
    pub(super) listener: Listener,
    pub(super) counters: Counters,
}

impl Dsr {
    /// A node that knows nothing; `extra` is what the node adds to every packet, `rng` draws the jitter.
    #[must_use]
    pub fn new(config: DsrConfig, me: NodeId, extra: Bytes, rng: Rng) -> Self {
        Self {
            form: Form::new(&config, extra),
            known: Known::new(me, &config),
            requests: Requests::default(),
            searches: Searches::default(),
            seen: Seen::new(&config),
            waiting: Waiting::new(&config),
            flows: Flows::default(),
            answers: DelayedAnswers::default(),
            listener: Listener::new(me, &config),
            counters: Counters::default(),
            config,
            me,
            rng,
        }
    }

    /// What it has done.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The way to a destination that it would use now, both ends included.
    #[must_use]
    pub fn way_to(&self, now: SimTime, destination: NodeId) -> Option<Vec<NodeId>> {
        self.known.way_to(now, destination)
    }

    /// A packet of this node sets out.
    pub(super) fn set_out<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        salvage: u8,
        out: &mut S,
    ) -> Decision {
        let destination = cx.packets[packet].destination;
        if destination == self.me {
            return Decision::Refused(DropReason::Unclaimed);
        }
        let path = self.known.find(cx.now, destination, true);
        self.known.watch(destination, path.is_some());
        match path {
            Some(path) => self.send_along(cx, packet, path, salvage),
            None => {
                self.waiting.put(cx, packet, &mut self.rng, out);
                self.search(cx, destination, For::Own, out);
                Decision::Waiting
            }
        }
    }

    /// Writes a way into a packet and names the first hop.
    pub(super) fn send_along(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        path: Vec<NodeId>,
        salvage: u8,
    ) -> Decision {
        let its = &cx.packets[packet];
        let Some(&first) = path.get(1) else { return Decision::Refused(DropReason::NoRoute) };
        let message = matches!(its.payload, Payload::Message { .. });
        // A route that does not begin at the packet's source has to say where it does.
        let salvage = if its.source == self.me { salvage } else { salvage.max(1) };
        let mut header = match header_of(cx, packet) {
            Some(Ok(header)) if message => header,
            _ => Header { next: next_header(its), ..Header::default() },
        };
        if self.config.flow_state && !message && salvage == 0 {
            match self.flows.send(cx.now, path, self.config.flow_timeout) {
                Carry::Nothing(to) => {
                    cx.packets.set_header(packet, None);
                    return Decision::To(to);
                }
                Carry::Route { path, flow, timeout } => {
                    let first = path.get(1).copied().unwrap_or(first);
                    header.route = Some(PacketPath::begin(path, 0).route());
                    (header.flow, header.timeout) = (Some(flow), Some(timeout));
                    self.form.write(cx, packet, &header);
                    return Decision::To(first);
                }
            }
        }
        header.route = Some(PacketPath::begin(path, salvage).route());
        self.form.write(cx, packet, &header);
        Decision::To(first)
    }

    /// A packet from a neighbour goes on.
    fn pass_on<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> Decision {
        let its = &cx.packets[packet];
        let (ends, ttl) = ((its.source, its.destination), its.ttl);
        let mut header = match header_of(cx, packet) {
            Some(Ok(header)) => header,
            Some(Err(_)) => return Decision::Refused(DropReason::Malformed),
            None => return self.pass_on_in_flow(cx, packet, out),
        };
        let Some(mut way) = header.route.as_ref().map(|route| PacketPath::of(its, route)) else {
            return Decision::Refused(DropReason::Malformed);
        };
        let next = way.nodes.get(way.here + 1).copied();
        let (Some(next), true) = (next, way.nodes.get(way.here) == Some(&self.me)) else {
            return Decision::Refused(DropReason::Malformed);
        };
        self.known.watch(ends.1, true);
        self.known.learn_along(cx.now, &way.nodes, way.here, out);
        if self.config.flow_state {
            self.flows.set_up(ends, &header, &way.nodes, way.here, ttl);
        }
        way.here += 1;
        header.route = Some(way.route());
        if let Some(flow) = &mut header.flow {
            flow.hops = flow.hops.saturating_add(1);
        }
        self.form.write(cx, packet, &header);
        Decision::To(next)
    }

    /// A packet without a route goes where its flow goes, or, if that is not known, another way: its source is told.
    fn pass_on_in_flow<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> Decision {
        let its = &cx.packets[packet];
        let (ends, ttl) = ((its.source, its.destination), its.ttl);
        if !self.config.flow_state {
            return Decision::Refused(DropReason::NoRoute);
        }
        match self.flows.path_of(ends, ttl).and_then(|flow| flow.path.get(flow.here + 1)) {
            Some(&next) => Decision::To(next),
            None => {
                self.tell_unknown_flow(cx, ends, out);
                self.another_way(cx, packet, out)
            }
        }
    }

    /// A link is broken: nothing leads over it any more.
    pub(super) fn cut<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        link: (NodeId, NodeId),
        out: &mut S,
    ) {
        self.flows.cut(link);
        self.answers.cut(link);
        self.known.cut(now, link, out);
    }

    /// Packets that wait and have a route now leave, the first of each destination first.
    pub(super) fn release<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let mut delay = Dur::ZERO;
        for packet in self.waiting.packets() {
            let its = &cx.packets[packet];
            let (destination, source) = (its.destination, its.source);
            let Some(path) = self.known.find(cx.now, destination, source == self.me) else { continue };
            let Some(packet) = self.waiting.take(destination) else { continue };
            let salvage = self.salvage_of(cx, packet);
            match self.send_along(cx, packet, path, salvage) {
                Decision::To(to) => {
                    self.note_resent(cx, packet);
                    out.put(Action::Forward { packet, to, delay });
                }
                _ => out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NoRoute))),
            }
            delay += self.config.release_gap;
        }
    }

    fn stop<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.waiting.flush(cx, out);
        self.known.clear(&self.config);
        self.requests.clear();
        self.searches.clear();
        self.seen.clear();
        self.flows.clear();
        self.answers.clear();
        self.listener.clear();
    }
}

impl Routing for Dsr {
    fn next_hop(&self, now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.way_to(now, destination)?.get(1).copied()
    }

    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        let decision = match provenance {
            Provenance::Here => self.set_out(cx, packet, 0, out),
            Provenance::Neighbour(_) => self.pass_on(cx, packet, out),
            Provenance::Kept(_) => self.another_way(cx, packet, out),
            Provenance::Withdrawn(to) => match self.undeliverable(cx, packet, to, false, out) {
                Decision::To(to) if self.config.failure_delay > Dur::ZERO => {
                    out.put(Action::Forward { packet, to, delay: self.config.failure_delay });
                    Decision::Waiting
                }
                decision => decision,
            },
        };
        self.arm(cx, out);
        decision
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        let GivenUp { packet, to, .. } = given_up;
        let disposal = if self.has_lost_its_flow(cx, packet) {
            self.give_up_without_flow(cx, packet, out)
        } else {
            self.cut(cx.now, (self.me, to), out);
            let decision = self.undeliverable(cx, packet, to, true, out);
            let disposal = self.dispose(packet, decision, out);
            out.put(Action::Withdraw { neighbour: to });
            disposal
        };
        self.arm(cx, out);
        disposal
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Start => {}
            Input::Stop => self.stop(cx, out),
            Input::Timer => self.on_timer(cx, out),
            Input::Message { packet, .. } => self.on_message(cx, packet, out),
            Input::Wanted(destination) => self.want(cx, destination, out),
            Input::Overheard(heard) => self.on_overheard(cx, heard, out),
            Input::Wake => {}
        }
        self.arm(cx, out);
    }

    fn overhears(&self) -> bool {
        self.config.promiscuous
    }

    fn packets(&self) -> Vec<PacketId> {
        self.waiting.packets()
    }

    fn awaited(&self) -> Vec<Awaited> {
        self.waiting.awaited(|destination| self.asks_for(destination))
    }

    fn asks_for(&self, destination: NodeId) -> bool {
        self.searches.has(destination)
    }

    fn routes_lost(&self) -> u64 {
        self.known.lost()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
