//! The AODV machine: what it is asked and told, and when it wakes. Its rules are in the files beside this one:
//! requests, replies, broken links, hellos.
//!
//! RFC 3561. Not modelled: several interfaces, gateways to other networks (§7), prefixes (§6.3, §5.2), multicast.
//! A node keeps its own sequence number while it is down.

use std::sync::Arc;

use super::config::{AodvConfig, DataHeader, Refresh};
use super::counters::Counters;
use super::hello::Neighbours;
use super::losses::RouteErrors;
use super::messages::Pending;
use super::numbers::OwnNumber;
use super::outlet::Outlet;
use super::reboot::Reboot;
use super::search::Searches;
use super::seen::Seen;
use super::table::Table;
use super::wire::request_key;
use crate::contract::{Cx, Sink};
use crate::routing::buffer::{BufferRule, RouteBuffer, WhenFull};
use crate::routing::contract::{Action, Awaited, Decision, Disposal, GivenUp, Input, Provenance, Routing};
use crate::units::{Bytes, NodeId, Rng, SimTime};
use crate::wire::{DropReason, INITIAL_TTL, Packet, PacketId, Payload, Protocol};

/// One node's AODV.
#[derive(Clone, Debug)]
pub struct Aodv {
    pub(super) config: Arc<AodvConfig>,
    pub(super) me: NodeId,
    pub(super) table: Table,
    pub(super) number: OwnNumber,
    pub(super) seen: Seen,
    pub(super) searches: Searches,
    /// Packets that wait for a route.
    pub(super) buffer: RouteBuffer,
    pub(super) errors: RouteErrors,
    pub(super) outlet: Outlet,
    pub(super) pending: Pending,
    pub(super) neighbours: Neighbours,
    pub(super) counters: Counters,
    pub(super) reboot: Reboot,
    /// Hops that packets of nodes may go.
    pub(super) hop_limit: u8,
}

impl Aodv {
    /// A node that knows no node; `rng` draws the jitter.
    #[must_use]
    pub fn new(config: impl Into<Arc<AodvConfig>>, me: NodeId, rng: Rng) -> Self {
        let config = config.into();
        let rule = BufferRule {
            limit: config.buffer as usize,
            per_destination: usize::MAX,
            age: config.buffer_age,
            full: WhenFull::DropOldest,
        };
        Self {
            table: Table::new(&config),
            number: OwnNumber::new(config.sequence),
            seen: Seen::new(&config),
            searches: Searches::new(config.rreq_limit),
            buffer: RouteBuffer::new(rule),
            errors: RouteErrors::new(config.rerr, config.rerr_limit),
            outlet: Outlet::new(&config, rng),
            pending: Pending::default(),
            neighbours: Neighbours::default(),
            counters: Counters::default(),
            reboot: Reboot::new(config.reboot_wait.then_some(config.delete_period)),
            hop_limit: INITIAL_TTL,
            config,
            me,
        }
    }

    /// The same where packets of nodes may go so many hops, 64 otherwise: how far one has come is told by what is left.
    #[must_use]
    pub fn with_hop_limit(self, hop_limit: u8) -> Self {
        Self { hop_limit, ..self }
    }

    /// The next hop of a valid route, refreshed.
    fn follow(&mut self, now: SimTime, packet: &Packet, previous: Option<NodeId>) -> Option<NodeId> {
        let until = now + self.config.active_timeout;
        let next = self.table.use_route(now, packet.destination, until)?;
        if self.config.refresh == Refresh::All {
            // RFC 3561 §6.2: both ends, and the hops before and behind.
            self.table.use_route(now, next, until);
            if let Some(previous) = previous {
                self.table.use_route(now, packet.source, until);
                self.table.use_route(now, previous, until);
            }
        }
        Some(next)
    }

