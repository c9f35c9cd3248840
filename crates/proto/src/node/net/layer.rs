//! The network layer itself: its parts, what it tells the layers above, and its timer.

use super::inbox::{Inbox, Item};
use super::links::Links;
use super::origin::Origin;
use super::outbox::{Later, Outbox};
use super::router::Router;
use super::teller::Teller;
use super::wires;
use crate::contract::{Cx, Notice, Sink};
use crate::link::Link;
use crate::node::contract::{Action, Timer};
use crate::queue;
use crate::routing::{self, AnyRouting, Routing};
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{DropReason, PacketId};

/// The network layer of a node.
#[derive(Debug)]
pub(in crate::node) struct NetLayer {
    pub(super) id: NodeId,
    pub(super) up: bool,
    pub(super) links: Links,
    pub(super) router: Router,
    pub(super) teller: Teller,
    pub(super) origin: Origin,
    pub(super) inbox: Inbox,
    pub(super) outbox: Outbox,
}

impl NetLayer {
    /// One that is up; `header` is what its routing adds to every packet.
    pub(in crate::node) fn new(id: NodeId, link: Link, routing: AnyRouting, header: Bytes) -> Self {
        let mut links = Links::new(id, link, header);
        links.set_overheard(routing.overhears());
        Self {
            id,
            up: true,
            links,
            router: Router::new(routing),
            teller: Teller::default(),
            origin: Origin::new(id),
            inbox: Inbox::default(),
            outbox: Outbox::new(),
        }
    }

    /// The number of the node.
    #[inline(always)]
    pub(in crate::node) const fn id(&self) -> NodeId {
        self.id
    }

    /// Whether the node is up.
    pub(in crate::node) const fn is_up(&self) -> bool {
        self.up
    }

    /// What leads to neighbours.
    #[inline(always)]
    pub(in crate::node) const fn links(&self) -> &Links {
        &self.links
    }

    /// The same, to let it act.
    #[inline(always)]
    pub(in crate::node) const fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }

    /// The routing machine, and when it wants to be woken.
    pub(in crate::node) const fn router(&self) -> &Router {
        &self.router
    }

    /// The routing machine, to fill its tables.
    pub(in crate::node) const fn routing_mut(&mut self) -> &mut AnyRouting {
        self.router.machine_mut()
    }

    /// Replaces the routing machine. The new one has to be started.
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub(in crate::node) fn set_routing(&mut self, machine: AnyRouting) {
        assert!(self.router.machine().packets().is_empty(), "routing is replaced before anything is sent");
        self.links.set_overheard(machine.overhears());
        self.router = Router::new(machine);
    }

    /// What the packets of the node are like.
    #[inline(always)]
    pub(in crate::node) const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The same, to change it.
    pub(in crate::node) const fn origin_mut(&mut self) -> &mut Origin {
        &mut self.origin
    }

    /// What tells the ends of flows of broken routes.
    #[inline(always)]
    pub(in crate::node) const fn teller(&self) -> &Teller {
        &self.teller
    }

    /// The same, to give it a notifier.
    pub(in crate::node) const fn teller_mut(&mut self) -> &mut Teller {
        &mut self.teller
    }

    /// Leaves a notice for the layers above.
    pub(in crate::node) fn post(&mut self, notice: Notice) {
        self.inbox.post(notice);
    }

    /// Whether something has been left for the end of the call.
    #[inline(always)]
    pub(in crate::node) fn has_left(&self) -> bool {
        !self.inbox.is_empty()
    }

    /// The next thing that has been left.
    pub(in crate::node) fn next_left(&mut self) -> Option<Item> {
        self.inbox.take()
    }

    /// How much is delayed, timers included.
    #[cfg(test)]
    pub(in crate::node) const fn delayed(&self) -> usize {
        self.outbox.len()
    }

    /// The packets in its custody, and in that of what is below it.
    pub(in crate::node) fn custody(&self) -> impl Iterator<Item = PacketId> {
        let with_routing = self.router.machine().packets();
        self.links.custody().chain(with_routing).chain(self.outbox.packets()).chain(self.teller.packets())
    }

    /// Tells the counters of its machines.
    pub(in crate::node) fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.links.each_counter(now, tell);
        tell("routing.routes-lost", self.router.machine().routes_lost());
        self.router.machine().each_counter(tell);
        self.outbox.sent.each(tell);
        self.teller.each_counter(tell);
    }

    /// What was delayed, and when the upper timer of the node fires.
    pub(in crate::node) const fn outbox_mut(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Asks for the upper timer of the node for this instant, unless it stands earlier already: then all deadlines are
    /// looked at when it fires.
    #[inline]
    pub(in crate::node) fn arm_at<S: Sink<Action>>(&mut self, at: SimTime, out: &mut S) {
        if self.outbox.wakes_before(at) {
            out.put(Action::Arm(self.id, Timer::Upper, at));
        }
    }

    /// Asks for it for what is due next here.
    pub(in crate::node) fn arm<S: Sink<Action>>(&mut self, out: &mut S) {
        self.arm_at(self.router.wakes_at().min(self.outbox.next()), out);
    }

    /// Does what was delayed until now. The timer of a MAC is the node's: it may bring packets.
    pub(in crate::node) fn on_due<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, what: Later, out: &mut S) {
        match what {
            Later::Message(message) => self.send_message(cx, message, out),
            Later::Packet { packet, to } => self.pass_on(cx, packet, to, out),
            Later::Resolution(via, message) => self.send_resolution(cx, via, message, out),
            Later::HoldEnds(via) => self.end_holds(cx, via, out),
            Later::QueueTimer(via) => self.feed_queue_cold(cx, via, queue::Input::Timer, out),
            Later::HopRate => self.tell_hop_rate(cx, crate::hop_rate::Input::Timer, out),
            Later::Wires => {
                self.tell_wires(cx, wires::Input::Timer, out);
            }
            Later::Notifier => self.tell_notifier(cx, crate::signals::Input::Timer, out),
            Later::MacTimer(_) => {}
        }
    }

    /// Wakes the routing machine, if its deadline has come.
    pub(in crate::node) fn on_routing_timer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if self.router.fires(cx.now) {
            self.feed_routing(cx, routing::Input::Timer, out);
        }
    }

    /// Power comes or goes: what is done next is for up nodes, or no more.
    pub(in crate::node) const fn set_up(&mut self, up: bool) {
        self.up = up;
    }

    /// The node is back.
    pub(in crate::node) fn come_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.tell_wires(cx, wires::Input::Power(true), out);
        self.feed_routing(cx, routing::Input::Start, out);
    }

    /// The node goes down: all that is in memory is lost, and with it what agents had.
    pub(in crate::node) fn go_down<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        with_agents: Vec<PacketId>,
        out: &mut S,
    ) {
        for via in self.links.radios().indices() {
            self.feed_queue_cold(cx, via, queue::Input::Flush, out);
        }
        self.tell_wires(cx, wires::Input::Power(false), out);
        let waiting = self.outbox.flush();
        let with_notifier = self.teller.flush();
        for id in waiting.into_iter().chain(with_agents).chain(with_notifier) {
            out.put(Action::lost(cx, id, DropReason::NodeDown));
        }
        self.flush_resolution(cx, out);
        for id in self.links.turns_mut().map(|turns| turns.flush()).into_iter().flatten() {
            out.put(Action::lost(cx, id, DropReason::NodeDown));
        }
        self.feed_routing(cx, routing::Input::Stop, out);
    }
}
