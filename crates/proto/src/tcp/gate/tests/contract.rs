//! One suite over every gate: a gate that an empty queue faces lets at least one segment through, whatever it has
//! answered before, so that no sender stands still for ever; its counters keep their names and only rise; telling them
//! changes nothing; and equal gates answer alike.

use std::cell::Cell;

use proptest::prelude::*;

use crate::contract::{NodeState, Phase, TcpView};
use crate::tcp::config::GateKind;
use crate::tcp::gate::{AnyGate, Gate};
use crate::testing::{
    Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::RangeSet;

/// The limit of the interface queue.
const LIMIT: u32 = 50;

/// What a gate meets when the sender asks it.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Packets that wait in the interface queue.
    waiting: u32,
    /// Segments that are on their way, and that the window allows.
    in_flight: u32,
    cwnd: u32,
    /// Power of the frame that brought the acknowledgement \[W\].
    power: f64,
}

fn step() -> impl Strategy<Value = Step> {
    let waiting = prop_oneof![1 => Just(0), 1 => Just(LIMIT), 2 => 0..=LIMIT];
    (waiting, 0u32..100, 1u32..100, prop_oneof![Just(0.0), 1e-13..1e-3f64])
        .prop_map(|(waiting, in_flight, cwnd, power)| Step { waiting, in_flight, cwnd, power })
}

/// Half of the free places, and never more than the window leaves.
#[derive(Debug)]
struct Toy;

impl Gate for Toy {
    fn budget<'a>(&mut self, node_state: &NodeState, tcp: &dyn Fn() -> TcpView<'a>) -> u32 {
        node_state.queue_free.div_ceil(2).min(tcp().cwnd.max(1.0) as u32)
    }
}

type Make = fn() -> AnyGate;

members! {
    AnyGate => Make {
        Open { "open" => || AnyGate::new(GateKind::Open) }
        Queue { "interface queue" => || AnyGate::new(GateKind::InterfaceQueue) }
        Custom { "toy" => || AnyGate::Custom(Box::new(Toy)) }
    }
}

/// What a sender shows of itself.
fn view(sacked: &RangeSet, in_flight: u32, cwnd: u32) -> TcpView<'_> {
    let nxt = u64::from(in_flight) * 1460;
    TcpView {
        flow: FlowId(0),
        segment: 1460,
        phase: Phase::Open,
        una: 0,
        nxt,
        max_sent: nxt,
        peer_window: 65_535,
        sacked,
        cwnd: f64::from(cwnd),
        ssthresh: 64.0,
        srtt: None,
        rto: Dur::from_secs(1),
        doublings: 0,
        dupacks: 0,
        timer: SimTime::MAX,
        frozen: false,
    }
}

fn counters(gate: &AnyGate) -> Vec<(&'static str, u64)> {
    let mut all = Vec::new();
    gate.each_counter(&mut |name, count| all.push((name, count)));
    all
}

fn check(make: impl Fn() -> AnyGate, steps: &[Step]) -> Finding {
    repeat(|| {
        let (mut gate, holes) = (make(), RangeSet::default());
        let (mut before, mut answers) = (counters(&gate), Vec::new());
        for &Step { waiting, in_flight, cwnd, power } in steps {
            let node_state = NodeState {
                queue_length: waiting,
                queue_free: LIMIT - waiting,
                received_power: power,
                ..NodeState::default()
            };
            let view = || view(&holes, in_flight, cwnd);
            let budget = gate.budget(&node_state, &view);
            ensure!(waiting > 0 || budget > 0, "it is closed before an empty queue");
            let after = counters(&gate);
            ensure!(after == counters(&gate), "telling a counter changes it");
            let same = |(old, new): (&(&str, u64), &(&str, u64))| old.0 == new.0 && old.1 <= new.1;
            ensure!(
                before.len() == after.len() && before.iter().zip(&after).all(same),
                "a counter falls or changes its name: {before:?}, then {after:?}"
            );
            before = after;
            answers.push(budget);
        }
        Ok((answers, before))
    })
    .map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_gate_keeps_the_contract(steps in prop::collection::vec(step(), 0..100)) {
        for Member { variant, name, make } in members() {
            prop_assert_eq!(variant_of(&make()), variant, "{}", name);
            let found = check(make, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", name);
        }
    }
}

/// How a gate breaks the contract. It has neither timers nor packets: what corresponds to a timer in the past is a
/// sender that stands still for ever; to a leaked packet, a count that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    ChangesByTelling,
    StaysClosed,
    CounterFalls,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 4] = [
    (Fault::ChangesByTelling, "telling a counter changes it"),
    (Fault::StaysClosed, "it is closed before an empty queue"),
    (Fault::CounterFalls, "a counter falls"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a gate, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyGate,
    fault: Fault,
    number: u32,
    asked: u64,
    told: Cell<u64>,
    shut: bool,
}

impl Gate for Faulty {
    fn budget<'a>(&mut self, node_state: &NodeState, tcp: &dyn Fn() -> TcpView<'a>) -> u32 {
        self.asked += 1;
        self.shut |= node_state.queue_free == 0;
        let budget = self.inner.budget(node_state, tcp);
        match self.fault {
            Fault::StaysClosed if self.shut => 0,
            Fault::Guesses => 1 + self.number % 2,
            _ => budget,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.told.set(self.told.get() + 1);
        self.inner.each_counter(tell);
        match self.fault {
            Fault::CounterFalls => tell("gate.copy", u64::MAX - self.asked),
            Fault::ChangesByTelling => tell("gate.copy", self.told.get()),
            _ => {}
        }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 30..50), 16);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        let copy = || {
            let (inner, number, told) = (make(), crate::testing::serial(), Cell::new(0));
            AnyGate::Custom(Box::new(Faulty { inner, fault, number, asked: 0, told, shut: false }))
        };
        check(copy, steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("gate", &members(), &FAULTS);
}
