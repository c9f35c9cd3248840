//! Four nodes of one kind, and all that can happen to them. Whatever a machine answers is checked against the contract.

use proptest::sample::Index;

use super::script::{NODES, Step};
use crate::contract::{Notice, Overheard, drop_packet};
use crate::routing::{Action, AnyRouting, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
use crate::testing::{Alarm, Finding, cx, ensure, packet as new_packet, routing_message, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, DropReason, Fate, PacketId, PacketStore, Payload};

/// A packet that a node's link has.
#[derive(Clone, Copy, Debug)]
struct Flight {
    packet: PacketId,
    from: NodeId,
    to: NodeId,
}

/// What a machine has answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Did(NodeId, Action),
    Decided(Decision),
    Disposed(Disposal),
}

pub(super) struct World {
    now: SimTime,
    machines: Vec<AnyRouting>,
    alarms: Vec<Alarm>,
    up: Vec<bool>,
    packets: PacketStore,
    flights: Vec<Flight>,
    kept: Vec<Flight>,
    /// Losses that a node has reported.
    losses: u64,
    /// Routes that each node has reported as lost.
    routes_lost: Vec<u64>,
    trace: Vec<Answer>,
    /// Whether the short ways are taken, as a node does.
    short: bool,
}

impl World {
    /// Takes machines through a script; returns all that they answered.
    pub(super) fn run(machines: Vec<AnyRouting>, steps: &[Step], short: bool) -> Finding<Vec<Answer>> {
        let nodes = machines.len();
        let mut world = Self {
            now: SimTime::ZERO,
            machines,
            alarms: vec![Alarm::OFF; nodes],
            up: vec![true; nodes],
            packets: PacketStore::new(1),
            flights: Vec::new(),
            kept: Vec::new(),
            losses: 0,
            routes_lost: vec![0; nodes],
            trace: Vec::new(),
            short,
        };
        for node in (0..NODES).map(NodeId) {
            world.tell(node, Input::Start)?;
        }
        for step in steps {
            world
                .take(step)
                .and_then(|()| world.check())
                .map_err(|error| format!("{error}; after {step:?}"))?;
        }
        for node in (0..NODES).map(NodeId) {
            world.stop(node)?;
        }
        world.check()?;
        Ok(world.trace)
    }

    fn take(&mut self, step: &Step) -> Finding {
        match *step {
            Step::Wait(ms) => self.wait(Dur::from_ms(ms)),
            Step::Send(from, to) if from != to && self.is_up(NodeId(from)) => {
                let packet = udp(&mut self.packets, FlowId(0), NodeId(to), 0, 200);
                (self.packets[packet].source, self.packets[packet].maker) = (NodeId(from), NodeId(from));
                self.ask(NodeId(from), packet, Provenance::Here)
            }
            Step::Arrive(which) => self.take_flight(which).map_or(Ok(()), |flight| self.arrive(flight)),
            Step::GiveUp(which, keep) => {
                self.take_flight(which).map_or(Ok(()), |flight| self.give_up(flight, keep))
            }
            Step::Retry(which) if !self.kept.is_empty() => {
                let Flight { packet, from, to } = self.kept.remove(which.index(self.kept.len()));
                self.ask(from, packet, Provenance::Kept(to))
            }
            Step::Garble(which, at, byte) => {
                if let Some(flight) = self.take_flight(which) {
                    self.garble(flight.packet, at, byte);
                    self.flights.push(flight);
                }
                Ok(())
            }
            Step::Bytes(from, to, protocol, ref bytes) if from != to && self.is_up(NodeId(to)) => {
                let packet = routing_message(&mut self.packets, protocol, bytes);
                self.tell(NodeId(to), Input::Message { packet, from: NodeId(from) })
            }
            Step::Wanted(node, to) if self.is_up(NodeId(node)) => {
                self.tell(NodeId(node), Input::Wanted(NodeId(to)))
            }
            Step::Timer(node) => self.tell(NodeId(node), Input::Timer),
            Step::Power(node) if self.is_up(NodeId(node)) => self.stop(NodeId(node)),
            Step::Power(node) => {
                self.up[node as usize] = true;
                self.tell(NodeId(node), Input::Start)
            }
            Step::Send(..) | Step::Retry(_) | Step::Bytes(..) | Step::Wanted(..) => Ok(()),
        }
    }

