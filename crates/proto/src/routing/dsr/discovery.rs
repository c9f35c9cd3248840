//! Route discovery (RFC 4728 §3.1, §3.3, §8.2): requests, replies, and the packets that wait for them.

use super::cache::{MOST_NODES, visits_twice};
use super::config::Learn;
use super::delayed::Answer;
use super::known::found;
use super::machine::Dsr;
use super::requests::{For, Step};
use super::source_route::{PacketPath, header_of};
use super::wire::{Header, NO_NEXT_HEADER, RouteError};
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::contract::{Action, Outgoing, Routing};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Protocol};

/// Hop limit of requests that go through the network, of other messages.
const FLOOD: u8 = 255;
impl Dsr {
    /// Searches for a destination, as far as it is time.
    pub(super) fn search<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        target: NodeId,
        whose: For,
        out: &mut S,
    ) {
        match self.searches.step(cx.now, target, whose, &self.config) {
            Step::Wait => {}
            Step::Ring => self.request(cx.now, target, 1, out),
            Step::Flood => self.request(cx.now, target, FLOOD, out),
            Step::GiveUp if whose == For::Own => self.waiting.give_up(cx, target, out),
            Step::GiveUp => self.give_up_other(cx, target, out),
        }
    }

    /// Another layer of this node wants a route, and has nothing to send: one request through the network, unless there
    /// is a search for it; or says that there is one.
    pub(super) fn want<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, target: NodeId, out: &mut S) {
        if target == self.me {
            return;
        }
        let known = self.known.find(cx.now, target, false);
        self.known.watch(target, known.is_some());
        if let Some(path) = known {
            out.put(found(&path, target));
        } else if !self.asks_for(target) {
            self.request(cx.now, target, FLOOD, out);
        }
    }

    /// Goes on with the searches for all destinations for which packets wait.
    pub(super) fn search_for_all<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for (target, own) in self.waiting.destinations(cx, self.me) {
            self.search(cx, target, if own { For::Own } else { For::Others }, out);
        }
    }

    /// When the next search goes on.
    pub(super) fn next_search(&self, cx: &Cx<'_>) -> SimTime {
        let awaited = self.waiting.destinations(cx, self.me);
        let due = awaited.iter().map(|&(target, own)| self.searches.due(target, own, &self.config));
        due.min().unwrap_or(SimTime::MAX)
    }

    /// A request for packets of others has been in vain: the first of them is lost.
    fn give_up_other<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, target: NodeId, out: &mut S) {
        if let Some(packet) = self.waiting.take(target) {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NoRoute)));
        }
    }

    fn request<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, target: NodeId, ttl: u8, out: &mut S) {
        let header = self.requests.next(now, target, ttl > 1);
        self.counters.rreq_originated += 1;
        self.counters.rreq_with_rerr += u64::from(!header.errors.is_empty());
        let delay = self.jitter(self.config.broadcast_jitter);
        self.send(&header, NodeId::BROADCAST, NodeId::BROADCAST, ttl, delay, out);
    }

    /// Sends a message of this node.
    pub(super) fn send<S: Sink<Action> + ?Sized>(
        &self,
        header: &Header,
        destination: NodeId,
        to: NodeId,
        ttl: u8,
        delay: Dur,
        out: &mut S,
    ) {
        let (body, size) = self.form.message(header);
        out.put(Action::Send(Outgoing { protocol: Protocol::Dsr, body, size, destination, to, ttl, delay }));
    }

    /// A message has come.
    pub(super) fn on_message<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) {
        let header = match header_of(cx, packet) {
            Some(Ok(header)) => header,
            _ => return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed))),
        };
        for error in &header.errors {
            self.apply(cx.now, error, out);
        }
        if header.request.is_some() {
            if self.config.first_node_is_zero && self.me == NodeId(0) {
                self.note_errors(cx.now, &header.errors);
            }
            self.on_request(cx, packet, header, out);
        } else {
            self.on_unicast(cx, packet, header, out);
        }
        if !self.waiting.is_polled() {
            self.release(cx, out);
        }
    }

    /// A reply or an error, for this node or on its way.
    fn on_unicast<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        mut header: Header,
        out: &mut S,
    ) {
        let way = header.route.as_ref().map(|route| PacketPath::of(&cx.packets[packet], route));
        let Some(mut way) = way.filter(|way| way.nodes.get(way.here) == Some(&self.me)) else {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed)));
        };
        let Some(&next) = way.nodes.get(way.here + 1) else {
            self.note_errors(cx.now, &header.errors);
            self.take_reply(cx, &header, out);
            return self.pass_on_errors(cx, packet, header.errors, out);
        };
        if cx.packets[packet].ttl <= 1 {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Expired)));
        }
        cx.packets[packet].ttl -= 1;
        self.known.learn_along(cx.now, &way.nodes, way.here, out);
        if let Some(reply) = &header.reply
            && self.config.relay_learns_reply
        {
            self.known.learn_reply(cx.now, cx.packets[packet].destination, reply, out);
        }
        self.counters.rrep_forwarded += u64::from(header.reply.is_some());
        if let Some(counts) = self.counters.of_errors(&header.errors) {
            *counts.forwarded += 1;
        }
        way.here += 1;
        header.route = Some(way.route());
        self.form.write(cx, packet, &header);
        out.put(Action::Forward { packet, to: next, delay: Dur::ZERO });
    }

    /// Errors have come that are for this node.
    fn note_errors(&mut self, now: SimTime, errors: &[RouteError]) {
        if self.config.gratuitous_errors {
            self.requests.note_errors(now, errors);
        }
    }

    /// The answer to a search of this node, or news of a shorter way.
    fn take_reply<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, header: &Header, out: &mut S) {
        let Some(reply) = &header.reply else { return };
        let path: Vec<NodeId> = std::iter::once(self.me).chain(reply.iter().copied()).collect();
        self.known.learn(cx.now, &path, true, out);
        if let Some(&target) = path.last() {
            self.searches.found(target);
        }
        self.release(cx, out);
    }

    fn on_request<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        mut header: Header,
        out: &mut S,
    ) {
        let Some(request) = &mut header.request else { return };
        let (initiator, ttl) = (cx.packets[packet].source, cx.packets[packet].ttl);
        let (id, target) = (request.id, request.target);
        let mut path: Vec<NodeId> =
            std::iter::once(initiator).chain(request.addresses.iter().copied()).collect();
        let known = self.seen.has(initiator, id) && target != self.me; // a target answers every copy
        if known || path.contains(&self.me) || path.len() >= MOST_NODES || visits_twice(&path) {
            return cx.packets.end(packet, Fate::Delivered);
        }
        path.push(self.me);
        if target == self.me {
            cx.packets.end(packet, Fate::Delivered);
            let delay = self.jitter(self.config.reply_jitter);
            return self.answer(cx.now, path.clone(), &path, delay, out);
        }
        self.seen.note(initiator, id);
        if self.config.learn == Learn::Both {
            self.known.learn_along(cx.now, &path, path.len() - 1, out);
        }
        if self.answer_from_cache(cx.now, target, &path, out) || ttl <= 1 {
            return cx.packets.end(packet, Fate::Delivered);
        }
        request.addresses.push(self.me);
        self.form.write(cx, packet, &header);
        cx.packets[packet].ttl = ttl - 1;
        self.counters.rreq_forwarded += 1;
        self.counters.rreq_with_rerr += u64::from(!header.errors.is_empty());
        let delay = self.jitter(self.config.broadcast_jitter);
        out.put(Action::Forward { packet, to: NodeId::BROADCAST, delay });
    }

    /// Answers a request that came along `path` from the cache, if that makes a route without loops.
    fn answer_from_cache<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        target: NodeId,
        path: &[NodeId],
        out: &mut S,
    ) -> bool {
        if !self.config.reply_from_cache {
            return false;
        }
        let Some(rest) = self.known.find(now, target, false) else { return false };
        let route: Vec<NodeId> = path.iter().chain(rest.iter().skip(1)).copied().collect();
        if route.len() > MOST_NODES || visits_twice(&route) {
            return false;
        }
        self.counters.cached_replies += 1;
        if self.config.reply_hold_off == Dur::ZERO {
            self.answer(now, route, path, Dur::ZERO, out);
        } else {
            let hops = (route.len() - 2) as f64 + self.rng.f64(); // a handful
            let at = now + self.config.reply_hold_off.mul_f64(hops);
            self.answers.put(at, Answer { route, path: path.to_vec() });
        }
        true
    }

    /// Sends the replies whose time has come.
    pub(super) fn send_answers<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        for Answer { route, path } in self.answers.take_due(now) {
            self.answer(now, route, &path, Dur::ZERO, out);
        }
    }

    /// Replies with `route` to the first node of `path`, which leads here; the way back is in use from now on.
    fn answer<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        route: Vec<NodeId>,
        path: &[NodeId],
        delay: Dur,
        out: &mut S,
    ) {
        let back: Vec<NodeId> = path.iter().rev().copied().collect();
        self.known.learn(now, &back, true, out);
        self.reply(route, back, delay, out);
    }

    /// Sends a reply with `route` along `back`.
    pub(super) fn reply<S: Sink<Action> + ?Sized>(
        &mut self,
        route: Vec<NodeId>,
        back: Vec<NodeId>,
        delay: Dur,
        out: &mut S,
    ) {
        let (Some(&destination), Some(&to)) = (back.last(), back.get(1)) else { return };
        let header = Header {
            next: NO_NEXT_HEADER,
            reply: Some(route[1..].to_vec()),
            route: Some(PacketPath::begin(back, 0).route()),
            ..Header::default()
        };
        self.counters.rrep_originated += 1;
        self.send(&header, destination, to, FLOOD, delay, out);
    }

    fn jitter(&mut self, within: Dur) -> Dur {
        if within == Dur::ZERO { Dur::ZERO } else { self.rng.range_dur(Dur::ZERO, within) }
    }
}
