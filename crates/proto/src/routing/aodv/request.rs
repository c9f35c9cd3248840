//! Requests: which node asks, which node answers, which node passes them on. RFC 3561 §6.3 to §6.6.

use super::config::LocalRepair;
use super::losses::notice;
use super::machine::Aodv;
use super::search::Search;
use super::table::{News, State, newer};
use super::wire::{Message, Reply, Request, RequestKey};
use crate::contract::{Cx, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::DropReason;

impl Aodv {
    /// Another layer of this node wants a route, and has nothing to send: asks for it, or says that there is one.
    pub(super) fn want<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, destination: NodeId, out: &mut S) {
        if destination == self.me {
            return;
        }
        match self.table.valid(cx.now, destination).map(|route| route.hops) {
            Some(hops) => notice(out, destination, Some(hops)),
            None => self.demand(cx, destination, out),
        }
    }

    /// A route is wanted: asks for it, unless a reply is still waited for, or nothing was found.
    pub(super) fn demand<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, destination: NodeId, out: &mut S) {
        let now = cx.now;
        let search = self.searches.of(destination);
        if now < search.until || (search.repair && search.running) {
            search.running = true; // also in the pause after a failure: at its end it goes on
            return;
        }
        if search.exhausted(&self.config) {
            return self.give_up(cx, destination, out);
        }
        let may = self.searches.next_request(now).max(self.reboot.until());
        let search = self.searches.of(destination);
        if may > now {
            (search.running, search.until) = (true, may);
            return;
        }
        let last_hops = self.table.entry(now, destination).last_hops;
        let ttl = search.ask(now, last_hops, &self.config);
        self.ask(now, destination, ttl, out);
    }

    /// Sends a request.
    pub(super) fn ask<S: Sink<Action>>(&mut self, now: SimTime, destination: NodeId, ttl: u8, out: &mut S) {
        self.counters.rreq_originated += 1;
        let originator_sequence = self.number.for_request();
        let request = Request {
            gratuitous: self.config.gratuitous,
            destination_only: self.config.destination_only,
            hops: 0,
            id: self.searches.number(now),
            destination,
            destination_sequence: self.table.entry(now, destination).sequence,
            originator: self.me,
            originator_sequence,
        };
        self.outlet.send(now, &Message::Request(request), NodeId::BROADCAST, (ttl, Dur::ZERO), out);
    }

    /// Waits for replies that have ended: the next ring, the next try, or nothing more.
    pub(super) fn search_on<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        if self.config.purge > Dur::ZERO {
            if self.searches.ticks(now) {
                self.look_at_buffer(cx, out);
            }
            return;
        }
        for Search { destination, repair, .. } in self.searches.ended(now) {
            if repair {
                self.repair_failed(cx, destination, out);
                self.give_up(cx, destination, out);
            } else if self.buffer.waits_for(destination) {
                self.demand(cx, destination, out);
            } else {
                self.searches.of(destination).running = false; // no node waits any more
            }
        }
    }

    /// ns-2's tick: each destination for which packets wait is asked for, if it is time.
    fn look_at_buffer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let mut wanted: Vec<NodeId> = Vec::new();
        for packet in self.buffer.packets() {
            let destination = cx.packets[packet].destination;
            if !wanted.contains(&destination) {
                wanted.push(destination);
            }
        }
        for destination in wanted {
            match self.table.valid(cx.now, destination).map(|route| route.next_hop) {
                Some(_) => self.release(cx, destination, self.config.buffer_spacing, out),
                None => self.demand(cx, destination, out),
            }
        }
    }

    /// A search has found nothing: what waits for it is lost.
    fn give_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, destination: NodeId, out: &mut S) {
        self.counters.searches_failed += 1;
        self.searches.of(destination).fail(cx.now, &self.config);
        self.buffer.give_up(cx, destination, DropReason::NoRoute, out);
    }

    /// There is a route where there was none: packets that wait go, `spacing` apart.
    pub(super) fn revived<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        hops: u8,
        spacing: Dur,
        out: &mut S,
    ) {
        notice(out, destination, Some(hops));
        self.repaired(cx.now, destination, hops, out);
        self.found(cx, destination, hops, spacing, out);
    }

    /// A search has been answered, or need not go on.
    pub(super) fn found<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        hops: u8,
        spacing: Dur,
        out: &mut S,
    ) {
        if let Some(search) = self.searches.get_mut(destination) {
            search.found(hops, &self.config);
        }
        self.release(cx, destination, spacing, out);
    }

    /// Sends what waits for a destination that has a route.
    fn release<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, destination: NodeId, spacing: Dur, out: &mut S) {
        let mut delay = Dur::ZERO;
        let until = cx.now + self.config.active_timeout;
        while self.buffer.waits_for(destination) {
            let Some(to) = self.table.use_route(cx.now, destination, until) else { return };
            let Some(packet) = self.buffer.take(destination) else { return };
            out.put(Action::Forward { packet, to, delay });
            delay += spacing;
        }
    }

    /// Whether a request says nothing: it is this node's own, has come before, or comes from a neighbour that is
    /// ignored.
    #[inline(always)]
    pub(super) fn is_known(&mut self, now: SimTime, from: NodeId, request: RequestKey) -> bool {
        self.pending.ignores(now, from) || request.originator == self.me || self.seen.has(now, request)
    }

    /// A node asks for a route, for the first time.
    pub(super) fn on_request<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        ttl: u8,
        request: Request,
        out: &mut S,
    ) {
        let now = cx.now;
        let hops = request.hops.saturating_add(1);
        self.learn_way_back(cx, from, hops, &request, out);
        if self.reboot.is_quiet(now) {
            return;
        }
        if request.destination == self.me {
            return self.answer_as_destination(now, from, &request, out);
        }
        if !request.destination_only && self.answer_from_table(now, from, hops, &request, out) {
            return;
        }
        if ttl <= 1 {
            return;
        }
        self.counters.rreq_forwarded += 1;
        let known = self.table.get(now, request.destination).and_then(|route| route.sequence);
        let destination_sequence = match (request.destination_sequence, known) {
            (Some(asked), Some(known)) if newer(known, asked) => Some(known),
            (None, known) => known,
            (asked, _) => asked,
        };
        let passed_on = Message::Request(Request { hops, destination_sequence, ..request });
        let delay = self.outlet.jitter();
        self.outlet.send(now, &passed_on, NodeId::BROADCAST, (ttl - 1, delay), out);
    }

    /// The way back to the node that asks, RFC 3561 §6.5.
    fn learn_way_back<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        hops: u8,
        request: &Request,
        out: &mut S,
    ) {
        let now = cx.now;
        let at_least = now + self.config.reverse_life_after(hops);
        let route = self.table.entry(now, request.originator);
        let expires = match route.state {
            State::Valid => route.expires.max(at_least),
            State::Repairing | State::Invalid => at_least,
        };
        if route.state == State::Valid {
            route.expires = expires;
        }
        let news = News { next_hop: from, hops, sequence: request.originator_sequence, expires };
        let revives = self.config.accept_equal_if_broken;
        let (taken, revived) = self.table.learn(now, request.originator, news, revives);
        if revived {
            notice(out, request.originator, Some(hops));
            self.repaired(now, request.originator, hops, out);
        }
        let wanted = self.searches.is_running(request.originator);
        if taken && (wanted || self.buffer.waits_for(request.originator)) {
            let until = now + self.config.active_timeout;
            self.table.use_route(now, request.originator, until);
            self.found(cx, request.originator, hops, Dur::ZERO, out);
        }
    }

    fn answer_as_destination<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        from: NodeId,
        request: &Request,
        out: &mut S,
    ) {
        let reply = Reply {
            acknowledge: false,
            hops: 0,
            destination: self.me,
            destination_sequence: self.number.for_reply(request.destination_sequence),
            originator: request.originator,
            lifetime_ms: self.config.my_route_timeout.as_ms_u32(),
        };
        self.reply(now, reply, from, out);
    }

    /// A relay that has a route answers in the place of the destination, RFC 3561 §6.6.2. Returns whether it has.
    fn answer_from_table<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        from: NodeId,
        hops: u8,
        request: &Request,
        out: &mut S,
    ) -> bool {
        let in_repair = self.config.local_repair == LocalRepair::Ns2;
        let through_asker = self.config.reply_through_asker;
        let unit = self.config.lifetime_unit.as_ns();
        let Some(route) = self.table.get(now, request.destination) else { return false };
        let usable = match route.state {
            State::Valid => true,
            State::Repairing => in_repair,
            State::Invalid => false,
        };
        let Some(sequence) = route.sequence.filter(|_| route.sequence_valid) else { return false };
        let outdated = request.destination_sequence.is_some_and(|asked| newer(asked, sequence));
        let next_hop = route.next_hop;
        if !usable || outdated || (next_hop == from && !through_asker) {
            return false;
        }
        let left = route.expires.saturating_since(now).as_ns();
        let lifetime_ms = Dur::from_ns(left / unit * unit).as_ms_u32();
        route.add_precursor(from);
        let reply = Reply {
            acknowledge: false,
            hops: route.hops,
            destination: request.destination,
            destination_sequence: sequence,
            originator: request.originator,
            lifetime_ms,
        };
        let way_back = self.table.entry(now, request.originator);
        way_back.add_precursor(next_hop);
        let left = way_back.expires.saturating_since(now);
        self.reply(now, reply, from, out);
        if request.gratuitous {
            let told = Reply {
                acknowledge: false,
                hops,
                destination: request.originator,
                destination_sequence: request.originator_sequence,
                originator: request.destination,
                lifetime_ms: left.as_ms_u32(),
            };
            self.counters.rrep_originated += 1;
            let limit = self.config.diameter;
            self.outlet.send(now, &Message::Reply(told), next_hop, (limit, Dur::ZERO), out);
        }
        true
    }

    /// Sends a reply of this node's own towards the node that asked: along the way back if there is one, which need not
    /// be the way this request came.
    fn reply<S: Sink<Action>>(&mut self, now: SimTime, reply: Reply, from: NodeId, out: &mut S) {
        let to = self.table.valid(now, reply.originator).map_or(from, |route| route.next_hop);
        self.counters.rrep_originated += 1;
        self.send_reply(now, reply, to, self.config.diameter, out);
    }
}
