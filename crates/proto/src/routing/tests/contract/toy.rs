//! A toy, and a machine that breaks one rule of the contract.

use super::script::NODES;
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::{Action, AnyRouting, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
use crate::testing::Seeded;
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Protocol};

/// Every packet waits a while and then goes to the next number.
#[derive(Debug)]
pub(super) struct Toy {
    me: NodeId,
    waiting: Vec<PacketId>,
    /// When what waits goes on.
    due: SimTime,
}

impl Toy {
    pub(super) const fn new(me: NodeId) -> Self {
        Self { me, waiting: Vec::new(), due: SimTime::MAX }
    }

    fn keep(&mut self, now: SimTime, packet: PacketId, out: &mut Vec<Action>) {
        self.waiting.push(packet);
        self.due = self.due.min(now + Dur::from_ms(20));
        out.put(Action::Arm(self.due));
    }

    fn next(&self) -> NodeId {
        NodeId((self.me.0 + 1) % NODES)
    }
}

impl Routing for Toy {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        match provenance {
            Provenance::Here => self.keep(cx.now, packet, out),
            Provenance::Neighbour(_) => return Decision::To(self.next()),
            Provenance::Kept(_) => return Decision::Stays,
            Provenance::Withdrawn(_) => return Decision::Refused(DropReason::NoRoute),
        }
        Decision::Waiting
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        if self.waiting.len() > 3 {
            return if given_up.to.0 == 0 { Disposal::Keep } else { Disposal::Leave };
        }
        self.keep(cx.now, given_up.packet, out);
        Disposal::Taken
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Timer if self.due <= cx.now => {
                self.due = SimTime::MAX;
                for packet in self.waiting.drain(..) {
                    let to = NodeId((self.me.0 + 1) % NODES);
                    out.put(Action::Forward { packet, to, delay: Dur::ZERO });
                }
            }
            Input::Timer => out.put(Action::Arm(self.due)),
            Input::Stop => {
                self.due = SimTime::MAX;
                for packet in self.waiting.drain(..) {
                    out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NodeDown)));
                }
            }
            Input::Message { packet, .. } => cx.packets.end(packet, Fate::Delivered),
            Input::Wanted(destination) => out.put(Action::Send(Outgoing {
                protocol: Protocol::Experimental,
                body: [1].into(),
                size: Bytes(21),
                destination,
                to: NodeId::BROADCAST,
                ttl: 1,
                delay: Dur::ZERO,
            })),
            Input::Start | Input::Overheard(_) | Input::Wake => {}
        }
    }

    fn overhears(&self) -> bool {
        true
    }

    fn packets(&self) -> Vec<PacketId> {
        self.waiting.clone()
    }
}

/// How a machine breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// If it names a neighbour for a packet, the packet also goes there. A packet that it refuses is already lost.
    EndsTwice,
    /// A timer is set for an instant that is over.
    ArmsInThePast,
    /// A copy is made, and forgotten.
    Leaks,
    /// A timer is set for this very instant, for ever.
    StandsStill,
    /// A loss is not told.
    HidesALoss,
    /// A packet stays in a queue that does not have it.
    LetsFreshPacketsStay,
    /// What it has is not lost with the node.
    SurvivesPowerOff,
    /// It sends while its node is down.
    SpeaksWhenDown,
    /// It answers by something else than state and input.
    Guesses,
}

/// Each, with what the suite says of it.
pub(super) const FAULTS: [Seeded<Fault>; 9] = [
    (Fault::EndsTwice, "a packet and answered"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::Leaks, "one has leaked"),
    (Fault::StandsStill, "time stands still"),
    (Fault::HidesALoss, "losses were told"),
    (Fault::LetsFreshPacketsStay, "the queue has not kept"),
    (Fault::SurvivesPowerOff, "after the node went down"),
    (Fault::SpeaksWhenDown, "its node is down"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a machine, with one fault.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: AnyRouting,
    fault: Fault,
    number: u32,
    /// A packet that it keeps, and shall not.
    extra: Option<PacketId>,
}

impl Faulty {
    pub(super) fn new(inner: AnyRouting, fault: Fault) -> Self {
        Self { inner, fault, number: crate::testing::serial(), extra: None }
    }
}

impl Routing for Faulty {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        if self.fault == Fault::LetsFreshPacketsStay && provenance == Provenance::Here {
            return Decision::Stays;
        }
        if self.fault == Fault::SurvivesPowerOff && self.extra.is_none() {
            self.extra = Some(packet);
            return Decision::Waiting;
        }
        let decision = self.inner.route(cx, packet, provenance, out);
        match (self.fault, decision) {
            (Fault::EndsTwice, Decision::To(to)) => {
                out.put(Action::Forward { packet, to, delay: Dur::ZERO });
            }
            (Fault::EndsTwice, Decision::Refused(reason)) => {
                out.put(Action::Dropped(drop_packet(cx, packet, reason)));
            }
            (Fault::HidesALoss, Decision::To(_) | Decision::Refused(_)) => {
                drop_packet(cx, packet, DropReason::NoRoute);
                return Decision::Waiting;
            }
            _ => {}
        }
        decision
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        self.inner.given_up(cx, given_up, out)
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match (self.fault, input) {
            (Fault::Leaks, Input::Message { packet, .. }) => drop(cx.packets.copy(packet)),
            (Fault::StandsStill, Input::Timer) => return out.put(Action::Arm(cx.now)),
            (Fault::ArmsInThePast, Input::Timer) if cx.now > SimTime::ZERO => {
                out.put(Action::Arm(SimTime::ZERO));
            }
            (Fault::SpeaksWhenDown, Input::Stop) => out.put(Action::Withdraw { neighbour: NodeId(0) }),
            (Fault::Guesses, Input::Wanted(_)) if self.number / NODES % 2 == 1 => {
                out.put(Action::Withdraw { neighbour: NodeId(0) });
            }
            _ => {}
        }
        self.inner.handle(cx, input, out);
    }

    fn packets(&self) -> Vec<PacketId> {
        self.inner.packets().into_iter().chain(self.extra).collect()
    }

    fn overhears(&self) -> bool {
        self.inner.overhears()
    }

    fn routes_lost(&self) -> u64 {
        self.inner.routes_lost()
    }
}