    fn is_up(&self, node: NodeId) -> bool {
        self.up.get(node.index()).copied().unwrap_or(false)
    }

    fn take_flight(&mut self, which: Index) -> Option<Flight> {
        let count = self.flights.len();
        (count > 0).then(|| self.flights.remove(which.index(count)))
    }

    fn wait(&mut self, gap: Dur) -> Finding {
        let until = self.now + gap;
        for _ in 0..10_000 {
            let Some(node) = (0..self.alarms.len()).min_by_key(|&node| self.alarms[node].at) else { break };
            let Some(at) = self.alarms[node].take(until) else {
                self.now = until;
                return Ok(());
            };
            self.now = at;
            self.tell(NodeId(node as u32), Input::Timer)?; // below NODES
        }
        Err(format!("timers without end between {} and {until}", self.now))
    }

    /// The node goes down with all that its link has.
    fn stop(&mut self, node: NodeId) -> Finding {
        let (gone, flights) =
            std::mem::take(&mut self.flights).into_iter().partition(|flight| flight.from == node);
        let (lost, kept): (Vec<_>, _) =
            std::mem::take(&mut self.kept).into_iter().partition(|flight| flight.from == node);
        (self.flights, self.kept) = (flights, kept);
        let gone: Vec<Flight> = gone;
        for flight in gone.iter().chain(&lost) {
            self.lose(flight.packet, DropReason::NodeDown);
        }
        self.up[node.index()] = false;
        self.tell(node, Input::Stop)?;
        let held = self.machines[node.index()].packets().len();
        ensure!(held == 0, "it holds {held} packets after the node went down");
        Ok(())
    }

    fn lose(&mut self, packet: PacketId, reason: DropReason) {
        drop_packet(&mut cx(self.now, &mut self.packets), packet, reason);
        self.losses += 1;
    }

