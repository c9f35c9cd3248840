//! A relay with one agent, and all that can happen to it. Whatever the agent answers is checked against the contract.

use proptest::prelude::*;

use crate::contract::{NodeState, Notice, drop_packet};
use crate::proxy::{Action, Agent, Input, Towards, Verdict};
use crate::testing::{Alarm, Finding, cx, ensure, packet as new_packet};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{
    Absorbed, DropReason, Fate, PacketId, PacketStore, Payload, Segment, Signal, SignalKind, UdpDatagram,
    flags,
};

const MSS: u64 = 1000;
const SOURCE: NodeId = NodeId(0);
const DESTINATION: NodeId = NodeId(9);

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A segment passes.
    Passing(Towards, Segment),
    /// A packet of another transport passes.
    Other,
    /// A signal passes, or is for this node.
    Signal(SignalKind, bool),
    Notice(Notice),
    /// The queue has so many places left, and the MAC needs so many attempts.
    Node(u32, f64),
    /// Time passes, in milliseconds; the timer fires meanwhile.
    Wait(u64),
    /// The timer fires early.
    Timer,
    /// The node goes down, or comes back.
    Power,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let flags = prop_oneof![6 => Just(flags::ACK), 1 => Just(flags::SYN), 1 => Just(flags::SYN | flags::ACK), 1 => any::<u8>()];
    let place = || prop_oneof![9 => (0u64..12).prop_map(|n| n * MSS), 1 => 0u64..12 * MSS];
    let forth = (place(), prop_oneof![5 => Just(1000u32), 1 => 0u32..1500], flags.clone()).prop_map(
        |(seq, len, flags)| (Towards::Destination, Segment { seq, len, flags, ..Segment::default() }),
    );
    let back = (place(), flags, prop_oneof![4 => Just(44_000u32), 1 => 0u32..3000]).prop_map(
        |(ack, flags, window)| (Towards::Source, Segment { ack, flags, window, ..Segment::default() }),
    );
    let far = || prop_oneof![Just(1u64 << 60), Just((1u64 << 60) - 500), Just(1u64 << 40)];
    let odd = (any::<bool>(), far(), far(), prop_oneof![Just(0u32), Just(1000), Just(u32::MAX)], any::<u8>())
        .prop_map(|(forth, seq, ack, len, flags)| {
            let towards = if forth { Towards::Destination } else { Towards::Source };
            (towards, Segment { seq, ack, len, flags, ..Segment::default() })
        });
    let segment = prop_oneof![16 => forth, 12 => back, 1 => odd];
    let notice = prop::sample::select(vec![
        Notice::LinkFailed { neighbour: DESTINATION },
        Notice::RouteLost { destination: DESTINATION },
        Notice::RouteFound { destination: DESTINATION, hops: 3 },
        Notice::QueueSpace,
    ]);
    prop_oneof![
        20 => segment.prop_map(|(towards, segment)| Step::Passing(towards, segment)),
        1 => Just(Step::Other),
        1 => (prop::sample::select(SignalKind::ALL.to_vec()), any::<bool>()).prop_map(|(kind, here)| Step::Signal(kind, here)),
        1 => notice.prop_map(Step::Notice),
        1 => (0u32..50, 1.0..8.0).prop_map(|(free, attempts)| Step::Node(free, attempts)),
        6 => prop_oneof![0u64..200, 200u64..5_000, Just(200_000u64)].prop_map(Step::Wait),
        1 => Just(Step::Timer),
        1 => Just(Step::Power),
    ]
}

/// What an agent has answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Did(Action),
    Verdict(Verdict),
    Flushed(usize),
}

pub(super) struct Relay {
    agent: Box<dyn Agent>,
    now: SimTime,
    alarm: Alarm,
    up: bool,
    node: NodeState,
    packets: PacketStore,
    losses: u64,
    trace: Vec<Answer>,
}

impl Relay {
    /// Takes an agent through a script; returns all that it answered.
    pub(super) fn run(agent: Box<dyn Agent>, steps: &[Step]) -> Finding<Vec<Answer>> {
        let mut relay = Self {
            agent,
            now: SimTime::ZERO,
            alarm: Alarm::OFF,
            up: true,
            node: NodeState { queue_free: 50, attempts_average: 1.0, ..NodeState::default() },
            packets: PacketStore::new(1),
            losses: 0,
            trace: Vec::new(),
        };
        for step in steps {
            relay
                .take(*step)
                .and_then(|()| relay.check())
                .map_err(|error| format!("{error}; after {step:?}"))?;
        }
        relay.flush()?;
        relay.check()?;
        Ok(relay.trace)
    }

