//! Address resolution between network layer and link: what goes to a neighbour whose address is not known yet.

use std::sync::Arc;

use super::outbox::Later;
use super::stack::{Action, Node};
use super::wires;
use crate::arp::{self, Arp, ArpConfig, ArpKind};
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::Outgoing;
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{DropReason, PacketId, PacketKind, Protocol};

impl Node {
    /// Has it resolve addresses, or not.
    pub fn set_arp(&mut self, config: &ArpConfig) {
        let asks = config.kind != ArpKind::Off;
        self.arp = asks.then(|| Box::new(Arp::new(config.clone(), self.id)));
        self.update_roles();
    }

    /// Packets that do not simply go to the queue: a wire may lead to the next hop, they wait for their turn, the link keeps
    /// them itself, or addresses have to be resolved.
    #[cold]
    #[inline(never)]
    pub(super) fn enter_stages<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        let wired = !self.wires.is_empty() && self.tell_wires(cx, wires::Input::Packet { packet, to }, out);
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
        match &self.arp {
            Some(arp) if !to.is_broadcast() && !arp.knows(cx.now, to) => {
                self.tell_arp(cx, arp::Input::Packet { packet, to }, out);
            }
            _ if self.radio.link.owns_packets() => self.hand_over(cx, packet, to, out),
            _ => self.put_in_queue(cx, packet, to, out),
        }
    }

    /// Whether a packet that was kept for another neighbour can go to this one at once.
    pub(super) fn knows_address(&self, cx: &Cx<'_>, to: NodeId) -> bool {
        self.arp.as_ref().is_none_or(|arp| to.is_broadcast() || arp.knows(cx.now, to))
    }

    /// An ARP packet has come.
    #[cold]
    pub(super) fn hear_arp<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut S) {
        if self.arp.is_some() {
            self.tell_arp(cx, arp::Input::Message(packet), out);
        } else {
            self.unclaimed(cx, packet, out);
        }
    }

    /// The node goes down: what waits for an address is lost.
    pub(super) fn flush_arp<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.tell_arp(cx, arp::Input::Flush, out);
    }

    /// An ARP packet that no longer has a next hop is lost; routing knows nothing of it. Returns whether it was one.
    pub(super) fn lose_arp<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> bool {
        let its_own = cx.packets.kind(packet) == PacketKind::Arp;
        if its_own {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::LinkBroken)));
        }
        its_own
    }

    fn tell_arp<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: arp::Input, out: &mut S) {
        let Some(arp) = &mut self.arp else { return };
        let (delay, mut actions) = (arp.config().delay, Vec::new());
        arp.handle(cx, input, &mut actions);
        for action in actions {
            match action {
                arp::Action::Forward { packet, to } => {
                    self.outbox.push(cx.now + delay, Later::Packet { packet, to });
                }
                arp::Action::Send { body, to } => {
                    self.outbox.push(cx.now + delay, Later::Message(self.arp_packet(body, to)));
                }
                arp::Action::GiveUp { packet, to } => {
                    self.given_back(cx, packet, to, DropReason::AddressUnresolved, out);
                }
                arp::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
            }
        }
        self.arm_upper(out);
    }

    /// An ARP packet as the outbox has it. What routing adds to every packet is not added to it.
    fn arp_packet(&self, body: Arc<[u8]>, to: NodeId) -> Outgoing {
        let size = Bytes(arp::wire::SIZE.0.saturating_sub(self.header.0));
        Outgoing { protocol: Protocol::Arp, body, size, destination: to, to, ttl: 1, delay: Dur::ZERO }
    }
}
