//! The machine: a control packet every cycle, and what those of the neighbours say.

use super::config::FrnRoutingConfig;
use super::table::ConfigurationTable;
use super::wire;
use crate::contract::{Cx, NextHopChoice, Notice, Sink, drop_packet};
use crate::routing::contract::{Action, Decision, Input, Outgoing, Provenance, Routing};
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, Fate, Packet, PacketId, Protocol};

/// One node's routing.
#[derive(Clone, Debug)]
pub struct FrnRouting {
    config: FrnRoutingConfig,
    me: NodeId,
    table: ConfigurationTable,
    rng: Rng,
    /// When the cycle under way ends.
    next: SimTime,
    lost: u64,
}

impl FrnRouting {
    /// A node that knows itself only; `rng` says when in the cycle it speaks.
    #[must_use]
    pub const fn new(config: FrnRoutingConfig, me: NodeId, rng: Rng) -> Self {
        Self { config, me, table: ConfigurationTable::new(me), rng, next: SimTime::MAX, lost: 0 }
    }

    /// Its table, to fill it beforehand.
    pub const fn table_mut(&mut self) -> &mut ConfigurationTable {
        &mut self.table
    }

    /// Its table.
    #[must_use]
    pub const fn table(&self) -> &ConfigurationTable {
        &self.table
    }

    /// All next hops to a destination, forward ones first.
    #[must_use]
    pub fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        self.table.next_hops(destination)
    }

    /// The node that was heard is judged, and the neighbours are told what can be reached.
    fn end_cycle<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let FrnRoutingConfig { reliability_window: window, reliability_threshold: threshold, .. } =
            self.config;
        self.change(|table| table.end_cycle(window, threshold), out);
        let body = wire::emit(self.table.all());
        out.put(Action::Send(Outgoing {
            protocol: Protocol::Frn,
            size: wire::size(&body),
            body,
            destination: NodeId::BROADCAST,
            to: NodeId::BROADCAST,
            ttl: 1,
            delay: Dur::ZERO,
        }));
        self.next = now + self.config.cycle;
        out.put(Action::Arm(self.next));
    }

    /// Changes the table; the other layers hear of destinations that were or are out of reach.
    fn change<S: Sink<Action>>(&mut self, how: impl FnOnce(&mut ConfigurationTable), out: &mut S) {
        let before: Vec<_> = self.table.all().collect();
        how(&mut self.table);
        for &(destination, _) in &before {
            if self.table.shortest(destination).is_none() {
                self.lost += 1;
                out.put(Action::Notice(Notice::RouteLost { destination }));
            }
        }
        for (destination, relays) in self.table.all() {
            let others = &before[1..]; // itself comes first, then by number
            if destination != self.me && others.binary_search_by_key(&destination, |&(id, _)| id).is_err() {
                out.put(Action::Notice(Notice::RouteFound { destination, hops: relays.into() }));
            }
        }
    }

    fn hear<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, from: NodeId, out: &mut S) {
        let lines = cx.packets.message(packet).map(|body| wire::parse(body, from));
        match lines {
            Some(Ok(lines)) => {
                if self.config.cycle > Dur::ZERO {
                    self.change(|table| table.hear(from, lines), out);
                }
                cx.packets.end(packet, Fate::Delivered);
            }
            _ => out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed))),
        }
    }
}

impl Routing for FrnRouting {
    fn known(&mut self, _now: SimTime, packet: &Packet, _provenance: Provenance) -> Option<NodeId> {
        self.table.next_hop(packet.destination)
    }

    fn next_hop(&self, _now: SimTime, destination: NodeId) -> Option<NodeId> {
        self.table.next_hop(destination)
    }

    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        _out: &mut Vec<Action>,
    ) -> Decision {
        provenance.decide(self.table.next_hop(cx.packets[packet].destination))
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Start if self.config.cycle > Dur::ZERO => {
                // Nodes speak at different times of the cycle, each always at the same.
                self.next = cx.now + self.rng.range_dur(Dur::ZERO, self.config.cycle);
                out.put(Action::Arm(self.next));
            }
            Input::Stop if self.config.cycle > Dur::ZERO => {
                self.table = ConfigurationTable::new(self.me);
                self.next = SimTime::MAX;
            }
            Input::Timer if self.next <= cx.now => self.end_cycle(cx.now, out),
            Input::Timer if self.next < SimTime::MAX => out.put(Action::Arm(self.next)),
            Input::Message { packet, from } => self.hear(cx, packet, from, out),
            Input::Start
            | Input::Stop
            | Input::Timer
            | Input::Wanted(_)
            | Input::Overheard(_)
            | Input::Wake => {}
        }
    }

    fn routes_lost(&self) -> u64 {
        self.lost
    }
}
