//! The network layer of a node: how a packet climbs to its endpoint or goes on, and what routing asks for.

use std::sync::Arc;

use super::stack::{Action, Node};
use crate::port::{Cx, Notice, Sink, drop_packet};
use crate::routing;
use crate::units::{FlowId, NodeId};
use crate::wire::{DropReason, Fate, PacketId, Payload, RouteAdvert};

/// Bytes of a routing message: IPv4 header, and twelve for each line (as ns-2's DSDV counts them).
const ROUTING_HEADERS: u32 = 20;
const ROUTING_LINE: u32 = 12;

impl Node {
    /// A packet from below.
    pub(super) fn climb<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        from: NodeId,
        out: &mut S,
    ) {
        let packet = &mut cx.packets[id];
        if let Payload::Routing(_) = packet.payload {
            let Some(adverts) = cx.packets.adverts(id) else { return self.unclaimed(cx, id, out) };
            cx.packets.end(id, Fate::Delivered);
            self.feed_routing(cx, routing::Input::Adverts { from, adverts }, out);
            self.serve(cx, out); // kept frames may have a route again
        } else if packet.destination == self.id {
            self.arrive(cx, id, out);
        } else if packet.ttl <= 1 {
            out.put(Action::Dropped(drop_packet(cx, id, DropReason::Expired)));
        } else {
            packet.ttl -= 1;
            if self.proxies.is_empty() || self.pass_proxies(cx, id, out) {
                self.route(cx, id, out);
            }
        }
    }

    /// Finds the next hop and queues the packet.
    pub(super) fn route<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        if !self.up {
            return out.put(Action::Dropped(drop_packet(cx, id, DropReason::NodeDown)));
        }
        match self.routing.next_hop(&cx.packets[id]) {
            Some(to) => self.enqueue(cx, id, to, out),
            None => self.feed_routing(cx, routing::Input::NoRoute { packet: id }, out),
        }
    }

    /// Lets routing act, and does what it asks for.
    pub(super) fn feed_routing<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: routing::Input,
        out: &mut S,
    ) {
        let mut actions = Vec::new();
        self.routing.handle(cx, input, &mut actions);
        let mut found = false;
        for action in actions {
            match action {
                routing::Action::Broadcast(lines) => self.broadcast(cx, lines, out),
                routing::Action::Arm(at) => self.routing_at = at,
                routing::Action::Forward { packet, to } => self.enqueue(cx, packet, to, out),
                routing::Action::Dropped(dropped) => out.put(Action::Dropped(dropped)),
                routing::Action::Notice(notice) => {
                    found |= matches!(notice, Notice::RouteFound { .. });
                    self.inbox.post(notice);
                }
            }
        }
        if found {
            self.serve(cx, out); // kept frames may have waited for it
        }
        self.arm_upper(out);
    }

    fn broadcast<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, lines: Arc<[RouteAdvert]>, out: &mut S) {
        let size = ROUTING_HEADERS + ROUTING_LINE * u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let payload = cx.packets.body(lines);
        let id = self.make(cx, FlowId::NONE, NodeId::BROADCAST, size, payload);
        self.enqueue(cx, id, NodeId::BROADCAST, out);
    }

    pub(super) fn unclaimed<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut S) {
        out.put(Action::Dropped(drop_packet(cx, id, DropReason::Unclaimed)));
    }
}
