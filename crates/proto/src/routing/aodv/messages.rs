//! What comes and goes: messages to and from their bytes, waits for what others should say.

use super::deadlines::Deadlines;
use super::machine::Aodv;
use super::wire::{self, Message};
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Payload, Protocol};

/// What is waited for, and which node is not to be trusted.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// Neighbours that owe an acknowledgment, and until when.
    pub(super) acks: Deadlines,
    /// When ns-2 looks whether a relay has mended its route.
    pub(super) repairs: Deadlines,
    /// Neighbours whose requests are ignored, and until when.
    blacklist: Deadlines,
}

impl Pending {
    pub(super) fn next(&self) -> SimTime {
        self.acks.next().min(self.repairs.next())
    }

    /// Whether requests of this neighbour are ignored.
    #[inline]
    pub(super) fn ignores(&self, now: SimTime, from: NodeId) -> bool {
        self.blacklist.lasts(from, now)
    }

    /// Ignores requests of this neighbour until then.
    pub(super) fn distrust(&mut self, now: SimTime, neighbour: NodeId, until: SimTime) {
        self.blacklist.remove(neighbour);
        while self.blacklist.take_due(now).is_some() {}
        self.blacklist.add(neighbour, until);
    }
}

impl Aodv {
    /// A message has come from a neighbour. Returns whether it may have changed anything.
    pub(super) fn on_message<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        from: NodeId,
        out: &mut S,
    ) -> bool {
        let ours = matches!(cx.packets[packet].payload, Payload::Message { protocol: Protocol::Aodv, .. });
        let Some(message) = ours.then(|| cx.packets.message(packet).map(|body| wire::parse(body))).flatten()
        else {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Unclaimed)));
            return true;
        };
        let Ok(message) = message else {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed)));
            return true;
        };
        let (ttl, to_all) = (cx.packets[packet].ttl, cx.packets[packet].destination.is_broadcast());
        let listens = self.listens();
        if listens {
            self.hear(cx, from, out);
        }
        match message {
            Message::Request(request) => {
                if self.is_known(cx.now, from, request.key()) {
                    cx.packets.end(packet, Fate::Delivered);
                    return listens;
                }
                self.seen.note(cx.now, request.key());
                self.on_request(cx, from, ttl, request, out);
            }
            Message::Reply(reply) if to_all => self.on_hello(cx, from, reply, out),
            Message::Reply(reply) => {
                if !self.on_reply(cx, from, ttl, reply, out) {
                    out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NoRoute)));
                    return true;
                }
            }
            Message::Error { keep, unreachable } => self.on_error(cx, from, keep, &unreachable, out),
            Message::Acknowledgment => self.pending.acks.remove(from),
        }
        cx.packets.end(packet, Fate::Delivered);
        true
    }

    /// Whether any message tells it something about the neighbour that has sent it.
    pub(super) fn listens(&self) -> bool {
        self.config.neighbour_routes || self.config.link_detection.hellos()
    }

    /// The node that sends is a neighbour.
    fn hear<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, from: NodeId, out: &mut S) {
        self.neighbours.heard(cx.now, from, &self.config);
        if self.config.neighbour_routes && self.table.hear(cx.now, from, cx.now + self.config.active_timeout)
        {
            self.revived(cx, from, 1, Dur::ZERO, out);
        }
    }
}
