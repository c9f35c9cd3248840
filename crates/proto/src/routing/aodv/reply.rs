//! Replies: which are believed, and on which way they go back. RFC 3561 §6.6.3, §6.7, §6.8.

use super::losses::notice;
use super::machine::Aodv;
use super::table::News;
use super::wire::{Message, Reply};
use crate::contract::{Cx, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};

impl Aodv {
    /// A node has told of a route. Returns whether the reply has found its way: none is a loss.
    pub(super) fn on_reply<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        ttl: u8,
        reply: Reply,
        out: &mut S,
    ) -> bool {
        let now = cx.now;
        if reply.acknowledge {
            self.counters.rrep_acks += 1;
            self.outlet.send(now, &Message::Acknowledgment, from, (1, Dur::ZERO), out);
        }
        if reply.destination == self.me {
            return true; // its own route is no news
        }
        let hops = reply.hops.saturating_add(1);
        let expires = now + Dur::from_ms(u64::from(reply.lifetime_ms));
        let news = News { next_hop: from, hops, sequence: reply.destination_sequence, expires };
        let revives = self.config.accept_equal_if_broken;
        let (taken, revived) = self.table.learn(now, reply.destination, news, revives);
        if !taken {
            return true; // a worse one than is known goes no further
        }
        if reply.originator == self.me {
            self.searches.of(reply.destination).measure(now, hops);
        }
        if revived {
            notice(out, reply.destination, Some(hops));
            self.repaired(now, reply.destination, hops, out);
        }
        self.found(cx, reply.destination, hops, self.config.buffer_spacing, out);
        if reply.originator == self.me || self.reboot.is_quiet(now) {
            return true;
        }
        if ttl <= 1 {
            return true;
        }
        self.pass_on(now, from, ttl - 1, Reply { hops, ..reply }, out)
    }

    /// Sends a reply on towards the node that asked. Returns whether there is a way.
    fn pass_on<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        from: NodeId,
        ttl: u8,
        reply: Reply,
        out: &mut S,
    ) -> bool {
        let until = now + self.config.active_timeout;
        let Some(to) = self.table.use_route(now, reply.originator, until) else { return false };
        self.table.entry(now, reply.destination).add_precursor(to);
        if self.config.neighbour_routes {
            // RFC 3561 §6.7; and packets the other way come from the neighbour that replied.
            self.table.entry(now, from).add_precursor(to);
            self.table.entry(now, reply.originator).add_precursor(from);
        }
        self.counters.rrep_forwarded += 1;
        self.send_reply(now, reply, to, ttl, out);
        true
    }

    /// Sends a reply, and waits for the acknowledgment that it asks for.
    pub(super) fn send_reply<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        reply: Reply,
        to: NodeId,
        ttl: u8,
        out: &mut S,
    ) {
        let acknowledge = self.config.rrep_ack;
        if acknowledge && !self.pending.acks.has(to) {
            self.pending.acks.add(to, now + self.config.next_hop_wait());
        }
        self.outlet.send(now, &Message::Reply(Reply { acknowledge, ..reply }), to, (ttl, Dur::ZERO), out);
    }

    /// Neighbours that owed an acknowledgment do not hear this node: their requests are of no use.
    pub(super) fn end_waits(&mut self, now: SimTime) {
        while let Some(neighbour) = self.pending.acks.take_due(now) {
            self.distrust(now, neighbour);
        }
    }

    /// Puts a neighbour on the blacklist.
    pub(super) fn distrust(&mut self, now: SimTime, neighbour: NodeId) {
        self.counters.blacklisted += 1;
        self.pending.distrust(now, neighbour, now + self.config.blacklist_timeout());
    }
}
