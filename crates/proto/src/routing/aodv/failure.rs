//! Broken links: whose routes end, which node is told, and what a relay mends itself. RFC 3561 §6.11, §6.12; ns-2.35's
//! rules beside them.

use super::config::{LocalRepair, OnBreak, RerrRule, Sequencing};
use super::machine::Aodv;
use super::table::State;
use super::wire::{MOST_UNREACHABLE, Message, Unreachable};
use crate::contract::{Cx, Sink};
use crate::routing::contract::{Action, Disposal, GivenUp};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{PacketId, Payload};

/// Hops beyond the last route that a relay looks for one (LOCAL_ADD_TTL).
const LOCAL_ADD_TTL: u8 = 2;

/// Destinations lost together, and the neighbours to be told.
#[derive(Default)]
struct Losses {
    lost: Vec<Unreachable>,
    precursors: Vec<NodeId>,
}

impl Losses {
    fn add(&mut self, lost: Unreachable, precursors: &[NodeId]) {
        self.lost.push(lost);
        for &neighbour in precursors {
            if !self.precursors.contains(&neighbour) {
                self.precursors.push(neighbour);
            }
        }
    }
}

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
        let losses = self.lose_through(cx.now, neighbour, out);
        if !losses.lost.is_empty() {
            if self.config.sequence == Sequencing::Even {
                self.sequence = self.sequence.wrapping_add(2);
            }
            let always = self.config.rerr == RerrRule::Always;
            let sent = self.send_error(cx.now, losses, (always, false), Dur::ZERO, out);
            self.counters.rerr_originated += u64::from(sent);
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

    /// All routes through a neighbour end.
    fn lose_through<S: Sink<Action>>(&mut self, now: SimTime, neighbour: NodeId, out: &mut S) -> Losses {
        let delete = self.table.delete_period();
        let mut losses = Losses::default();
        // What this node mends is not lost yet; in ns-2 it is, when a packet for another node fails.
        let spared = self.config.local_repair != LocalRepair::Ns2;
        for route in self.table.all(now) {
            route.precursors.retain(|&who| who != neighbour);
            let lost = route.state == State::Valid || (route.state == State::Repairing && !spared);
            if lost && route.next_hop == neighbour {
                route.invalidate(now, delete);
                let sequence = route.sequence.unwrap_or(0);
                losses.add(
                    Unreachable { destination: route.destination, sequence },
                    &std::mem::take(&mut route.precursors),
                );
                self.counters.routes_lost += 1;
                Self::notice(out, route.destination, None);
            }
        }
        losses
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
            let mut losses = Losses::default();
            let sequence = route.sequence.unwrap_or(0);
            losses.add(Unreachable { destination, sequence }, &route.precursors);
            if self.send_error(now, losses, (false, true), Dur::ZERO, out) {
                self.counters.rerr_originated += 1;
            }
        }
    }

    /// Nothing was found: the route is lost after all, and its users hear of it.
    pub(super) fn repair_failed<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        out: &mut S,
    ) {
        let route = self.table.entry(cx.now, destination);
        if route.state != State::Repairing {
            return;
        }
        let sequence = route.sequence.unwrap_or(0); // one further already
        let precursors = std::mem::take(&mut route.precursors);
        self.table.invalidate(cx.now, destination);
        self.table.entry(cx.now, destination).sequence = Some(sequence);
        self.counters.routes_lost += 1;
        Self::notice(out, destination, None);
        let mut losses = Losses::default();
        losses.add(Unreachable { destination, sequence }, &precursors);
        if self.send_error(cx.now, losses, (false, false), Dur::ZERO, out) {
            self.counters.rerr_originated += 1;
        }
    }

    /// ns-2's late look at what was to be mended: what is not, is lost, and no node is told.
    pub(super) fn end_repairs<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        while let Some(destination) = self.pending.repairs.take_due(cx.now) {
            if self.mends(cx.now, destination) {
                let delete = self.table.delete_period();
                let route = self.table.entry(cx.now, destination);
                let sequence = route.sequence;
                route.invalidate(cx.now, delete);
                route.sequence = sequence;
                self.counters.routes_lost += 1;
                Self::notice(out, destination, None);
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
        let always = self.config.rerr == RerrRule::Always;
        let quiet = self.quiet_until;
        let route = self.table.entry(now, destination);
        if !always {
            // RFC 3561 §6.11, ii. The node that sends here is a user of the route, whatever became of the list.
            route.sequence = route.sequence.map(|number| number.wrapping_add(1));
            route.add_precursor(from);
        }
        let mut losses = Losses::default();
        let sequence = route.sequence.unwrap_or(0);
        losses.add(Unreachable { destination, sequence }, &std::mem::take(&mut route.precursors));
        if now < quiet {
            self.quiet_until = now + self.config.delete_period; // RFC 3561 §6.13
        }
        if self.send_error(now, losses, (always, false), Dur::ZERO, out) {
            self.counters.rerr_originated += 1;
        }
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
        let delete = self.table.delete_period();
        let mut losses = Losses::default();
        let mut any = false;
        for &Unreachable { destination, sequence } in unreachable {
            let Some(route) = self.table.get(now, destination) else { continue };
            let ours = route.sequence.unwrap_or(0);
            let outdated = super::table::newer(ours, sequence);
            let by_number = self.config.rerr == RerrRule::Always;
            if route.state == State::Invalid || route.next_hop != from || (by_number && outdated) {
                continue;
            }
            any = true;
            if keep {
                losses.add(Unreachable { destination, sequence }, &route.precursors);
                continue;
            }
            route.invalidate(now, delete);
            let sequence = if outdated { ours } else { sequence };
            route.sequence = Some(sequence);
            let precursors = std::mem::take(&mut route.precursors);
            self.counters.routes_lost += 1;
            Self::notice(out, destination, None);
            if !precursors.is_empty() {
                losses.add(Unreachable { destination, sequence }, &precursors);
            }
        }
        if any && !keep && self.config.on_break == OnBreak::FlushQueue {
            out.put(Action::Withdraw { neighbour: from });
        }
        if losses.lost.is_empty() {
            return;
        }
        let always = self.config.rerr == RerrRule::Always;
        let delay = if always { self.jitter() } else { Dur::ZERO };
        if self.send_error(now, losses, (always, keep), delay, out) {
            self.counters.rerr_forwarded += 1;
        }
    }

    /// Tells of losses: `to_all` or, by RFC 3561 §6.11, the precursors. One alone gets its own message. Returns
    /// whether anything was sent.
    fn send_error<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        losses: Losses,
        (to_all, keep): (bool, bool),
        delay: Dur,
        out: &mut S,
    ) -> bool {
        let to = match losses.precursors[..] {
            _ if to_all => NodeId::BROADCAST,
            [] => return false,
            [one] => one,
            _ => NodeId::BROADCAST,
        };
        if self.errors.next(now) > now {
            self.counters.rerr_limited += 1;
            return false;
        }
        self.errors.count(now);
        for unreachable in losses.lost.chunks(MOST_UNREACHABLE) {
            let message = Message::Error { keep, unreachable: unreachable.to_vec() };
            self.send(now, &message, to, (1, delay), out);
        }
        true
    }
}
