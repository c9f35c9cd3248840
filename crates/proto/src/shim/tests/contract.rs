//! One suite over every shim: timers are for later, a segment in the place of another carries the same bytes, what is
//! sent again is outstanding, windows and timeouts make sense, TCP is never frozen without a timer, no segment has TCP
//! send another without end, and equal shims answer alike.

mod end;

use proptest::prelude::*;

use self::end::{Connection, Place, Step, step};
use crate::contract::{Control, Cx, End, NodeState};
use crate::shim::{
    Action, AnyShim, AtcpConfig, BackOff, Beginning, ElfnConfig, Input, Probe, Reconnect, Restore,
    Retransmit, Shim, ShimConfig, ShimKind, SplitEndsConfig, TcpFConfig, Verdict,
};
use crate::testing::{
    Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Segment, SignalKind};

type Make = fn() -> (AnyShim, Place);

fn ends(config: &ShimConfig) -> (AnyShim, AnyShim) {
    let ends = (NodeId(0), NodeId(4));
    config.ends(Beginning { rto: Dur::from_secs(3), ssthresh: 40.0, ends, receive_threshold: 1e-10 })
}

fn sender(kind: ShimKind, config: ShimConfig) -> (AnyShim, Place) {
    (ends(&ShimConfig { kind, ..config }).0, Place::Sender)
}

fn receiver(kind: ShimKind, config: ShimConfig) -> (AnyShim, Place) {
    (ends(&ShimConfig { kind, ..config }).1, Place::Receiver)
}

fn plain() -> ShimConfig {
    ShimConfig::default()
}

fn split(ack_every: u32) -> ShimConfig {
    ShimConfig { split_tcp: SplitEndsConfig { ack_every, ..SplitEndsConfig::default() }, ..plain() }
}

fn tcp_f(probe: bool, reset_on_resume: bool) -> ShimConfig {
    ShimConfig { tcp_f: TcpFConfig { probe, reset_on_resume, ..TcpFConfig::default() }, ..plain() }
}

fn elfn(probe: Probe, restore: Restore, probe_rtts: f64) -> ShimConfig {
    let elfn = ElfnConfig { probe, cwnd: restore, rto: restore, probe_rtts, ..ElfnConfig::default() };
    ShimConfig { elfn, ..plain() }
}

fn atcp(retransmit: Retransmit, probe_back_off: BackOff, reconnect: Reconnect) -> ShimConfig {
    let atcp = AtcpConfig { timeout_threshold: Some(2), retransmit, probe_back_off, reconnect };
    ShimConfig { atcp, ..plain() }
}

members! {
    AnyShim => Make {
        None { "none" => || sender(ShimKind::None, plain()) }
        TcpF {
            "tcp-f" => || sender(ShimKind::TcpF, plain()),
            "tcp-f, probes" => || sender(ShimKind::TcpF, tcp_f(true, true)),
        }
        Elfn {
            "elfn" => || sender(ShimKind::Elfn, plain()),
            "elfn, initial" => || sender(ShimKind::Elfn, elfn(Probe::LowestReported, Restore::Initial, 2.0)),
            "elfn, headers" => || sender(ShimKind::Elfn, elfn(Probe::Header, Restore::Saved, 0.0)),
        }
        Atcp {
            "atcp" => || sender(ShimKind::Atcp, plain()),
            "atcp, first lost" => || {
                sender(ShimKind::Atcp, atcp(Retransmit::FirstLost, BackOff::Linear, Reconnect::Anything))
            },
            "atcp, holes" => || sender(ShimKind::Atcp, atcp(Retransmit::Holes, BackOff::Exponential, Reconnect::Answer)),
        }
        Ebsn { "ebsn" => || sender(ShimKind::Ebsn, plain()) }
        FreezeTcp { "freeze-tcp" => || receiver(ShimKind::FreezeTcp, plain()) }
        Enic {
            "enic, source" => || sender(ShimKind::Enic, plain()),
            "enic, destination" => || receiver(ShimKind::Enic, plain()),
        }
        TcpBus { "tcp-bus" => || sender(ShimKind::TcpBus, plain()) }
        Eln { "eln" => || sender(ShimKind::Eln, plain()) }
        SplitTcp {
            "split-tcp, source" => || sender(ShimKind::SplitTcp, plain()),
            "split-tcp, destination" => || receiver(ShimKind::SplitTcp, plain()),
            "split-tcp, each" => || receiver(ShimKind::SplitTcp, split(1)),
        }
        AdtcpSender { "adtcp, source" => || sender(ShimKind::Adtcp, plain()) }
        AdtcpReceiver { "adtcp, destination" => || receiver(ShimKind::Adtcp, plain()) }
        Custom { "toy" => || (AnyShim::Custom(Box::new(Toy::default())), Place::Sender) }
    }
}

