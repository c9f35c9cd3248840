//! Address resolution between network layer and link: what goes to a neighbour whose address is not known yet.

use std::sync::Arc;

use super::interfaces::{Hop, IfIndex};
use super::layer::NetLayer;
use super::outbox::Later;
use super::wires;
use crate::arp;
use crate::contract::{Cx, Sink};
use crate::node::contract::Action;
use crate::routing::Outgoing;
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{DropReason, PacketId, Protocol};

impl NetLayer {
    /// Packets that do not simply go to the queue: a wire may lead to the next hop, they wait for their turn, the link
    /// keeps them itself, or addresses have to be resolved.
    #[cold]
    #[inline(never)]
    pub(super) fn enter_stages<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        let wired =
            !self.links.wires().is_empty() && self.tell_wires(cx, wires::Input::Packet { packet, to }, out);
        if !wired && !self.takes_turn(cx, packet, to, out) {
            self.leave_stages(cx, packet, to, out);
        }
    }

    /// Packets whose turn it is.
    pub(super) fn leave_stages<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        if to.is_broadcast() && !self.links.radios().is_single() {
            for via in self.links.radios().indices().skip(1) {
                let copy = cx.packets.copy(packet);
                self.take_hop(cx, copy, Hop { via, to }, out);
            }
        }
        self.take_hop(cx, packet, self.links.radios().hop(to), out);
    }

    /// A packet goes to an interface: to its link at once, or when the address of the next hop is known.
    fn take_hop<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, hop: Hop, out: &mut S) {
        let Hop { via, to } = hop;
        let interface = self.links.interface(via);
        if !interface.knows_address(cx.now, to) {
            self.tell_arp(cx, via, arp::Input::Packet { packet, to }, out);
        } else if interface.link().owns_packets() {
            self.hand_over(cx, packet, hop, out);
        } else {
            self.put_in_queue(cx, packet, hop, out);
        }
    }

    /// An ARP packet has come.
    #[cold]
    pub(super) fn hear_resolution<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        packet: PacketId,
        out: &mut S,
    ) {
        if self.links.interface(via).arp().is_some() {
            self.tell_arp(cx, via, arp::Input::Message(packet), out);
        } else {
            out.put(Action::lost(cx, packet, DropReason::Unclaimed));
        }
    }

    /// The node goes down: what waits for an address is lost.
    pub(super) fn flush_resolution<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for via in self.links.radios().indices() {
            self.tell_arp(cx, via, arp::Input::Flush, out);
        }
    }

    /// An ARP packet that no longer has a next hop is lost; routing knows nothing of it. Returns whether it was one.
    pub(super) fn lose_resolution<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> bool {
        let is_below = cx.packets.kind(packet).is_below_routing();
        if is_below {
            out.put(Action::lost(cx, packet, DropReason::LinkBroken));
        }
        is_below
    }

    fn tell_arp<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, input: arp::Input, out: &mut S) {
        let Some(arp) = self.links.interface_mut(via).arp_mut() else { return };
        let (delay, mut actions) = (arp.config().delay, Vec::new());
        arp.handle(cx, input, &mut actions);
        for action in actions {
            match action {
                arp::Action::Forward { packet, to } => {
                    let to = self.links.radios().node_of(to);
                    self.outbox.push(cx.now + delay, Later::Packet { packet, to });
                }
                arp::Action::Send { body, to } => {
                    self.outbox.push(cx.now + delay, Later::Resolution(via, self.arp_packet(body, to)));
                }
                arp::Action::GiveUp { packet, to } => {
                    let to = self.links.radios().node_of(to);
                    self.given_back(cx, packet, to, DropReason::AddressUnresolved, out);
                }
                arp::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
            }
        }
        self.arm(out);
    }

    /// Makes an ARP packet, which leaves by its interface.
    pub(super) fn send_resolution<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        message: Outgoing,
        out: &mut S,
    ) {
        let to = message.to;
        let packet = self.make_message(cx, message);
        self.take_hop(cx, packet, Hop { via, to }, out);
    }

    /// An ARP packet as the outbox has it. What routing adds to every packet is not added to it.
    fn arp_packet(&self, body: Arc<[u8]>, to: NodeId) -> Outgoing {
        let size = Bytes(arp::wire::SIZE.0.saturating_sub(self.links.header().0));
        Outgoing { protocol: Protocol::Arp, body, size, destination: to, to, ttl: 1, delay: Dur::ZERO }
    }
}
