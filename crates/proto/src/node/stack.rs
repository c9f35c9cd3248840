//! The node itself: what it is told and asks for, its layers, and which of them hears what.

use super::hosts::Hosts;
use super::inbox::Inbox;
use super::interfaces::IfIndex;
use super::links::Links;
use super::net::Net;
use super::outbox::Outbox;
use super::relays::Relays;
use super::wires;
use crate::atp::AtpConfig;
use crate::contract::{Cause, Cx, Dropped, Notice, Sink, drop_packet};
use crate::endpoint::App;
use crate::link::Link;
use crate::mac;
use crate::proxy;
use crate::queue::{self, Sojourn};
use crate::routing::{self, AnyRouting, Routing};
use crate::signals::Notifier;
use crate::tcp;
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{DropReason, Frame, PacketId};

/// Timers of a node, numbered from 1: a driver that keeps what fires of a node in one place has the end of its
/// transmission as number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The MAC's back-off.
    Access = 1,
    /// The MAC's exchange.
    Sequence,
    /// The earliest of routing, transport and proxies.
    Upper,
}

/// What a node is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// The node starts.
    Start,
    /// A frame was received whole by an interface, at this power \[W\].
    Receive(IfIndex, &'a Frame, f64),
    /// A timer fires (it may fire early): one of this interface, or [`Timer::Upper`].
    Timer(IfIndex, Timer),
    /// The application of a flow that starts here does something.
    App(FlowId, App),
    /// Something is left for the end of a flow whose other end is this node: [`endpoint::Input::Wake`]. If the node is the
    /// woken one itself, it is left for its routing: [`routing::Input::Wake`].
    Wake(FlowId, NodeId),
    /// The node goes down (`false`) or comes back.
    Power(bool),
    /// An oracle tells what is about to happen to the network, or is over: [`Notice::Outage`].
    Outage(FlowId, bool),
    /// The last bit of this packet has left the other end of the wire from that node, whose copy it is.
    Wire(NodeId, PacketId),
    /// The wire from that node is cut (`true`) or whole again.
    WireCut(NodeId, bool),
}

/// What a node asks for, or tells the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send this frame, starting now. Its packets are held: the driver releases them when the frame has
    /// ended everywhere ([`crate::wire::PacketStore::release`]).
    Transmit(Frame),
    /// Wake me at this instant; replaces an earlier request of the same timer. The timer is that of the station;
    /// [`Timer::Upper`] is of the node.
    Arm(NodeId, Timer, SimTime),
    /// The last bit of a packet has left on the wire to this node: it is held until [`Input::Wire`] has told that node.
    WireSent(NodeId, PacketId),
    /// A packet has arrived over the wire from this node: this is the own copy, held until the arrival has been
    /// recorded.
    WireReceived(NodeId, PacketId),
    /// The radio of the station dozes (`true`) or wakes: see [`mac::Action::Doze`].
    Doze(NodeId, bool),
    /// The MAC of the station gave the frame in service up; if its packet is lost for it, that follows.
    GaveUp(NodeId, Cause),
    /// A packet was lost here.
    Dropped(Dropped),
    /// Something happened at a TCP sender of this node.
    Transport {
        /// Its flow.
        flow: FlowId,
        /// What.
        event: tcp::Event,
    },
    /// A route to the other end of a flow of this node was found, or is lost.
    Route {
        /// The other end.
        destination: NodeId,
        /// Whether there is one now.
        found: bool,
    },
    /// New payload arrived at a sink of this node.
    Arrived {
        /// Its flow.
        flow: FlowId,
        /// Bytes that can now be read in order.
        readable: u64,
        /// Age of the packet that brought it.
        delay: Dur,
        /// Hops that it took; 0 if that is not known.
        hops: u8,
    },
}

/// One node.
#[derive(Debug)]
pub struct Node {
    pub(super) links: Links,
    pub(super) net: Net,
    pub(super) hosts: Hosts,
    pub(super) relays: Relays,
    pub(super) notifier: Option<Box<Notifier>>,
    pub(super) id: NodeId,
    pub(super) up: bool,
    /// Instant for which the upper timer stands in the driver's queue.
    armed: SimTime,
    pub(super) inbox: Inbox,
    pub(super) outbox: Outbox,
}

impl Node {
    /// A node that is up; `header` is what its routing layer adds to every packet.
    #[must_use]
    pub fn new(id: NodeId, link: Link, routing: AnyRouting, header: Bytes) -> Self {
        Self {
            links: Links::new(id, link, header),
            net: Net::new(routing),
            hosts: Hosts::new(id),
            relays: Relays::default(),
            notifier: None,
            id,
            up: true,
            armed: SimTime::MAX,
            inbox: Inbox::default(),
            outbox: Outbox::new(),
        }
    }

    /// Replaces the routing machine. The new one has to be started ([`Input::Start`]).
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub fn set_routing(&mut self, routing: AnyRouting) {
        assert!(self.net.machine().packets().is_empty(), "routing is replaced before anything is sent");
        self.net = Net::new(routing);
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

    /// Has it measure what it sends, and write that into packets of ATP.
    pub fn set_meter(&mut self, config: &AtpConfig) {
        self.links.measure(&Sojourn::new(config.memory, config.idle_after));
        self.relays.set_meter(config);
    }

    /// Has it tell the ends of flows of broken routes.
    pub fn set_notifier(&mut self, notifier: Notifier) {
        self.notifier = Some(Box::new(notifier));
    }

    /// What leads to its neighbours.
    #[inline(always)]
    #[must_use]
    pub const fn links(&self) -> &Links {
        &self.links
    }

    /// The same, to let an interface hear the medium, or to change it before the run.
    #[inline(always)]
    pub const fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }

