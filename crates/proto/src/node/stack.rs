//! The node itself: its layers, and which of them hears what.

use super::contract::{Action, Input, Timer};
use super::hosts::Hosts;
use super::net::{IfIndex, Item, Later, Links, MacEvent, NetLayer, Origin};
use super::relays::Relays;
use crate::contract::{Cx, Notice, Sink};
use crate::endpoint::{self, Transport};
use crate::link::Link;
use crate::mac;
use crate::proxy;
use crate::routing::{self, AnyRouting};
use crate::signals::{self, Notifier};
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{Frame, PacketId};

/// One node.
#[derive(Debug)]
pub struct Node {
    pub(super) net: NetLayer,
    pub(super) hosts: Hosts,
    pub(super) relays: Relays,
}

impl Node {
    /// A node that is up; `header` is what its routing layer adds to every packet.
    #[must_use]
    pub fn new(id: NodeId, link: Link, routing: AnyRouting, header: Bytes) -> Self {
        Self {
            net: NetLayer::new(id, link, routing, header),
            hosts: Hosts::default(),
            relays: Relays::default(),
        }
    }

    /// Replaces the routing machine. The new one has to be started ([`Input::Start`]).
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub fn set_routing(&mut self, routing: AnyRouting) {
        self.net.set_routing(routing);
    }

    /// Has it tell the ends of flows of broken routes.
    pub fn set_notifier(&mut self, notifier: Notifier) {
        self.net.teller_mut().set(notifier);
    }

    /// What makes the packets of this node, to set their headers and their hop limit.
    pub const fn origin_mut(&mut self) -> &mut Origin {
        self.net.origin_mut()
    }

    /// What leads to its neighbours.
    #[inline(always)]
    #[must_use]
    pub const fn links(&self) -> &Links {
        self.net.links()
    }

    /// The same, to let an interface hear the medium, or to change it before the run.
    #[inline(always)]
    pub const fn links_mut(&mut self) -> &mut Links {
        self.net.links_mut()
    }

    /// The routing machine.
    #[must_use]
    pub const fn routing(&self) -> &AnyRouting {
        self.net.router().machine()
    }

    /// The routing machine, to fill its tables beforehand.
    pub const fn routing_mut(&mut self) -> &mut AnyRouting {
        self.net.routing_mut()
    }

    /// Its ends of flows.
    #[must_use]
    pub const fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// The same, to add ends, or to give them a shim or a gate.
    pub const fn hosts_mut(&mut self) -> &mut Hosts {
        &mut self.hosts
    }

    /// What it has as a relay.
    #[must_use]
    pub const fn relays(&self) -> &Relays {
        &self.relays
    }

    /// The same, to add agents.
    pub const fn relays_mut(&mut self) -> &mut Relays {
        &mut self.relays
    }

    /// Its number.
    #[inline(always)]
    #[must_use]
    pub const fn id(&self) -> NodeId {
        self.net.id()
    }

