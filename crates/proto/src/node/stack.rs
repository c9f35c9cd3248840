//! The node itself: what it is told and asks for, its layers, and which of them hears what.

use super::agents::Agents;
use super::host::Endpoint;
use super::hosts::Hosts;
use super::inbox::Inbox;
use super::interface::Interface;
use super::interfaces::{IfIndex, Interfaces};
use super::net::Net;
use super::outbox::Outbox;
use super::roles::Roles;
use super::wires::{self, Wires};
use crate::atp::Meter;
use crate::contract::{Cause, Cx, Dropped, NodeState, Notice, Sink, drop_packet};
use crate::endpoint::App;
use crate::hop_rate::HopRate;
use crate::link::Link;
use crate::link::wire::Wire;
use crate::mac;
use crate::proxy;
use crate::queue;
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
    pub(super) interfaces: Interfaces,
    pub(super) wires: Wires,
    pub(super) net: Net,
    pub(super) hosts: Hosts,
    pub(super) agents: Agents,
    pub(super) notifier: Option<Box<Notifier>>,
    pub(super) hop_rate: Option<Box<HopRate>>,
    pub(super) meter: Option<Box<Meter>>,
    pub(super) roles: Roles,
    pub(super) id: NodeId,
    pub(super) header: Bytes,
    pub(super) up: bool,
    pub(super) node_state: NodeState,
    /// Instant for which the upper timer stands in the driver's queue.
    armed: SimTime,
    pub(super) inbox: Inbox,
    pub(super) outbox: Outbox,
}

impl Node {
    /// A node that is up; `header` is what its routing layer adds to every packet.
    #[must_use]
    pub fn new(id: NodeId, mut link: Link, routing: AnyRouting, header: Bytes) -> Self {
        link.set_header(header);
        let mut node = Self {
            interfaces: Interfaces::new(Interface::new(id, link)),
            wires: Wires::default(),
            net: Net::new(routing),
            hosts: Hosts::new(id),
            agents: Agents::default(),
            notifier: None,
            meter: None,
            hop_rate: None,
            roles: Roles::default(),
            id,
            header,
            up: true,
            node_state: NodeState::default(),
            armed: SimTime::MAX,
            inbox: Inbox::default(),
            outbox: Outbox::new(),
        };
        node.update_roles();
        node
    }

    /// Replaces the routing machine. The new one has to be started ([`Input::Start`]).
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub fn set_routing(&mut self, routing: AnyRouting) {
        assert!(self.net.machine().packets().is_empty(), "routing is replaced before anything is sent");
        self.net = Net::new(routing);
        self.update_roles();
    }

    /// Adds one end of a flow.
    pub fn add_endpoint(&mut self, endpoint: Endpoint) {
        self.hosts.add(endpoint);
    }

    /// Adds a proxy for a flow that passes here.
    pub fn add_proxy(&mut self, flow: FlowId, agent: Box<dyn proxy::Agent>) {
        self.agents.add(flow, agent);
        self.update_roles();
    }

    /// Whether an agent of this flow stands here.
    #[must_use]
    pub fn serves(&self, flow: FlowId) -> bool {
        self.agents.all().iter().any(|agent| agent.flow == flow)
    }

    /// What agents of a flow hold here, and TCP would have given up ([`proxy::Agent::is_stranded`]).
    pub fn stranded(&self, flow: FlowId, now: SimTime) -> impl Iterator<Item = PacketId> {
        self.agents.stranded(flow, now)
    }

    /// Has it tell the ends of flows of broken routes.
    pub fn set_notifier(&mut self, notifier: Notifier) {
        self.notifier = Some(Box::new(notifier));
        self.update_roles();
    }

    /// Replaces the link of its first interface.
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub fn set_link(&mut self, mut link: Link) {
        assert_eq!(self.link().held(), 0, "the link is replaced before anything is sent");
        link.set_header(self.header);
        self.interfaces.at_mut(IfIndex::FIRST).set_link(link);
        self.update_roles();
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

    /// The transport endpoints.
    #[must_use]
    pub fn endpoints(&self) -> &[Endpoint] {
        self.hosts.all()
    }

    /// The transport endpoints, to give them a shim or a gate.
    pub fn endpoints_mut(&mut self) -> &mut [Endpoint] {
        self.hosts.all_mut()
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

    /// Whether packets wait in the interface queue although the MAC would take one: those that are held back apart,
    /// this never lasts.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.up && self.interfaces.iter().any(Interface::is_blocked)
    }

    /// How many packets are in this node's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.custody().count()
    }

    /// The packets in this node's custody.
    pub fn custody(&self) -> impl Iterator<Item = PacketId> {
        let agents = self.agents.all().iter().flat_map(|proxy| proxy.agent.packets());
        let waiting = self.notifier.iter().flat_map(|notifier| notifier.packets());
        let in_turn = self.hop_rate.iter().flat_map(|rates| rates.packets());
        let wired = self.wires.iter().flat_map(Wire::packets);
        self.interfaces
            .custody()
            .chain(wired)
            .chain(self.net.machine().packets())
            .chain(self.outbox.packets())
            .chain(agents)
            .chain(waiting)
            .chain(in_turn)
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut S) {
        match input {
            Input::Receive(via, frame, power) => {
                self.node_state.received_power = power;
                self.feed_mac(cx, via, || mac::Input::Receive(frame), out);
                if self.roles.overhears {
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
        for index in 0..self.agents.len() {
            if self.agents.fires(index, cx.now) {
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
        let earliest = self.hosts.deadline().min(self.agents.deadline()).min(self.net.wakes_at());
        self.arm_upper_at(earliest.min(self.outbox.next()), out);
    }

    /// Going down loses all that is in memory below the transport layer.
    fn power<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.up = up;
        for via in self.interfaces.indices() {
            self.feed_mac(cx, via, || mac::Input::Power(up), out);
        }
        if up {
            self.tell_wires(cx, wires::Input::Power(true), out);
            self.feed_routing(cx, routing::Input::Start, out);
        } else {
            for via in self.interfaces.indices() {
                self.feed_queue(cx, via, queue::Input::Flush, out);
            }
            self.tell_wires(cx, wires::Input::Power(false), out);
            let waiting = self.outbox.flush();
            let with_agents = self.agents.flush(cx);
            let with_notifier = self.notifier.as_mut().map(|notifier| notifier.flush());
            lose(cx, waiting.into_iter().chain(with_agents).chain(with_notifier.into_iter().flatten()), out);
            self.flush_resolution(cx, out);
            lose(cx, self.hop_rate.as_mut().map(|rates| rates.flush()).into_iter().flatten(), out);
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
