//! Route maintenance (RFC 4728 §3.2, §3.4, §8.3): packets that cannot go on, and errors.

use super::config::RerrPer;
use super::machine::Dsr;
use super::requests::For;
use super::source_route::{PacketPath, header_of, salvaged};
use super::wire::{Header, NO_NEXT_HEADER, RouteError, Trouble};
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::contract::{Action, Decision, Disposal};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Payload};

/// Errors that one message carries (RFC 4728 §8.3.4: those of the packet that it is about go with it). Of a packet that
/// has so many on board nothing is told when it fails, as in ns-2: each error about an error would call forth more.
const MOST_ERRORS: usize = 3;
/// Hop limit of errors.
const TTL: u8 = 255;

/// Where a packet stands that this node has sent on.
struct Standing {
    path: Vec<NodeId>,
    here: usize,
    salvage: u8,
}

impl Dsr {
    /// A packet cannot go to this neighbour: another way, the buffer, or nowhere. Its source is told.
    pub(super) fn undeliverable<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        first: bool,
        out: &mut S,
    ) -> Decision {
        let header = header_of(cx, packet).and_then(Result::ok);
        if first || self.config.rerr_per == RerrPer::Packet {
            self.tell_source(cx, packet, header.as_ref(), to, out);
        }
        if let Some(reply) = header.and_then(|header| header.reply) {
            let initiator = cx.packets[packet].destination;
            let route: Vec<NodeId> = std::iter::once(initiator).chain(reply).collect();
            if route.windows(2).any(|link| link == [self.me, to]) {
                return Decision::Refused(DropReason::NoRoute); // it would tell of a dead link
            }
        }
        self.another_way(cx, packet, out)
    }

    /// What becomes of a packet that the MAC has given up.
    pub(super) fn dispose<S: Sink<Action> + ?Sized>(
        &self,
        packet: PacketId,
        decision: Decision,
        out: &mut S,
    ) -> Disposal {
        match decision {
            Decision::To(to) => {
                out.put(Action::Forward { packet, to, delay: self.config.failure_delay });
                Disposal::Taken
            }
            Decision::Waiting => Disposal::Taken,
            Decision::Refused(_) | Decision::Stays => Disposal::Leave,
        }
    }

    /// Whether a packet without a route belongs to no flow that is known here any more, where that matters.
    pub(super) fn has_lost_its_flow(&self, cx: &Cx<'_>, packet: PacketId) -> bool {
        let its = &cx.packets[packet];
        self.config.give_up_needs_flow
            && self.config.flow_state
            && !matches!(its.payload, Payload::Message { .. })
            && header_of(cx, packet).is_none()
            && if its.source == self.me {
                !self.flows.has_own(its.destination)
            } else {
                self.flows.path_of((its.source, its.destination), its.ttl).is_none()
            }
    }

    /// The MAC has given such a packet up. No node knows what link that was: its source loses it, a relay sends it
    /// another way and tells the source that the flow is unknown (ns-2).
    pub(super) fn give_up_without_flow<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> Disposal {
        let its = &cx.packets[packet];
        let ends = (its.source, its.destination);
        if ends.0 == self.me {
            return Disposal::Leave;
        }
        self.tell_unknown_flow(cx, ends, out);
        let decision = self.another_way(cx, packet, out);
        self.dispose(packet, decision, out)
    }

    /// A packet cannot go on as it stands.
    pub(super) fn another_way<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        out: &mut S,
    ) -> Decision {
        let its = &cx.packets[packet];
        let (destination, own) = (its.destination, its.source == self.me);
        let message = matches!(its.payload, Payload::Message { .. });
        self.known.watch(destination, false);
        let salvage = self.salvage_of(cx, packet);
        if u32::from(salvage) > self.config.salvage {
            return Decision::Refused(DropReason::NoRoute);
        }
        if let Some(path) = self.known.find(cx.now, destination, own) {
            self.counters.salvaged += u64::from(!own);
            self.note_resent(cx, packet);
            return self.send_along(cx, packet, path, salvage);
        }
        if self.config.salvage_buffer || own && !message {
            self.waiting.put(cx, packet, &mut self.rng, out);
            if own {
                self.search(cx, destination, For::Own, out);
            }
            return Decision::Waiting;
        }
        Decision::Refused(DropReason::NoRoute)
    }

    /// As how often salvaged a packet goes on another way: its source sends it anew, a relay salvages it once more.
    pub(super) fn salvage_of(&self, cx: &Cx<'_>, packet: PacketId) -> u8 {
        if cx.packets[packet].source == self.me { self.kept(cx, packet) } else { salvaged(cx, packet) + 1 }
    }

    /// How often what this node sends again, or on in its own name, counts as salvaged already.
    fn kept(&self, cx: &Cx<'_>, packet: PacketId) -> u8 {
        if self.config.rerr_inherits_salvage { salvaged(cx, packet) } else { 0 }
    }

    /// Reports a broken link to where the packet's route begins, back along it.
    fn tell_source<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &Cx<'_>,
        packet: PacketId,
        header: Option<&Header>,
        to: NodeId,
        out: &mut S,
    ) {
        let Some(Standing { path, here, salvage }) = self.standing(cx, packet, header) else { return };
        let Some(&begin) = path.first().filter(|_| here > 0) else { return };
        let what = Trouble::Unreachable(to);
        let error = RouteError { salvage, source: self.me, destination: begin, what };
        let carried = header.map(|header| header.errors.as_slice()).unwrap_or_default();
        if carried.len() >= MOST_ERRORS {
            return;
        }
        let errors = std::iter::once(error).chain(carried.iter().copied()).collect();
        let salvage = if self.config.rerr_inherits_salvage { salvage } else { 0 };
        let back = path[..=here].iter().rev().copied().collect();
        self.send_errors(errors, back, salvage, out);
    }

    /// The way that a packet was sent on: it is written in it, or its flow knows it.
    fn standing(&self, cx: &Cx<'_>, packet: PacketId, header: Option<&Header>) -> Option<Standing> {
        let its = &cx.packets[packet];
        if let Some(route) = header.and_then(|header| header.route.as_ref()) {
            let PacketPath { nodes, here, salvage } = PacketPath::of(its, route);
            let here = here.checked_sub(1).filter(|&here| nodes.get(here) == Some(&self.me))?;
            return Some(Standing { path: nodes, here, salvage });
        }
        let flow = self.flows.path_of((its.source, its.destination), its.ttl)?;
        Some(Standing { path: flow.path.clone(), here: flow.here, salvage: 0 })
    }

    fn send_errors<S: Sink<Action> + ?Sized>(
        &mut self,
        errors: Vec<RouteError>,
        back: Vec<NodeId>,
        salvage: u8,
        out: &mut S,
    ) {
        let (Some(&destination), Some(&to)) = (back.last(), back.get(1)) else { return };
        self.note_originated(&errors);
        let route = Some(PacketPath::begin(back, salvage).route());
        let header = Header { next: NO_NEXT_HEADER, errors, route, ..Header::default() };
        self.send(&header, destination, to, TTL, self.config.failure_delay, out);
    }

    /// A packet without a route is of no flow that is known here.
    pub(super) fn tell_unknown_flow<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &Cx<'_>,
        (source, destination): (NodeId, NodeId),
        out: &mut S,
    ) {
        let Some(back) = self.known.find(cx.now, source, false) else { return };
        let what = Trouble::DefaultFlowUnknown(destination);
        let error = RouteError { salvage: 0, source: self.me, destination: source, what };
        self.send_errors(vec![error], back, 0, out);
    }

    /// An error for this node is here. What stands behind it was on board of the message that it is about, and goes on
    /// from here to where that was to go.
    pub(super) fn pass_on_errors<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        mut errors: Vec<RouteError>,
        out: &mut S,
    ) {
        let others = |error: &RouteError| error.destination != self.me && !error.destination.is_broadcast();
        let Some(next) = errors.iter().skip(1).position(others) else {
            return cx.packets.end(packet, Fate::Delivered);
        };
        errors.drain(..=next);
        let salvage = self.kept(cx, packet);
        let its = &mut cx.packets[packet];
        (its.source, its.destination, its.ttl) = (self.me, errors[0].destination, TTL);
        self.note_originated(&errors);
        self.form.write(cx, packet, &Header { next: NO_NEXT_HEADER, errors, ..Header::default() });
        match self.set_out(cx, packet, salvage, out) {
            Decision::To(to) => out.put(Action::Forward { packet, to, delay: Dur::ZERO }),
            Decision::Refused(reason) => out.put(Action::Dropped(drop_packet(cx, packet, reason))),
            Decision::Waiting | Decision::Stays => {}
        }
    }

    fn note_originated(&mut self, errors: &[RouteError]) {
        if let Some(counts) = self.counters.of_errors(errors) {
            *counts.originated += 1;
        }
    }

    /// A message is sent that could not go on, or has waited.
    pub(super) fn note_resent(&mut self, cx: &Cx<'_>, packet: PacketId) {
        if let Payload::Message { .. } = cx.packets[packet].payload
            && let Some(Ok(header)) = header_of(cx, packet)
        {
            self.counters.rrep_resent += u64::from(header.reply.is_some());
            if let Some(counts) = self.counters.of_errors(&header.errors) {
                *counts.resent += 1;
            }
        }
    }

    /// Believes an error.
    pub(super) fn apply<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, error: &RouteError, out: &mut S) {
        match error.what {
            Trouble::Unreachable(to) => self.cut(now, (error.source, to), out),
            Trouble::FlowUnknown(..) | Trouble::DefaultFlowUnknown(_) if error.destination == self.me => {
                self.flows.unknown(error);
            }
            Trouble::FlowUnknown(..) | Trouble::DefaultFlowUnknown(_) => {}
        }
    }
}
