//! A toy, and a machine that breaks one rule of the contract.

use super::script::NODES;
use crate::contract::{Cx, Sink, drop_packet};
use crate::routing::{Action, AnyRouting, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
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

/// How a machine breaks the contract, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A packet goes on twice.
    ForwardsTwice,
    /// A copy is made, and forgotten.
    Leaks,
    /// A timer is set for an instant that is over.
    ArmsInThePast,
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

impl Fault {
    /// Each, with what a suite says of it.
    pub(super) const ALL: [(Self, &'static str); 9] = [
        (Self::ForwardsTwice, "it forwards a packet that it does not have"),
        (Self::Leaks, "one has leaked"),
        (Self::ArmsInThePast, "timer in the past"),
        (Self::StandsStill, "time stands still"),
        (Self::HidesALoss, "losses were told"),
        (Self::LetsFreshPacketsStay, "the queue has not kept"),
        (Self::SurvivesPowerOff, "after the node went down"),
        (Self::SpeaksWhenDown, "its node is down"),
        (Self::Guesses, "not repeatable"),
    ];
}

/// A machine with one fault.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: AnyRouting,
    fault: Fault,
    number: u32,
    done: bool,
}

impl Faulty {
    pub(super) fn new(inner: AnyRouting, fault: Fault) -> Self {
        let number = crate::testing::serial();
        Self { inner, fault, number, done: false }
    }

    /// Passes answers on, the fault among them.
    fn spoil(&mut self, now: SimTime, answers: Vec<Action>, out: &mut Vec<Action>) {
        for action in answers {
            let fault = if self.done { None } else { Some(self.fault) };
            match (fault, &action) {
                (Some(Fault::ForwardsTwice), Action::Forward { .. }) => out.put(action.clone()),
                (Some(Fault::ArmsInThePast), Action::Arm(_)) if now > SimTime::ZERO => {
                    out.put(Action::Arm(SimTime::ZERO));
                }
                (Some(Fault::HidesALoss), Action::Dropped(_)) => {
                    self.done = true;
                    continue;
                }
                (Some(Fault::Guesses), Action::Arm(at))
                    if self.number / NODES % 2 == 1 && *at < SimTime::MAX =>
                {
                    out.put(Action::Arm(*at + Dur::from_ns(1)));
                }
                _ => {
                    out.put(action);
                    continue;
                }
            }
            self.done = true;
            out.put(action);
        }
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
        let mut answers = Vec::new();
        let decision = self.inner.route(cx, packet, provenance, &mut answers);
        self.spoil(cx.now, answers, out);
        decision
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        let mut answers = Vec::new();
        let disposal = self.inner.given_up(cx, given_up, &mut answers);
        self.spoil(cx.now, answers, out);
        disposal
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match (self.fault, input) {
            (Fault::Leaks, Input::Message { packet, .. }) if !self.done => {
                self.done = true;
                cx.packets.copy(packet);
            }
            (Fault::StandsStill, Input::Timer) => return out.put(Action::Arm(cx.now)),
            (Fault::SurvivesPowerOff, Input::Stop) => return,
            (Fault::SpeaksWhenDown, Input::Stop) => out.put(Action::Withdraw { neighbour: NodeId(0) }),
            _ => {}
        }
        let mut answers = Vec::new();
        self.inner.handle(cx, input, &mut answers);
        self.spoil(cx.now, answers, out);
    }

    fn packets(&self) -> Vec<PacketId> {
        self.inner.packets()
    }
}
