//! Broken links: whose routes end, which node is told, and what a relay mends itself. RFC 3561 §6.11, §6.12; ns-2.35's
//! rules beside them.

use super::config::{LocalRepair, OnBreak};
use super::losses::{Losses, Manner};
use super::machine::Aodv;
use super::table::State;
use super::wire::Unreachable;
use crate::contract::{Cx, Sink};
use crate::routing::contract::{Action, Disposal, GivenUp};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{PacketId, Payload};

/// Hops beyond the last route that a relay looks for one (LOCAL_ADD_TTL).
const LOCAL_ADD_TTL: u8 = 2;

impl Aodv {
    /// The MAC has given up on a neighbour.
    pub(super) fn on_given_up<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        given_up: GivenUp,
        out: &mut S,
    ) -> Disposal {
        let GivenUp { packet, to, .. } = given_up;
        if matches!(cx.packets[packet].payload, Payload::Message { .. }) {
            if self.config.rrep_feedback {
                self.distrust(cx.now, to);
            }
            return Disposal::Leave;
        }
        if !self.config.link_detection.feedback() {
            return Disposal::Leave;
        }
        self.link_broken(cx, to, Some(packet), out)
    }

    /// A link is gone; `packet` did not pass it.
    pub(super) fn link_broken<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        packet: Option<PacketId>,
        out: &mut S,
    ) -> Disposal {
        self.neighbours.remove(neighbour);
        let mended = packet.is_some_and(|packet| self.mend(cx, neighbour, packet, out));
        if mended && self.config.local_repair == LocalRepair::Ns2 {
            return Disposal::Taken; // what else leads there is not looked at
        }
        if self.config.on_break == OnBreak::FlushQueue {
            out.put(Action::Withdraw { neighbour });
        }
        // What this node mends is not lost yet; in ns-2 it is, when a packet for another node fails.
        let mended_too = self.config.local_repair == LocalRepair::Ns2;
        let losses = self.errors.cut(cx.now, &mut self.table, neighbour, mended_too, out);
        if !losses.is_empty() {
            self.number.link_broken();
            self.tell_first(cx.now, &losses, self.errors.tells_all(), false, out);
        }
        match packet {
            _ if mended => Disposal::Taken,
            // RFC 3561 §6.13: the source may look for another route, and its packet waits for that.
            Some(packet) if self.config.local_repair != LocalRepair::Ns2 => self.keep_own(cx, packet, out),
            _ => Disposal::Leave,
        }
    }

    /// A packet of this node itself goes another way, or waits for one.
    fn keep_own<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut S) -> Disposal {
        if cx.packets[packet].source != self.me {
            return Disposal::Leave;
        }
        let destination = cx.packets[packet].destination;
        let until = cx.now + self.config.active_timeout;
        if let Some(to) = self.table.use_route(cx.now, destination, until) {
            out.put(Action::Forward { packet, to, delay: Dur::ZERO });
        } else {
            self.buffer.put(cx, packet, out);
            self.demand(cx, destination, out);
        }
        Disposal::Taken
    }

    /// Whether a relay lets packets wait while it mends a route.
    pub(super) fn mends(&mut self, now: SimTime, destination: NodeId) -> bool {
        self.table.get(now, destination).is_some_and(|route| route.state == State::Repairing)
    }

    /// Mends the route that a packet was to take, if this node is near enough to the destination; the packet waits.
    fn mend<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        packet: PacketId,
        out: &mut S,
    ) -> bool {
        let now = cx.now;
        let (destination, own) = (cx.packets[packet].destination, cx.packets[packet].source == self.me);
        let travelled = self.hop_limit.saturating_sub(cx.packets[packet].ttl);
        let most = self.config.max_repair_ttl();
        let Some(route) = self.table.get(now, destination) else { return false };
        let (hops, mending) = (route.hops, route.state == State::Repairing);
        let mends = match self.config.local_repair {
            LocalRepair::Off => false,
            LocalRepair::Rfc => {
                mending
                    || (!own && route.state == State::Valid && route.next_hop == neighbour && hops <= most)
            }
            LocalRepair::Ns2 => route.state != State::Invalid && travelled > hops,
        };
        if !mends {
            return false;
        }
        route.state = State::Repairing;
        self.counters.repairs += u64::from(!mending);
        if self.config.local_repair == LocalRepair::Rfc {
            if !mending {
                self.mend_at_once(cx, destination, (hops, travelled), out);
            }
        } else {
            self.demand(cx, destination, out);
            // The timer is given the instant as a delay.
            let delay = Dur::from_ns(self.searches.of(destination).until.as_ns());
            self.pending.repairs.add(destination, now + delay);
        }
        self.buffer.put(cx, packet, out);
        true
    }

    /// RFC 3561 §6.12: one request, with a newer number, a little further than the destination was.
    fn mend_at_once<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        (hops, travelled): (u8, u8),
        out: &mut S,
    ) {
        let route = self.table.entry(cx.now, destination);
        route.sequence = route.sequence.map(|number| number.wrapping_add(1));
        let ttl = hops.max(travelled / 2).saturating_add(LOCAL_ADD_TTL).min(self.config.diameter);
        let search = self.searches.of(destination);
        (search.repair, search.repairs_hops) = (true, hops);
        search.ask_once(cx.now, ttl, &self.config);
        self.ask(cx.now, destination, ttl, out);
    }

    /// A route has come back; if this node was mending it, those upstream hear of a longer one, and keep theirs
    /// (N flag).
    pub(super) fn repaired<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        destination: NodeId,
        hops: u8,
        out: &mut S,
    ) {
        let Some(search) = self.searches.get(destination).filter(|search| search.repair) else { return };
        let before = search.repairs_hops;
        self.counters.repaired += 1;
        let route = self.table.entry(now, destination);
        if hops > before {
            let losses = Losses::of(destination, route.sequence.unwrap_or(0), &route.precursors);
            self.tell_first(now, &losses, false, true, out);
        }
    }

    /// Nothing was found: the route is lost after all, and its users hear of it.
    pub(super) fn repair_failed<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        out: &mut S,
    ) {
        let delete = self.table.delete_period();
        let route = self.table.entry(cx.now, destination);
        if route.state != State::Repairing {
            return;
        }
        let sequence = *route.sequence.get_or_insert(0);
        let losses = Losses::of(destination, sequence, &std::mem::take(&mut route.precursors));
        self.errors.end_repair(cx.now, route, delete, out);
        self.tell_first(cx.now, &losses, false, false, out);
    }

    /// ns-2's late look at what was to be mended: what is not, is lost, and no node is told.
    pub(super) fn end_repairs<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        while let Some(destination) = self.pending.repairs.take_due(cx.now) {
            if self.mends(cx.now, destination) {
                let delete = self.table.delete_period();
                self.errors.end_repair(cx.now, self.table.entry(cx.now, destination), delete, out);
            }
        }
    }

    /// A neighbour sends packets for a destination to which there is no route.
    pub(super) fn no_route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        from: NodeId,
        out: &mut S,
    ) {
        let now = cx.now;
        let always = self.errors.tells_all();
        let route = self.table.entry(now, destination);
        if !always {
            // RFC 3561 §6.11, ii. The node that sends here is a user of the route, whatever became of the list.
            route.sequence = route.sequence.map(|number| number.wrapping_add(1));
            route.add_precursor(from);
        }
        let sequence = route.sequence.unwrap_or(0);
        let losses = Losses::of(destination, sequence, &std::mem::take(&mut route.precursors));
        self.reboot.prolong(now);
        self.tell_first(now, &losses, always, false, out);
    }

    /// A neighbour has lost routes.
    pub(super) fn on_error<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        keep: bool,
        unreachable: &[Unreachable],
        out: &mut S,
    ) {
        let now = cx.now;
        let Some(losses) = self.errors.hear(now, &mut self.table, (from, keep), unreachable, out) else {
            return;
        };
        if !keep && self.config.on_break == OnBreak::FlushQueue {
            out.put(Action::Withdraw { neighbour: from });
        }
        if losses.is_empty() {
            return;
        }
        let to_all = self.errors.tells_all();
        let delay = if to_all { self.outlet.jitter() } else { Dur::ZERO };
        let manner = Manner { to_all, keep, delay };
        let sent = self.errors.tell(now, &losses, manner, &mut self.outlet, out);
        self.counters.rerr_forwarded += u64::from(sent);
    }

    /// Tells of losses that no other node has told of.
    fn tell_first<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        losses: &Losses,
        to_all: bool,
        keep: bool,
        out: &mut S,
    ) {
        let manner = Manner { to_all, keep, delay: Dur::ZERO };
        let sent = self.errors.tell(now, losses, manner, &mut self.outlet, out);
        self.counters.rerr_originated += u64::from(sent);
    }
}
