//! Route discovery (RFC 4728 §3.1, §3.3, §8.2): requests, replies, and the packets that wait for them.

use super::cache::{MOST_NODES, visits_twice};
use super::machine::Dsr;
use super::requests::{For, Step};
use super::source_route::{PacketPath, header_of, message};
use super::wire::{Header, NO_NEXT_HEADER, Request, RouteError, Trouble};
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::contract::{Action, Outgoing, Routing};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Protocol};

/// Hop limit of requests that go through the network, of other messages.
const FLOOD: u8 = 255;
/// Time within which an error goes with the next request.
const FRESH: Dur = Dur::from_secs(1);

/// A reply that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The route that it tells, from the initiator to the target.
    pub(super) route: Vec<NodeId>,
    /// Its way, this node first.
    pub(super) back: Vec<NodeId>,
}

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
            Step::GiveUp if whose == For::Own => self.buffer.give_up(cx, target, DropReason::NoRoute, out),
            Step::GiveUp => self.give_up_other(cx, target, out),
        }
    }

    /// Another layer of this node wants a route, and has nothing to send: one request through the network, unless there
    /// is a search for it; or says that there is one.
    pub(super) fn want<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, target: NodeId, out: &mut S) {
        if target == self.me {
            return;
        }
        let known = self.cache.find(cx.now, target, false);
        self.watch(target, known.is_some());
        if let Some(path) = known {
            Self::tell_found(&path, target, out);
        } else if !self.asks_for(target) {
            self.request(cx.now, target, FLOOD, out);
        }
    }

    /// Goes on with the searches for all destinations for which packets wait.
    pub(super) fn search_for_all<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for (target, own) in self.awaited(cx) {
            self.search(cx, target, if own { For::Own } else { For::Others }, out);
        }
    }

    /// When the next search goes on.
    pub(super) fn next_search(&self, cx: &Cx<'_>) -> SimTime {
        let awaited = self.awaited(cx);
        let due = awaited.iter().map(|&(target, own)| self.searches.due(target, own, &self.config));
        due.min().unwrap_or(SimTime::MAX)
    }

    /// Destinations for which packets wait, and whether one of them is of this node.
    fn awaited(&self, cx: &Cx<'_>) -> Vec<(NodeId, bool)> {
        let mut awaited: Vec<(NodeId, bool)> = Vec::new();
        for packet in self.buffer.packets() {
            let its = &cx.packets[packet];
            let own = its.source == self.me;
            match awaited.iter_mut().find(|(target, _)| *target == its.destination) {
                Some((_, any)) => *any |= own,
                None => awaited.push((its.destination, own)),
            }
        }
        awaited
    }

    /// A request for packets of others has been in vain: the first of them is lost.
    fn give_up_other<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, target: NodeId, out: &mut S) {
        if let Some(packet) = self.buffer.take(target) {
            out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NoRoute)));
        }
    }

    fn request<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, target: NodeId, ttl: u8, out: &mut S) {
        self.last_request = self.last_request.wrapping_add(1);
        let fresh = self.last_error.filter(|&(at, _)| now.saturating_since(at) < FRESH);
        let header = Header {
            next: NO_NEXT_HEADER,
            request: Some(Request { id: self.last_request, target, addresses: Vec::new() }),
            errors: fresh.map(|(_, error)| error).into_iter().collect(),
            ..Header::default()
        };
        if ttl > 1 {
            self.last_error = None;
        }
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
        let (body, size) = message(&self.config, self.extra, header);
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
                self.note_error(cx.now, &header.errors);
            }
            self.on_request(cx, packet, header, out);
        } else {
            self.on_unicast(cx, packet, header, out);
        }
        if self.config.poll == Dur::ZERO {
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
            self.note_error(cx.now, &header.errors);
            self.take_reply(cx, &header, out);
            return self.pass_on_errors(cx, packet, header.errors, out);
        };
        if cx.packets[packet].ttl <= 1 {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Expired)));
        }
        cx.packets[packet].ttl -= 1;
        self.learn_from(cx.now, &way.nodes, way.here, out);
        if let Some(reply) = &header.reply
            && self.config.relay_learns_reply
        {
            self.learn_reply(cx.now, cx.packets[packet].destination, reply, out);
        }
        self.counters.rrep_forwarded += u64::from(header.reply.is_some());
        if let Some(counts) = self.counters.of_errors(&header.errors) {
            *counts.forwarded += 1;
        }
        way.here += 1;
        header.route = Some(way.route());
        self.write(cx, packet, &header);
        out.put(Action::Forward { packet, to: next, delay: Dur::ZERO });
    }

    /// Errors have come that are for this node: its next requests tell of the first broken link among them.
    fn note_error(&mut self, now: SimTime, errors: &[RouteError]) {
        let broken = |error: &&RouteError| matches!(error.what, Trouble::Unreachable(_));
        if let Some(error) = errors.iter().find(broken)
            && self.config.gratuitous_errors
        {
            self.last_error = Some((now, *error));
        }
    }

    /// The answer to a search of this node, or news of a shorter way.
    fn take_reply<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, header: &Header, out: &mut S) {
        let Some(reply) = &header.reply else { return };
        let path: Vec<NodeId> = std::iter::once(self.me).chain(reply.iter().copied()).collect();
        if self.cache.learn(cx.now, &path, true) {
            self.tell_routes(cx.now, out);
        }
        if let Some(&target) = path.last() {
            self.searches.found(target);
        }
        self.release(cx, out);
    }

    /// Learns from a reply to another node, if this one is on its route.
    pub(super) fn learn_reply<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        initiator: NodeId,
        reply: &[NodeId],
        out: &mut S,
    ) {
        let path: Vec<NodeId> = std::iter::once(initiator).chain(reply.iter().copied()).collect();
        if let Some(here) = path.iter().position(|&node| node == self.me) {
            self.learn_from(now, &path, here, out);
        }
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
        if self.config.learn == super::Learn::Both {
            self.learn_from(cx.now, &path, path.len() - 1, out);
        }
        if self.answer_from_cache(cx.now, target, &path, out) || ttl <= 1 {
            return cx.packets.end(packet, Fate::Delivered);
        }
        request.addresses.push(self.me);
        self.write(cx, packet, &header);
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
        let Some(rest) = self.cache.find(now, target, false) else { return false };
        let route: Vec<NodeId> = path.iter().chain(rest.iter().skip(1)).copied().collect();
        if route.len() > MOST_NODES || visits_twice(&route) {
            return false;
        }
        self.counters.cached_replies += 1;
        if self.config.reply_hold_off == Dur::ZERO {
            self.answer(now, route, path, Dur::ZERO, out);
        } else {
            let hops = (route.len() - 2) as f64 + self.rng.f64(); // a handful
            let back = path.iter().rev().copied().collect();
            self.answers.push((now + self.config.reply_hold_off.mul_f64(hops), Answer { route, back }));
        }
        true
    }

    /// Sends the replies whose time has come.
    pub(super) fn send_answers<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let due: Vec<_> = self.answers.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, Answer { route, mut back }) in due {
            back.reverse();
            self.answer(now, route, &back, Dur::ZERO, out);
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
        if self.cache.learn(now, &back, true) {
            self.tell_routes(now, out);
        }
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
