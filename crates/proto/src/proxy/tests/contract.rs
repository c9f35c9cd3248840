//! One suite over every agent: a packet that passes has one holder afterwards, what is sent again is in custody, each
//! loss is told, nothing outlives the node, a node that is down is silent, timers are for later, and equal agents
//! answer alike.

mod relay;

use proptest::prelude::*;

use self::relay::{Relay, Step, step};
use super::rig::tcp;
use crate::contract::{Cx, NodeState, drop_packet};
use crate::proxy::{Action, Agent, Eln, ITcp, Input, Snoop, SplitTcp, Towards, Verdict};
use crate::proxy::{AgentKind, ITcpConfig, SnoopConfig, SplitTcpConfig};
use crate::tcp::{Handshake, TcpConfig};
use crate::testing::{Finding, Member, Seeded, members, must_be_documented, must_find, repeat, scripts};
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::{DropReason, Fate, PacketId, Segment};

type Make = fn() -> Box<dyn Agent>;

fn i_tcp(handshake: Handshake) -> Box<dyn Agent> {
    let tcp = TcpConfig { handshake, ..tcp() };
    Box::new(ITcp::new(ITcpConfig { buffer: 4, min_rto: None }, &tcp, FlowId(0)))
}

fn snoop(cache: u32, tries: u32, tells: bool) -> Box<dyn Agent> {
    Box::new(Snoop::new(SnoopConfig { cache, tries, ..SnoopConfig::default() }, tells))
}

members! {
    AgentKind => Make {
        ITcp {
            "i-tcp" => || i_tcp(Handshake::Syn),
            "i-tcp, no handshake" => || i_tcp(Handshake::None),
        }
        SplitTcp {
            "split-tcp" => || Box::new(SplitTcp::new(SplitTcpConfig { buffer: 4 }, &tcp(), FlowId(0))),
        }
        Snoop { "snoop" => || snoop(100, 10, false), "snoop, two copies" => || snoop(2, 1, false) }
        Eln { "eln" => || Box::new(Eln::default()) }
        SnoopEln { "snoop-eln" => || snoop(3, 2, true) }
    }
}

/// Each kind is listed: a new one does not compile before it is.
const _: fn(&AgentKind) -> &'static str = variant_of;

/// The agents of the crate, and a toy.
fn all() -> Vec<Member<Make>> {
    let toy: Make = || Box::new(Toy::default());
    let mut all = members();
    all.push(Member { variant: "none", name: "toy", make: toy });
    all
}

/// Keeps each data segment for a while, at most two; ACKs pass. A segment too many ends here.
#[derive(Debug, Default)]
struct Toy {
    held: Vec<(SimTime, PacketId)>,
}

impl Toy {
    fn due(&self) -> SimTime {
        self.held.first().map_or(SimTime::MAX, |&(due, _)| due)
    }
}

impl Agent for Toy {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let mut verdict = Verdict::Pass;
        match input {
            Input::Passing(id) if cx.packets[id].towards == Towards::Destination => {
                verdict = if self.held.len() < 2 { Verdict::Keep } else { Verdict::Absorb };
                if verdict == Verdict::Keep {
                    self.held.push((cx.now + Dur::from_ms(300), id));
                    out.push(Action::Resend(id, Segment::default()));
                }
            }
            Input::Passing(_) | Input::Timer | Input::Signal(_) | Input::Notice(_) => {}
        }
        while self.due() <= cx.now {
            out.push(Action::Forward(self.held.remove(0).1));
        }
        out.push(Action::Arm(self.due()));
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.held.iter().map(|&(_, id)| id).collect()
    }

    fn flush(&mut self, _: &mut Cx<'_>) -> Vec<PacketId> {
        self.held.drain(..).map(|(_, id)| id).collect()
    }
}

fn check(make: impl Fn() -> Box<dyn Agent>, steps: &[Step]) -> Finding {
    repeat(|| Relay::run(make(), steps)).map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_agent_keeps_the_contract(steps in prop::collection::vec(step(), 0..120)) {
        for member in all() {
            let found = check(member.make, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How an agent breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    ForwardsWhatPasses,
    ArmsInThePast,
    Leaks,
    EndsWhatPasses,
    HidesALoss,
    SpeaksWhenDown,
    OutlivesTheNode,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 8] = [
    (Fault::ForwardsWhatPasses, "it ended or forwarded a packet and answered"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::Leaks, "one has leaked"),
    (Fault::EndsWhatPasses, "it ended or forwarded a packet and answered"),
    (Fault::HidesALoss, "losses were told"),
    (Fault::SpeaksWhenDown, "its node is down"),
    (Fault::OutlivesTheNode, "after the node went down"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of an agent, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: Box<dyn Agent>,
    fault: Fault,
    number: u32,
    /// A packet that it keeps, and shall not.
    extra: Option<PacketId>,
}

impl Agent for Faulty {
    fn handle(&mut self, cx: &mut Cx<'_>, node: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let verdict = self.inner.handle(cx, node, input, out);
        match (self.fault, input, verdict) {
            (Fault::ForwardsWhatPasses, Input::Passing(id), Verdict::Pass) => out.push(Action::Forward(id)),
            (Fault::EndsWhatPasses, Input::Passing(id), Verdict::Pass) => {
                cx.packets.end(id, Fate::Delivered);
            }
            (Fault::Leaks, Input::Passing(id), Verdict::Pass) => drop(cx.packets.copy(id)),
            (Fault::HidesALoss, Input::Passing(id), Verdict::Pass) => {
                drop_packet(cx, id, DropReason::ProxyOverflow);
                return Verdict::Keep;
            }
            (Fault::OutlivesTheNode, Input::Passing(id), Verdict::Pass) if self.extra.is_none() => {
                self.extra = Some(id);
                return Verdict::Keep;
            }
            (Fault::ArmsInThePast, Input::Passing(_), _) => out.push(Action::Arm(SimTime::ZERO)),
            (Fault::SpeaksWhenDown, Input::Notice(_), _) => {
                out.push(Action::Send(Towards::Source, Segment::default()));
            }
            (Fault::Guesses, Input::Passing(_), Verdict::Pass) if self.number % 2 == 1 => {
                return Verdict::Absorb;
            }
            _ => {}
        }
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.inner.packets().into_iter().chain(self.extra).collect()
    }

    fn flush(&mut self, cx: &mut Cx<'_>) -> Vec<PacketId> {
        self.inner.flush(cx)
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 60..100), 32);
    must_find(&FAULTS, &all(), &scripts, |fault, make, steps| {
        let copy = || -> Box<dyn Agent> {
            let number = crate::testing::serial();
            Box::new(Faulty { inner: make(), fault, number, extra: None })
        };
        check(copy, steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("agent", &all(), &FAULTS);
}