    fn decide<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut S,
    ) -> Decision {
        let destination = cx.packets[packet].destination;
        let previous = match provenance {
            Provenance::Here | Provenance::Kept(_) => None,
            Provenance::Neighbour(from) => Some(from),
            Provenance::Withdrawn(_) => return Decision::Refused(DropReason::LinkBroken),
        };
        if destination == self.me {
            return Decision::Refused(DropReason::Unclaimed);
        }
        if provenance == Provenance::Here {
            self.add_header(&mut cx.packets[packet]);
        }
        if let Some(next) = self.follow(cx.now, &cx.packets[packet], previous) {
            return Decision::To(next);
        }
        match previous {
            Some(from) if !self.mends(cx.now, destination) => {
                self.no_route(cx, destination, from, out);
                return Decision::Refused(DropReason::NoRoute);
            }
            Some(_) => self.buffer.put(cx, packet, out),
            // A packet of this node, or one that its queue has kept: the node that keeps packets asks for the way.
            None => {
                self.buffer.put(cx, packet, out);
                self.demand(cx, destination, out);
            }
        }
        Decision::Waiting
    }

    /// What ns-2's agent counts.
    fn add_header(&self, packet: &mut Packet) {
        if self.config.header == DataHeader::NotTcp && !matches!(packet.payload, Payload::Tcp(_)) {
            packet.size += Bytes(20);
        }
    }

    /// The routes.
    #[must_use]
    pub const fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        Counters {
            rerr_limited: self.errors.limited(),
            routes_lost: self.errors.routes_lost(),
            ..self.counters
        }
    }

    fn start(&mut self, now: SimTime) {
        self.reboot.start(now);
        if self.config.link_detection.hellos() {
            self.neighbours.start(now, self.outlet.up_to(self.config.hello_interval));
        }
    }

    fn stop<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.buffer.flush(cx, out);
        self.table = Table::new(&self.config);
        self.seen = Seen::new(&self.config);
        self.searches.clear();
        (self.pending, self.neighbours) = (Pending::default(), Neighbours::default());
        self.outlet.clear();
        self.reboot.stop();
    }

    fn on_timer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.buffer.expire(cx, out);
        self.end_repairs(cx, out);
        self.end_waits(cx.now);
        self.on_hello_timer(cx, out);
        self.search_on(cx, out);
    }

    /// When something is to be done next.
    fn next_wake(&mut self, now: SimTime) -> SimTime {
        let searching = self.searches.wakes(now, self.config.purge, !self.buffer.is_empty());
        searching.min(self.buffer.next_expiry()).min(self.pending.next()).min(self.neighbours.next())
    }
}

impl Routing for Aodv {
    #[inline]
    fn known(&mut self, now: SimTime, packet: &Packet, provenance: Provenance) -> Option<NodeId> {
        let previous = match provenance {
            Provenance::Here if self.config.header == DataHeader::None => None,
            Provenance::Neighbour(from) => Some(from),
            _ => return None,
        };
        self.follow(now, packet, previous)
    }

    fn next_hop(&self, now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.table.next_hop(now, destination)
    }

    #[cold]
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        let decision = self.decide(cx, packet, provenance, out);
        out.put(Action::Arm(self.next_wake(cx.now)));
        decision
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        let disposal = self.on_given_up(cx, given_up, out);
        out.put(Action::Arm(self.next_wake(cx.now)));
        disposal
    }

    #[inline]
    fn is_known_flood(&mut self, cx: &Cx<'_>, packet: PacketId, from: NodeId) -> bool {
        let Payload::Message { protocol: Protocol::Aodv, .. } = cx.packets[packet].payload else {
            return false;
        };
        if self.listens() {
            return false;
        }
        let request = cx.packets.message(packet).and_then(|body| request_key(body));
        request.is_some_and(|request| self.is_known(cx.now, from, request))
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Start => self.start(cx.now),
            Input::Stop => self.stop(cx, out),
            Input::Timer => self.on_timer(cx, out),
            // Most of them are requests that this node has seen: nothing is asked for, and it wakes when it would have.
            Input::Message { packet, from } => {
                if !self.on_message(cx, packet, from, out) {
                    return;
                }
            }
            Input::Wanted(destination) => self.want(cx, destination, out),
            Input::Overheard(_) | Input::Wake => {}
        }
        out.put(Action::Arm(self.next_wake(cx.now)));
    }

    fn packets(&self) -> Vec<PacketId> {
        self.buffer.packets().collect()
    }

    fn awaited(&self) -> Vec<Awaited> {
        self.buffer.awaited(|destination| self.asks_for(destination))
    }

    fn asks_for(&self, destination: NodeId) -> bool {
        self.searches.is_running(destination)
    }

    fn routes_lost(&self) -> u64 {
        self.errors.routes_lost()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters().each(tell);
    }
}