    /// Whether the node is up.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.net.is_up()
    }

    /// The packets in this node's custody.
    pub fn custody(&self) -> impl Iterator<Item = PacketId> {
        self.net.custody().chain(self.relays.packets())
    }

    /// How many packets are in this node's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.custody().count()
    }

    /// Tells every counter of every machine by its public name, `machine.what`, as it stands at `now`. Machines that
    /// a node has several of tell theirs several times.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.net.each_counter(now, tell);
        self.relays.each_counter(tell);
        self.hosts.all().iter().for_each(|end| end.kind.each_counter(tell));
    }

    /// Whether it wants to know of each packet in frames for others.
    #[inline(always)]
    #[must_use]
    pub const fn overhears(&self) -> bool {
        self.net.overhears()
    }

    /// A frame that is not for this station alone was received whole by an interface. Returns whether it is dealt with:
    /// it says no more than for how long the medium is reserved, or brings what has come before. Otherwise nothing has
    /// happened yet, and [`Input::Receive`] is due.
    #[inline(always)]
    #[must_use]
    pub fn try_receive_fast(&mut self, cx: &mut Cx<'_>, via: IfIndex, frame: &Frame) -> bool {
        self.net.try_receive_fast(cx, via, frame)
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
        match input {
            Input::Receive(via, frame, power) => {
                self.net.links_mut().note_power(power);
                self.feed_mac(cx, via, || mac::Input::Receive(frame), out);
                if self.net.overhears() {
                    self.net.overhear(cx, via, frame, power, out);
                    self.empty_inbox(cx, out);
                }
                return;
            }
            Input::Timer(via, Timer::Access) => {
                return self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Access), out);
            }
            Input::Timer(via, Timer::Sequence) => {
                return self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Sequence), out);
            }
            Input::Timer(_, Timer::Upper) => self.on_upper(cx, out),
            Input::App(flow, app) => {
                if let Some(index) = self.hosts.sending(flow) {
                    self.feed_endpoint(cx, index, endpoint::Input::App(app), out);
                }
            }
            Input::Wake(_, peer) if peer == self.id() => {
                self.net.feed_routing(cx, routing::Input::Wake, out);
            }
            Input::Wake(flow, peer) => {
                if let Some(index) = self.hosts.between(flow, peer) {
                    self.feed_endpoint(cx, index, endpoint::Input::Wake, out);
                }
            }
            Input::Start => self.net.feed_routing(cx, routing::Input::Start, out),
            Input::Power(up) => self.power(cx, up, out),
            Input::Outage(flow, ahead) => self.net.post(Notice::Outage { flow, ahead }),
            Input::Wire(from, packet) => self.net.receive_over_wire(cx, from, packet, out),
            Input::WireCut(from, cut) => self.net.cut_wire(cx, from, cut, out),
        }
        self.empty_inbox(cx, out);
    }

    /// Lets a MAC act, then carries its answers through the stack.
    #[inline(always)]
    fn feed_mac<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        input: impl Fn() -> mac::Input<'a>,
        out: &mut S,
    ) {
        if self.net.feed_mac(cx, via, input, out) {
            self.dispatch_mac_events(cx, via, out);
        }
    }

    /// The layers above the MAC hear what it had to tell them: mostly one thing, which is read part by part as it was
    /// written. To take it whole would wait until all its parts have reached the cache.
    #[inline(always)]
    fn dispatch_mac_events<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        let answers = self.net.links_mut().interface_mut(via).answers();
        match answers.event {
            _ if !answers.more_events.is_empty() => self.handle_all_mac_events(cx, via, out),
            Some(MacEvent::Deliver(packet, from)) => {
                answers.event = None;
                let from = self.net.links().radios().node_of(from);
                self.receive_packet(cx, via, packet, from, out);
            }
            _ => self.net.handle_one_mac_event(cx, via, out),
        }
        self.empty_inbox(cx, out);
    }

    #[cold]
    fn handle_all_mac_events<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        // In the middle of this the MAC may have more to tell.
        let events = self.net.links_mut().interface_mut(via).answers().take_events();
        for (place, &event) in events.iter().enumerate() {
            match event {
                MacEvent::Deliver(packet, from) => {
                    let from = self.net.links().radios().node_of(from);
                    self.receive_packet(cx, via, packet, from, out);
                }
                // Its queue is asked for more once all packets of a frame are settled.
                MacEvent::Outcome(packet, outcome)
                    if matches!(events.get(place + 1), Some(MacEvent::Outcome(..))) =>
                {
                    self.net.after_attempt(cx, via, packet, outcome, out);
                }
                event => self.net.handle_mac_event(cx, via, event, out),
            }
        }
        self.net.links_mut().interface_mut(via).answers().take_back(events);
    }

    /// Everything above the queue that is due.
    fn on_upper<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let mut due = self.net.outbox_mut().take_due(cx.now);
        for what in due.drain(..) {
            match what {
                Later::MacTimer(via) => {
                    self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Release), out)
                }
                what => self.net.on_due(cx, what, out),
            }
        }
        self.net.outbox_mut().take_back(due);
        self.net.on_routing_timer(cx, out);
        self.on_endpoint_timers(cx, out);
        for index in 0..self.relays.len() {
            if self.relays.fires(index, cx.now) {
                self.proxy_input(cx, index, proxy::Input::Timer, out);
            }
        }
        self.net.arm_at(self.hosts.deadline().min(self.relays.deadline()), out);
        self.net.arm(out);
    }

    /// Going down loses all that is in memory below the transport layer.
    fn power<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.net.set_up(up);
        for via in self.net.links().radios().indices() {
            self.feed_mac(cx, via, || mac::Input::Power(up), out);
        }
        if up {
            self.net.come_up(cx, out);
        } else {
            let with_agents = self.relays.flush(cx);
            self.net.go_down(cx, with_agents, out);
        }
        self.net.post(Notice::Power { up });
    }

    /// Does what has been left, until nothing is.
    #[inline(always)]
    fn empty_inbox<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if self.net.has_left() {
            self.drain_inbox(cx, out);
        }
    }

    #[cold]
    #[inline(never)]
    fn drain_inbox<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        while let Some(item) = self.net.next_left() {
            match item {
                Item::Notice(notice) => {
                    if let Some((destination, found)) = notice.route()
                        && self.hosts.reach(destination)
                    {
                        out.put(Action::Route { destination, found }); // of routes between the ends of a flow
                    }
                    self.tell_transport(cx, notice, out);
                    self.tell_agents(cx, notice, out);
                    self.net.tell_notifier(cx, signals::Input::Notice(notice), out);
                }
                Item::Deliver(via, packet, from) => self.receive_packet(cx, via, packet, from, out),
                Item::Ended(packet, end) => self.net.leave_link(cx, packet, end, out),
                Item::NotifierInput(input) => self.net.tell_notifier(cx, input, out),
            }
        }
    }
}
