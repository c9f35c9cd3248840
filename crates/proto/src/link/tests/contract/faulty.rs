//! Copies of members, each with one fault.

use super::{STATIONS, queue};
use crate::contract::{Backlog, Cx, NextHops, Sink, Supply};
use crate::link::machine::Access;
use crate::link::{self, AnyPacketLink, Link, PacketLink};
use crate::mac::{self, AnyMac, Mac, Sensed, Timer};
use crate::testing::Seeded;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Category, Frame, PacketId};

/// How a MAC or a link breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    EndsTwice,
    ArmsInThePast,
    Leaks,
    NeverEnds,
    SendsTwice,
    SpeaksWhenDown,
    DeliversWhatIsLent,
    Guesses,
}

/// Each, with what the suite says of it.
pub(super) const FAULTS: [Seeded<Fault>; 8] = [
    (Fault::EndsTwice, "an end for a packet that it does not have"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::Leaks, "one has leaked"),
    (Fault::NeverEnds, "come to no end"),
    (Fault::SendsTwice, "two transmissions at a time"),
    (Fault::SpeaksWhenDown, "its node is down"),
    (Fault::DeliversWhatIsLent, "it delivers a packet that is not its own copy"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a member, with a fault.
pub(super) fn with(fault: Fault, link: Link) -> Link {
    match link.access {
        Access::Mac(mac) => Link::mac(queue(), Faulty::new(fault, mac)),
        Access::Packets(link) => Link::custom(Faulty::new(fault, link)),
    }
}

/// What an answer of a MAC or of a link says.
enum Said {
    End,
    Transmit,
    Arm(Timer, SimTime),
    Deliver(PacketId, NodeId),
    Other,
}

/// An answer of a MAC or of a link.
trait Answer: Copy {
    fn says(self) -> Said;
    fn arm(timer: Timer, at: SimTime) -> Self;
    fn deliver(packet: PacketId, from: NodeId) -> Self;
}

macro_rules! answer {
    ($module:ident, $end:pat) => {
        impl Answer for $module::Action {
            fn says(self) -> Said {
                match self {
                    $end => Said::End,
                    Self::Transmit(_) => Said::Transmit,
                    Self::Arm(timer, at) => Said::Arm(timer, at),
                    Self::Deliver { packet, from } => Said::Deliver(packet, from),
                    _ => Said::Other,
                }
            }

            fn arm(timer: Timer, at: SimTime) -> Self {
                Self::Arm(timer, at)
            }

            fn deliver(packet: PacketId, from: NodeId) -> Self {
                Self::Deliver { packet, from }
            }
        }
    };
}

answer!(mac, Self::Outcome(..));
answer!(link, Self::Ended(..));

/// A machine with a fault.
#[derive(Debug)]
struct Faulty<Machine> {
    inner: Machine,
    fault: Fault,
    number: u32,
    ends: u32,
}

impl<Machine> Faulty<Machine> {
    fn new(fault: Fault, inner: Machine) -> Self {
        Self { inner, fault, number: crate::testing::serial(), ends: 0 }
    }

    /// Passes answers on, the fault among them; `lent`: the packet of the frame that has been received.
    fn spoil<Action: Answer>(
        &mut self,
        cx: &mut Cx<'_>,
        answers: Vec<Action>,
        lent: Option<PacketId>,
        out: &mut impl Sink<Action>,
    ) {
        for answer in answers {
            match (self.fault, answer.says()) {
                (Fault::EndsTwice, Said::End) | (Fault::SendsTwice, Said::Transmit) => out.put(answer),
                (Fault::NeverEnds, Said::End) => {
                    self.ends += 1;
                    if self.ends == 2 {
                        continue;
                    }
                }
                (Fault::ArmsInThePast, Said::Arm(timer, _)) if cx.now > SimTime::ZERO => {
                    out.put(Action::arm(timer, SimTime::ZERO));
                }
                (Fault::Guesses, Said::Arm(timer, at))
                    if at < SimTime::MAX && self.number / STATIONS as u32 % 2 == 1 =>
                {
                    out.put(Action::arm(timer, at + Dur::from_ns(1)));
                }
                (Fault::Leaks, Said::Deliver(packet, _)) => drop(cx.packets.copy(packet)),
                (Fault::DeliversWhatIsLent, Said::Deliver(_, from)) => {
                    if let Some(lent) = lent {
                        out.put(Action::deliver(lent, from));
                    }
                }
                _ => {}
            }
            out.put(answer);
        }
    }

    /// What it says as its node goes down.
    fn last_words<Action: Answer>(&self, now: SimTime, goes_down: bool, out: &mut impl Sink<Action>) {
        if goes_down && self.fault == Fault::SpeaksWhenDown {
            out.put(Action::arm(Timer::Access, now + Dur::from_ms(1)));
        }
    }
}

/// A packet of a frame, which is lent to those that receive it.
fn lent(cx: &Cx<'_>, frame: &Frame) -> Option<PacketId> {
    let first = (frame.packet != PacketId::NONE).then_some(frame.packet);
    first.or_else(|| cx.packets.mpdus(frame.batch).first().map(|mpdu| mpdu.packet))
}

impl Mac for Faulty<AnyMac> {
    fn handle<B: Backlog, S: Sink<mac::Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        behind: &B,
        mut out: S,
    ) {
        let lent = if let mac::Input::Receive(frame) = input { lent(cx, frame) } else { None };
        let goes_down = input == mac::Input::Power(false);
        let mut answers: Vec<mac::Action> = Vec::new();
        self.inner.handle(cx, input, behind, &mut answers);
        self.spoil(cx, answers, lent, &mut out);
        self.last_words(cx.now, goes_down, &mut out);
    }

    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        self.inner.sense(now, sensed)
    }

    fn wants_frame(&self) -> bool {
        self.inner.wants_frame()
    }

    fn supply(&self) -> Supply {
        self.inner.supply()
    }

    fn asks(&self) -> Option<Supply> {
        self.inner.asks()
    }

    fn supply_for(&self, category: Category) -> Option<Supply> {
        self.inner.supply_for(category)
    }

    fn kept(&self) -> Vec<PacketId> {
        self.inner.kept()
    }

    fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        self.inner.try_update_nav(now, frame)
    }
}

impl PacketLink for Faulty<AnyPacketLink> {
    fn handle<N: NextHops, S: Sink<link::Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: link::Input<'_>,
        next_hops: &N,
        mut out: S,
    ) {
        let lent = if let link::Input::Receive(frame) = input { lent(cx, frame) } else { None };
        let goes_down = input == link::Input::Power(false);
        let mut answers: Vec<link::Action> = Vec::new();
        self.inner.handle(cx, input, next_hops, &mut answers);
        self.spoil(cx, answers, lent, &mut out);
        self.last_words(cx.now, goes_down, &mut out);
    }

    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        self.inner.sense(now, sensed)
    }

    fn packets(&self) -> Vec<PacketId> {
        self.inner.packets()
    }

    fn free(&self) -> u32 {
        self.inner.free()
    }

    fn withdraw(&mut self, cx: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool) {
        self.inner.withdraw(cx, neighbour)
    }
}
