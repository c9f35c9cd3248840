//! Routes that end, which neighbours are to be told, and the messages that tell them (RFC 3561 §6.11).

use super::config::RerrRule;
use super::outlet::Outlet;
use super::search::Limit;
use super::table::{Route, State, Table, newer};
use super::wire::{MOST_UNREACHABLE, Message, Unreachable};
use crate::contract::{Notice, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};

/// Destinations lost together, and the neighbours to be told.
#[derive(Default)]
pub(super) struct Losses {
    lost: Vec<Unreachable>,
    precursors: Vec<NodeId>,
}

impl Losses {
    /// One destination.
    pub(super) fn of(destination: NodeId, sequence: u32, precursors: &[NodeId]) -> Self {
        let mut losses = Self::default();
        losses.add(Unreachable { destination, sequence }, precursors);
        losses
    }

    fn add(&mut self, lost: Unreachable, precursors: &[NodeId]) {
        self.lost.push(lost);
        for &neighbour in precursors {
            if !self.precursors.contains(&neighbour) {
                self.precursors.push(neighbour);
            }
        }
    }

    /// Whether nothing was lost.
    pub(super) const fn is_empty(&self) -> bool {
        self.lost.is_empty()
    }
}

/// Tells the other layers that a route has come or gone.
pub(super) fn notice(out: &mut impl Sink<Action>, destination: NodeId, hops: Option<u8>) {
    out.put(Action::Notice(match hops {
        Some(hops) => Notice::RouteFound { destination, hops: u32::from(hops) },
        None => Notice::RouteLost { destination },
    }));
}

/// How a loss is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// To all neighbours, or to those that use the route.
    pub(super) to_all: bool,
    /// Those that hear it keep their routes (N flag).
    pub(super) keep: bool,
    /// After this time.
    pub(super) delay: Dur,
}

/// What ends routes and tells of it.
#[derive(Clone, Debug)]
pub(super) struct RouteErrors {
    rule: RerrRule,
    limit: Limit,
    /// Errors that the limit has held back.
    limited: u64,
    /// Routes that ended.
    routes_lost: u64,
}

impl RouteErrors {
    pub(super) const fn new(rule: RerrRule, per_second: u32) -> Self {
        Self { rule, limit: Limit::new(per_second), limited: 0, routes_lost: 0 }
    }

    /// Whether all neighbours are told, whether they use the route or not.
    pub(super) fn tells_all(&self) -> bool {
        self.rule == RerrRule::Always
    }

    /// Routes that ended.
    pub(super) const fn routes_lost(&self) -> u64 {
        self.routes_lost
    }

    /// Errors that the limit has held back.
    pub(super) const fn limited(&self) -> u64 {
        self.limited
    }

    /// A route has ended.
    pub(super) fn note_lost(&mut self, destination: NodeId, out: &mut impl Sink<Action>) {
        self.routes_lost += 1;
        notice(out, destination, None);
    }

    /// All routes through a neighbour end; `mended`: those too that this node is mending.
    pub(super) fn cut(
        &mut self,
        now: SimTime,
        table: &mut Table,
        neighbour: NodeId,
        mended: bool,
        out: &mut impl Sink<Action>,
    ) -> Losses {
        let delete = table.delete_period();
        let mut losses = Losses::default();
        for route in table.all(now) {
            route.precursors.retain(|&who| who != neighbour);
            let lost = route.state == State::Valid || (route.state == State::Repairing && mended);
            if lost && route.next_hop == neighbour {
                route.invalidate(now, delete);
                let (destination, sequence) = (route.destination, route.sequence.unwrap_or(0));
                losses.add(Unreachable { destination, sequence }, &std::mem::take(&mut route.precursors));
                self.note_lost(destination, out);
            }
        }
        losses
    }

    /// A neighbour has lost a route; `keep`: it mends it. Returns what that means for the routes here: nothing, if this
    /// one does not lead through the neighbour.
    pub(super) fn hear(
        &mut self,
        now: SimTime,
        table: &mut Table,
        (from, keep): (NodeId, bool),
        unreachable: &[Unreachable],
        out: &mut impl Sink<Action>,
    ) -> Option<Losses> {
        let delete = table.delete_period();
        let (mut losses, mut any) = (Losses::default(), false);
        for &Unreachable { destination, sequence } in unreachable {
            let Some(route) = table.get(now, destination) else { continue };
            let ours = route.sequence.unwrap_or(0);
            let outdated = newer(ours, sequence);
            if route.state == State::Invalid || route.next_hop != from || (self.tells_all() && outdated) {
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
            self.note_lost(destination, out);
            if !precursors.is_empty() {
                losses.add(Unreachable { destination, sequence }, &precursors);
            }
        }
        any.then_some(losses)
    }

    /// A route that was being mended is lost after all: it keeps its number, which is one further already.
    pub(super) fn end_repair(
        &mut self,
        now: SimTime,
        route: &mut Route,
        delete: Dur,
        out: &mut impl Sink<Action>,
    ) {
        let sequence = route.sequence;
        route.invalidate(now, delete);
        route.sequence = sequence;
        self.note_lost(route.destination, out);
    }

    /// Tells of losses. One neighbour alone gets its own message. Returns whether anything was sent.
    pub(super) fn tell(
        &mut self,
        now: SimTime,
        losses: &Losses,
        Manner { to_all, keep, delay }: Manner,
        outlet: &mut Outlet,
        out: &mut impl Sink<Action>,
    ) -> bool {
        let to = match losses.precursors[..] {
            _ if to_all => NodeId::BROADCAST,
            [] => return false,
            [one] => one,
            _ => NodeId::BROADCAST,
        };
        if self.limit.next(now) > now {
            self.limited += 1;
            return false;
        }
        self.limit.count(now);
        for unreachable in losses.lost.chunks(MOST_UNREACHABLE) {
            let message = Message::Error { keep, unreachable: unreachable.to_vec() };
            outlet.send(now, &message, to, (1, delay), out);
        }
        true
    }
}