    /// The routing machine.
    #[must_use]
    pub const fn routing(&self) -> &AnyRouting {
        self.net.machine()
    }

    /// The routing machine, to fill its tables beforehand.
    pub const fn routing_mut(&mut self) -> &mut AnyRouting {
        self.net.machine_mut()
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

    /// Its number.
    #[inline(always)]
    #[must_use]
    pub const fn id(&self) -> NodeId {
        self.id
    }

    /// Whether the node is up.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// How many packets are in this node's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.custody().count()
    }

    /// The packets in this node's custody.
    pub fn custody(&self) -> impl Iterator<Item = PacketId> {
        let agents = self.relays.packets();
        let waiting = self.notifier.iter().flat_map(|notifier| notifier.packets());
        self.links
            .custody()
            .chain(self.net.machine().packets())
            .chain(self.outbox.packets())
            .chain(agents)
            .chain(waiting)
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
        match input {
            Input::Receive(via, frame, power) => {
                self.links.note_power(power);
                self.feed_mac(cx, via, || mac::Input::Receive(frame), out);
                if self.overhears() {
                    self.overhear(cx, via, frame, power, out);
                    self.empty_inbox(cx, out);
                }
            }
            Input::Timer(via, Timer::Access) => {
                self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Access), out)
            }
            Input::Timer(via, Timer::Sequence) => {
                self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Sequence), out)
            }
            Input::Timer(_, Timer::Upper) => self.on_upper(cx, out),
            Input::App(flow, app) => {
                self.on_app(cx, flow, app, out);
                self.empty_inbox(cx, out);
            }
            Input::Wake(flow, peer) => {
                self.wake_endpoint(cx, flow, peer, out);
                self.empty_inbox(cx, out);
            }
            Input::Start => {
                self.feed_routing(cx, routing::Input::Start, out);
                self.empty_inbox(cx, out);
            }
            Input::Power(up) => self.power(cx, up, out),
            Input::Outage(flow, ahead) => {
                self.inbox.post(Notice::Outage { flow, ahead });
                self.empty_inbox(cx, out);
            }
            Input::Wire(from, packet) => {
                self.tell_wires(cx, wires::Input::Coming(from, packet), out);
                self.empty_inbox(cx, out);
            }
            Input::WireCut(from, cut) => {
                self.tell_wires(cx, wires::Input::Cut(from, cut), out);
            }
        }
    }

    /// Everything above the queue that is due.
    fn on_upper<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.armed = SimTime::MAX;
        self.empty_outbox(cx, out);
        if self.net.fires(cx.now) {
            self.feed_routing(cx, routing::Input::Timer, out);
        }
        self.on_endpoint_timers(cx, out);
        for index in 0..self.relays.len() {
            if self.relays.fires(index, cx.now) {
                self.proxy_input(cx, index, proxy::Input::Timer, out);
            }
        }
        self.arm_upper(out);
        self.empty_inbox(cx, out);
    }

    /// Asks for the upper timer for this instant too: no other deadline has changed.
    #[inline]
    pub(super) fn arm_upper_at<S: Sink<Action>>(&mut self, at: SimTime, out: &mut S) {
        if at < self.armed {
            self.armed = at;
            out.put(Action::Arm(self.id, Timer::Upper, at));
        }
    }

    /// Asks for the upper timer, unless it stands earlier already: then the deadlines are checked when it fires.
    pub(super) fn arm_upper<S: Sink<Action>>(&mut self, out: &mut S) {
        let earliest = self.hosts.deadline().min(self.relays.deadline()).min(self.net.wakes_at());
        self.arm_upper_at(earliest.min(self.outbox.next()), out);
    }

    /// Going down loses all that is in memory below the transport layer.
    fn power<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.up = up;
        for via in self.links.radios().indices() {
            self.feed_mac(cx, via, || mac::Input::Power(up), out);
        }
        if up {
            self.tell_wires(cx, wires::Input::Power(true), out);
            self.feed_routing(cx, routing::Input::Start, out);
        } else {
            for via in self.links.radios().indices() {
                self.feed_queue(cx, via, queue::Input::Flush, out);
            }
            self.tell_wires(cx, wires::Input::Power(false), out);
            let waiting = self.outbox.flush();
            let with_agents = self.relays.flush(cx);
            let with_notifier = self.notifier.as_mut().map(|notifier| notifier.flush());
            lose(cx, waiting.into_iter().chain(with_agents).chain(with_notifier.into_iter().flatten()), out);
            self.flush_resolution(cx, out);
            lose(cx, self.links.turns_mut().map(|turns| turns.flush()).into_iter().flatten(), out);
            self.feed_routing(cx, routing::Input::Stop, out);
        }
        self.inbox.post(Notice::Power { up });
        self.empty_inbox(cx, out);
    }
}

/// Packets are lost with a node that goes down.
fn lose<S: Sink<Action>>(cx: &mut Cx<'_>, packets: impl Iterator<Item = PacketId>, out: &mut S) {
    for id in packets {
        out.put(Action::Dropped(drop_packet(cx, id, DropReason::NodeDown)));
    }
}