/// Freezes TCP for a second for each signal about a lost link.
#[derive(Debug, Default)]
struct Toy {
    frozen: bool,
}

impl Shim for Toy {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: Input<'_>,
        _: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match input {
            Input::Signal { signal, .. } if signal.kind == SignalKind::LinkFailure && !self.frozen => {
                self.frozen = true;
                out.push(Action::Control(Control::Freeze));
                out.push(Action::Arm(cx.now + Dur::from_secs(1)));
            }
            Input::Timer if self.frozen => {
                self.frozen = false;
                out.push(Action::Control(Control::RetransmitAll));
                out.push(Action::Control(Control::Thaw));
            }
            Input::Timeout if self.frozen => return Verdict::Swallow,
            Input::Leaving(segment) => return Verdict::Replace(Segment { window: 1, ..*segment }),
            _ => {}
        }
        Verdict::Pass
    }
}

fn check(make: impl Fn() -> (AnyShim, Place), steps: &[Step]) -> Finding {
    repeat(|| Connection::run(make(), steps)).map(drop)
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(variant_of(&(member.make)().0) == member.variant, "listed under {}", member.variant);
    check(member.make, steps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_shim_keeps_the_contract(steps in prop::collection::vec(step(), 0..120)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How a shim breaks the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    SendsWithoutEnd,
    ArmsInThePast,
    ChangesTheBytes,
    SendsAgainWhatWasNeverSent,
    SetsNoWindow,
    Guesses,
    FreezesForEver,
}

const FAULTS: [Seeded<Fault>; 7] = [
    (Fault::SendsWithoutEnd, "without end"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::ChangesTheBytes, "other bytes in the place of"),
    (Fault::SendsAgainWhatWasNeverSent, "sent again of"),
    (Fault::SetsNoWindow, "a window or threshold of"),
    (Fault::Guesses, "not repeatable"),
    (Fault::FreezesForEver, "it stops for ever"),
];

/// A copy of a shim, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyShim,
    fault: Fault,
    number: u32,
}

impl Shim for Faulty {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let mut verdict = self.inner.handle(cx, node, input, end, out);
        let top = end.sender().map_or(0, |tcp| tcp.max_sent);
        match (self.fault, input) {
            (Fault::SendsWithoutEnd, Input::Leaving(_)) => out.push(Action::Control(Control::Probe)),
            (Fault::ChangesTheBytes, Input::Leaving(segment)) => {
                verdict = Verdict::Replace(Segment { len: segment.len + 1, ..*segment });
            }
            (Fault::Guesses, Input::Leaving(_)) if self.number % 2 == 1 => {
                out.push(Action::Control(Control::SetRto { rto: Dur::from_secs(7) }));
            }
            (Fault::ArmsInThePast, Input::Notice(_)) => out.push(Action::Arm(SimTime::ZERO)),
            (Fault::SendsAgainWhatWasNeverSent, Input::Notice(_)) => {
                out.push(Action::Control(Control::Retransmit { seq: top }));
            }
            (Fault::SetsNoWindow, Input::Notice(_)) => {
                out.push(Action::Control(Control::SetCwnd { segments: f64::NAN }));
            }
            (Fault::FreezesForEver, Input::Notice(_)) => {
                out.push(Action::Control(Control::Freeze));
                out.push(Action::Arm(SimTime::MAX));
            }
            _ => {}
        }
        verdict
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 80..120), 32);
    let suite = |fault, make: &Make, steps: &Vec<Step>| {
        let copy = || {
            let (inner, place) = make();
            let number = crate::testing::serial();
            (AnyShim::Custom(Box::new(Faulty { inner, fault, number })), place)
        };
        check(copy, steps)
    };
    let (for_ever, at_both_ends) = FAULTS.split_last().expect("a fault");
    must_find(at_both_ends, &members(), &scripts, suite);
    let mut senders = members();
    senders.retain(|member| (member.make)().1 == Place::Sender);
    must_find(&[*for_ever], &senders, &scripts, suite);
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("shim", &members(), &FAULTS);
}