    fn garble(&mut self, packet: PacketId, at: Index, byte: u8) {
        let change = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if !bytes.is_empty() {
                let place = at.index(bytes.len());
                bytes[place] = byte;
            }
            bytes.into()
        };
        let size = self.packets[packet].size;
        if let Some(header) = self.packets[packet].header {
            let bytes = self.packets.header(packet).map(|bytes| change(bytes));
            self.packets.set_header(packet, bytes.map(|bytes| (header.protocol, bytes)));
            if let Some(new) = &mut self.packets[packet].header {
                new.cursor = header.cursor;
            }
        } else if let Some(bytes) = self.packets.message(packet).map(|bytes| change(bytes)) {
            self.packets.set_message(packet, bytes, size);
        }
    }

    fn arrive(&mut self, flight: Flight) -> Finding {
        let Flight { packet, from, to } = flight;
        if !to.is_broadcast() {
            if !self.is_up(to) {
                return self.give_up(flight, false);
            }
            for node in (0..NODES).map(NodeId).filter(|&node| node != from && node != to) {
                if self.is_up(node) && self.machines[node.index()].overhears() {
                    self.tell(node, Input::Overheard(Overheard { from, to, packet, power: 1e-9 }))?;
                    ensure!(self.packets.in_custody(packet), "it ended a packet that it only overheard");
                }
            }
            let copy = self.packets.receive(packet);
            self.packets.end(packet, Fate::HandedOver);
            return self.receive(to, copy, from);
        }
        for node in (0..NODES).map(NodeId).filter(|&node| node != from) {
            if !self.is_up(node) {
                continue;
            }
            let machine = &mut self.machines[node.index()];
            if self.short && machine.is_known_flood(&cx(self.now, &mut self.packets), packet, from) {
                self.packets.receive_in_vain(packet);
                continue;
            }
            let copy = self.packets.receive(packet);
            self.receive(node, copy, from)?;
        }
        self.packets.end(packet, Fate::Absorbed(Absorbed::Broadcast));
        Ok(())
    }

    /// As the network layer of a node takes a packet from below.
    fn receive(&mut self, node: NodeId, packet: PacketId, from: NodeId) -> Finding {
        let header = &mut self.packets[packet];
        if let Payload::Message { .. } = header.payload {
            self.tell(node, Input::Message { packet, from })
        } else if header.destination == node {
            self.packets.end(packet, Fate::Delivered);
            Ok(())
        } else if header.ttl <= 1 {
            self.lose(packet, DropReason::Expired);
            Ok(())
        } else {
            header.ttl -= 1;
            self.ask(node, packet, Provenance::Neighbour(from))
        }
    }

    fn tell(&mut self, node: NodeId, input: Input) -> Finding {
        let mut out = Vec::new();
        self.machines[node.index()].handle(&mut cx(self.now, &mut self.packets), input, &mut out);
        self.apply(node, out)
    }

    fn ask(&mut self, node: NodeId, packet: PacketId, provenance: Provenance) -> Finding {
        let machine = &mut self.machines[node.index()];
        let known =
            if self.short { machine.known(self.now, &self.packets[packet], provenance) } else { None };
        let mut out = Vec::new();
        let decision = match known {
            Some(to) => Decision::To(to),
            None => machine.route(&mut cx(self.now, &mut self.packets), packet, provenance, &mut out),
        };
        self.trace.push(Answer::Decided(decision));
        self.apply(node, out)?;
        if decision == Decision::Waiting {
            return Ok(()); // the machine has it, forwards it or has told its loss: the books say
        }
        ensure!(self.packets.in_custody(packet), "it ended a packet and answered {decision:?}");
        self.is_not_held(node, packet, decision)?;
        match (decision, provenance) {
            (Decision::To(to), _) => {
                ensure!(to != node && !to.is_broadcast(), "{node:?} sends a packet to {to:?}");
                self.flights.push(Flight { packet, from: node, to });
            }
            (Decision::Refused(reason), _) => self.lose(packet, reason),
            (Decision::Stays, Provenance::Kept(to)) => self.kept.push(Flight { packet, from: node, to }),
            (Decision::Stays, _) => return Err("a packet stays that the queue has not kept".into()),
            (Decision::Waiting, _) => {}
        }
        Ok(())
    }

    fn is_not_held(&self, node: NodeId, packet: PacketId, answer: impl std::fmt::Debug) -> Finding {
        let held = self.machines[node.index()].packets().contains(&packet);
        let sent = self.flights.iter().chain(&self.kept).any(|flight| flight.packet == packet);
        ensure!(!held && !sent, "it kept or forwarded a packet and answered {answer:?}");
        Ok(())
    }

    /// The MAC gives a packet up.
    fn give_up(&mut self, flight: Flight, keep: bool) -> Finding {
        let Flight { packet, from, to } = flight;
        if to.is_broadcast() {
            self.packets.end(packet, Fate::Absorbed(Absorbed::Broadcast)); // heard by none
            return Ok(());
        }
        let mut out = Vec::new();
        let given_up = GivenUp { packet, to, reason: DropReason::RetryLimitRts };
        let machine = &mut self.machines[from.index()];
        let disposal = machine.given_up(&mut cx(self.now, &mut self.packets), given_up, &mut out);
        self.trace.push(Answer::Disposed(disposal));
        self.apply(from, out)?;
        if disposal == Disposal::Taken {
            return Ok(());
        }
        ensure!(self.packets.in_custody(packet), "it ended a packet and answered {disposal:?}");
        self.is_not_held(from, packet, disposal)?;
        if keep || disposal == Disposal::Keep {
            self.kept.push(flight);
        } else {
            self.lose(packet, DropReason::RetryLimitRts);
        }
        Ok(())
    }

    fn apply(&mut self, node: NodeId, actions: Vec<Action>) -> Finding {
        for action in actions {
            let silent = matches!(action, Action::Dropped(_) | Action::Notice(_) | Action::Arm(SimTime::MAX));
            ensure!(self.up[node.index()] || silent, "its node is down, and it answers {action:?}");
            if let Action::Arm(at) = action {
                if self.alarms[node.index()].arm(self.now, at)? {
                    self.trace.push(Answer::Did(node, action));
                }
                continue;
            }
            self.trace.push(Answer::Did(node, action.clone()));
            match action {
                Action::Send(message) => self.send(node, message)?,
                Action::Forward { packet, to, .. } => {
                    let there = self.flights.iter().chain(&self.kept).any(|flight| flight.packet == packet);
                    ensure!(
                        self.packets.in_custody(packet) && !there,
                        "it forwards a packet that it does not have"
                    );
                    ensure!(to != node, "{node:?} forwards a packet to itself");
                    self.flights.push(Flight { packet, from: node, to });
                }
                Action::Withdraw { neighbour } => self.withdraw(node, neighbour)?,
                Action::Dropped(_) => self.losses += 1,
                Action::Notice(Notice::RouteLost { .. }) => self.routes_lost[node.index()] += 1,
                Action::Signal { .. } | Action::Notice(_) | Action::Arm(_) => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, node: NodeId, message: Outgoing) -> Finding {
        let Outgoing { protocol, body, size, destination, to, ttl, .. } = message;
        ensure!(ttl > 0 && to != node, "a message with hop limit {ttl} to {to:?}");
        let payload = self.packets.payload(protocol, body);
        let mut packet = new_packet(FlowId::NONE, destination, size.0, payload);
        (packet.source, packet.maker, packet.ttl) = (node, node, ttl);
        let packet = self.packets.create(packet);
        self.flights.push(Flight { packet, from: node, to });
        Ok(())
    }

    fn withdraw(&mut self, node: NodeId, neighbour: NodeId) -> Finding {
        let waits = |flight: &Flight| flight.from == node && flight.to == neighbour;
        let (withdrawn, flights): (Vec<_>, _) =
            std::mem::take(&mut self.flights).into_iter().partition(waits);
        self.flights = flights;
        for flight in withdrawn {
            self.ask(node, flight.packet, Provenance::Withdrawn(neighbour))?;
        }
        Ok(())
    }

    /// Each packet is in one place, and each loss was told.
    fn check(&self) -> Finding {
        let mut places: Vec<PacketId> =
            self.flights.iter().chain(&self.kept).map(|flight| flight.packet).collect();
        for (machine, told) in self.machines.iter().zip(&self.routes_lost) {
            places.extend(machine.packets());
            let counted = machine.routes_lost();
            ensure!(counted == *told, "it counts {counted} lost routes, and has told of {told}");
        }
        let count = places.len();
        places.sort_unstable_by_key(|packet| packet.0);
        places.dedup();
        ensure!(places.len() == count, "a packet is in two places");
        ensure!(
            places.iter().all(|&packet| self.packets.in_custody(packet)),
            "it holds a packet that has ended"
        );
        let live = self.packets.live();
        ensure!(live == count, "{live} packets are alive, and {count} are somewhere: one has leaked");
        let ledger = self.packets.ledger();
        let lost = ledger.dropped.iter().sum::<u64>();
        ensure!(lost == self.losses, "{lost} packets were lost, and {} losses were told", self.losses);
        ensure!(ledger.inside() == Some(live as u64), "the ledger does not balance: {ledger:?}");
        Ok(())
    }
}