    fn take(&mut self, step: Step) -> Finding {
        match step {
            Step::Passing(towards, segment) if self.up => self.pass(towards, Payload::Tcp(segment)),
            Step::Other if self.up => {
                self.pass(Towards::Destination, Payload::Udp(UdpDatagram { number: 0, len: 100 }))
            }
            Step::Signal(kind, here) if self.up => self.signal(kind, here),
            Step::Notice(notice) if self.up => self.tell(Input::Notice(notice), PacketId::NONE).map(drop),
            Step::Node(queue_free, attempts_average) => {
                self.node =
                    NodeState { queue_free, attempts_average, queue_length: 50 - queue_free, ..self.node };
                Ok(())
            }
            Step::Wait(ms) => {
                let until = self.now + Dur::from_ms(ms);
                while let Some(at) = self.alarm.take(until) {
                    self.now = at;
                    self.tell(Input::Timer, PacketId::NONE)?;
                }
                self.now = until;
                Ok(())
            }
            Step::Timer => self.tell(Input::Timer, PacketId::NONE).map(drop),
            Step::Power => {
                if self.up {
                    self.flush()?;
                }
                self.up = !self.up;
                self.tell(Input::Notice(Notice::Power { up: self.up }), PacketId::NONE).map(drop)
            }
            Step::Passing(..) | Step::Other | Step::Signal(..) | Step::Notice(_) => Ok(()),
        }
    }

    fn create(&mut self, towards: Towards, payload: Payload) -> PacketId {
        let (source, destination) = match towards {
            Towards::Destination => (SOURCE, DESTINATION),
            Towards::Source => (DESTINATION, SOURCE),
        };
        let mut packet = new_packet(FlowId(0), destination, 100, payload);
        (packet.source, packet.maker, packet.towards, packet.created) = (source, source, towards, self.now);
        self.packets.create(packet)
    }

    fn pass(&mut self, towards: Towards, payload: Payload) -> Finding {
        let id = self.create(towards, payload);
        let verdict = self.tell(Input::Passing(id), id)?;
        self.trace.push(Answer::Verdict(verdict));
        if verdict == Verdict::Keep {
            return Ok(()); // it has it, or has forwarded or lost it: the books say
        }
        ensure!(self.packets.in_custody(id), "it ended or forwarded a packet and answered {verdict:?}");
        ensure!(!self.agent.packets().contains(&id), "it keeps a packet and answered {verdict:?}");
        self.packets.end(
            id,
            if verdict == Verdict::Pass { Fate::HandedOver } else { Fate::Absorbed(Absorbed::Proxy) },
        );
        Ok(())
    }

    fn signal(&mut self, kind: SignalKind, here: bool) -> Finding {
        let signal = Signal { kind, source: SOURCE, destination: DESTINATION, sequence: 0 };
        if !here {
            return self.pass(Towards::Destination, Payload::Signal(signal));
        }
        let id = self.create(Towards::Destination, Payload::Signal(signal));
        self.tell(Input::Signal(id), PacketId::NONE)?;
        ensure!(self.packets.in_custody(id), "it ended a signal that is the node's");
        self.packets.end(id, Fate::Delivered);
        Ok(())
    }

    /// One call; `passing` is the packet that it may forward beside those that it has.
    fn tell(&mut self, input: Input, passing: PacketId) -> Finding<Verdict> {
        let mut before = self.agent.packets();
        before.push(passing);
        let mut out = Vec::new();
        let verdict = self.agent.handle(&mut cx(self.now, &mut self.packets), &self.node, input, &mut out);
        let after = self.agent.packets();
        for action in out {
            let silent = matches!(action, Action::Dropped(_) | Action::Arm(SimTime::MAX));
            ensure!(self.up || silent, "its node is down, and it answers {action:?}");
            match action {
                Action::Arm(at) => {
                    if !self.alarm.arm(self.now, at)? {
                        continue;
                    }
                }
                Action::Forward(id) => {
                    let held = before.contains(&id) && !after.contains(&id) && self.packets.in_custody(id);
                    ensure!(held, "it forwards a packet that it does not have, or keeps it");
                    self.packets.end(id, Fate::HandedOver);
                }
                Action::Resend(id, _) => {
                    ensure!(after.contains(&id), "it sends out of a packet that it does not have")
                }
                Action::Dropped(_) => self.losses += 1,
                Action::Send(..) | Action::Signal { .. } => {}
            }
            self.trace.push(Answer::Did(action));
        }
        Ok(verdict)
    }

    /// The node goes down.
    fn flush(&mut self) -> Finding {
        let lost = self.agent.flush(&mut cx(self.now, &mut self.packets));
        self.trace.push(Answer::Flushed(lost.len()));
        for id in lost {
            ensure!(self.packets.in_custody(id), "it hands over a packet that it does not have");
            drop_packet(&mut cx(self.now, &mut self.packets), id, DropReason::NodeDown);
            self.losses += 1;
        }
        let held = self.agent.packets().len();
        ensure!(held == 0, "it holds {held} packets after the node went down");
        Ok(())
    }

    /// What is alive is the agent's, and each loss was told.
    fn check(&self) -> Finding {
        let held = self.agent.packets();
        ensure!(held.iter().all(|&id| self.packets.in_custody(id)), "it holds a packet that has ended");
        let live = self.packets.live();
        ensure!(live == held.len(), "{live} packets are alive, and it has {}: one has leaked", held.len());
        let lost = self.packets.ledger().dropped.iter().sum::<u64>();
        ensure!(lost == self.losses, "{lost} packets were lost, and {} losses were told", self.losses);
        Ok(())
    }
}
