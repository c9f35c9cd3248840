//! One suite over every ACK policy: no ACK waits for half a second or more, none waits under a policy that never lets
//! one wait, the advertised window is within the buffer, asking for it changes nothing, and equal policies answer
//! alike.

use std::cell::Cell;

use proptest::prelude::*;

use crate::contract::ReceiverView;
use crate::tcp::acks::{AckPolicy, AnyAckPolicy, Heard, InOrder, When};
use crate::tcp::config::{ReceiveBuffer, ReceiverConfig, TcpConfig};
use crate::testing::{
    Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Dur, SimTime};
use crate::wire::RangeSet;

/// RFC 9293 §3.8.6.3: the delay of an ACK is less than this.
const LONGEST: Dur = Dur::from_ms(500);

/// What comes to a receiver.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A segment of so many bytes in order.
    InOrder(u32),
    /// One that leaves a gap of so many bytes.
    Beyond(u32, u32),
    /// What fills the gap.
    Filled,
    /// The timer of a pending ACK.
    Timer,
}

fn step() -> impl Strategy<Value = Step> {
    let len = || prop_oneof![4 => Just(1460u32), 2 => 1u32..1460, 1 => Just(u32::MAX)];
    prop_oneof![
        6 => len().prop_map(Step::InOrder),
        2 => (1u32..100_000, len()).prop_map(|(gap, len)| Step::Beyond(gap, len)),
        1 => Just(Step::Filled),
        1 => Just(Step::Timer),
    ]
}

/// Every third segment, and half the buffer.
#[derive(Debug)]
struct Toy;

impl AckPolicy for Toy {
    fn when<'a>(&mut self, segment: &InOrder, _receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        if segment.pending >= 3 { When::Now } else { When::Within(Dur::from_ms(40)) }
    }

    fn window(&self, most: u32, _waiting: &RangeSet) -> u32 {
        most / 2
    }
}

fn every(segments: u32, buffer: ReceiveBuffer) -> AnyAckPolicy {
    AnyAckPolicy::new(&TcpConfig { ack_every: segments, receive_buffer: buffer, ..TcpConfig::default() })
}

fn adaptive(ack_every: u32, quick_acks: u32, ack_delay: Dur) -> AnyAckPolicy {
    let receiver = ReceiverConfig { adaptive_acks: true, ..ReceiverConfig::default() };
    AnyAckPolicy::new(&TcpConfig { ack_every, quick_acks, ack_delay, receiver, ..TcpConfig::default() })
}

fn dynamic(steps: &[u32], buffer: ReceiveBuffer) -> AnyAckPolicy {
    AnyAckPolicy::new(&TcpConfig {
        ack_steps: steps.to_vec(),
        receive_buffer: buffer,
        ..TcpConfig::default()
    })
}

type Make = fn() -> AnyAckPolicy;

members! {
    AnyAckPolicy => Make {
        Every {
            "every segment" => || every(1, ReceiveBuffer::Window),
            "every second" => || every(2, ReceiveBuffer::FreeSpace),
            "every tenth" => || every(10, ReceiveBuffer::Window),
        }
        Adaptive {
            "adaptive" => || adaptive(2, 16, Dur::from_ms(40)),
            "adaptive, with a delay above its longest" => || adaptive(3, 2, Dur::from_ms(450)),
        }
        Quick {
            "quick" => || AnyAckPolicy::new(&TcpConfig { quick_acks: 4, ack_every: 3, ..TcpConfig::default() }),
        }
        Dynamic {
            "dynamic" => || dynamic(&[2, 5, 9], ReceiveBuffer::Window),
            "dynamic, free space" => || dynamic(&[1, 1, 1_000_000], ReceiveBuffer::FreeSpace),
        }
        Custom { "toy" => || AnyAckPolicy::Custom(Box::new(Toy)) }
    }
}

fn check(make: impl Fn() -> AnyAckPolicy, most: u32, steps: &[Step]) -> Finding {
    repeat(|| {
        let mut acks = make();
        let (mut expected, mut pending, mut waiting) = (0u64, 0u32, RangeSet::default());
        let mut answers = Vec::new();
        let mut now = SimTime::ZERO;
        acks.hear(Heard::Opened(now));
        for &step in steps {
            now += Dur::from_ms(u64::from(expected as u8)); // any time
            let before = pending;
            match step {
                Step::InOrder(len) if waiting.is_empty() => {
                    expected += u64::from(len);
                    pending += 1;
                    let seq = expected - u64::from(len);
                    let segment = InOrder { now, seq, len, pending, widened: len % 3 == 0 };
                    let view =
                        || ReceiverView { expected, waiting: &waiting, pending, window: most, frozen: false };
                    let when = acks.when(&segment, &view);
                    match when {
                        When::Now => pending = 0,
                        When::Within(delay) => {
                            ensure!(delay < LONGEST, "an ACK may wait for {delay}");
                            ensure!(acks.may_wait(), "an ACK waits under a policy that never lets one wait");
                        }
                    }
                    answers.push((Some(when), 0));
                }
                Step::Beyond(gap, len) => {
                    let start = expected + u64::from(gap);
                    waiting.insert(start, start + u64::from(len));
                    pending = 0;
                }
                Step::Filled => {
                    expected = waiting.iter().next_back().map_or(expected, |(_, end)| end);
                    waiting.clear();
                    pending = 0;
                }
                Step::Timer | Step::InOrder(_) => {
                    acks.hear(if pending > 0 { Heard::Late } else { Heard::Repeated { window: most } });
                    pending = 0;
                }
            }
            if pending < before {
                acks.hear(Heard::Acknowledged);
            }
            let window = acks.window(most, &waiting);
            ensure!(window <= most, "a window of {window} for a buffer of {most}");
            ensure!(acks.window(most, &waiting) == window, "asking for the window changes it");
            answers.push((None, window));
        }
        Ok(answers)
    })
    .map(drop)
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(variant_of(&(member.make)()) == member.variant, "listed under {}", member.variant);
    [0, 1, 65_535, u32::MAX].iter().try_for_each(|&most| check(member.make, most, steps))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_ack_policy_keeps_the_contract(steps in prop::collection::vec(step(), 0..100)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How a policy breaks the contract. It has neither timers nor packets: what corresponds to a timer in the past is an
/// ACK that waits for no timer at all; to a leaked packet, a window for bytes that have no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    ChangesByAsking,
    WaitsWithoutATimer,
    AdvertisesTooMuch,
    WaitsTooLong,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 5] = [
    (Fault::ChangesByAsking, "asking for the window changes it"),
    (Fault::WaitsWithoutATimer, "a policy that never lets one wait"),
    (Fault::AdvertisesTooMuch, "for a buffer of"),
    (Fault::WaitsTooLong, "an ACK may wait for"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a policy, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyAckPolicy,
    fault: Fault,
    number: u32,
    asked: Cell<u32>,
}

impl AckPolicy for Faulty {
    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        let when = self.inner.when(segment, receiver);
        match self.fault {
            Fault::WaitsTooLong => When::Within(LONGEST),
            Fault::WaitsWithoutATimer => When::Within(Dur::from_ms(1)),
            Fault::Guesses => When::Within(Dur::from_ms(u64::from(self.number % 2))),
            _ => when,
        }
    }

    fn hear(&mut self, what: Heard) {
        self.inner.hear(what);
    }

    fn may_wait(&self) -> bool {
        self.fault != Fault::WaitsWithoutATimer
    }

    fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        self.asked.set(self.asked.get() + 1);
        let window = self.inner.window(most, waiting);
        match self.fault {
            Fault::ChangesByAsking => window.min(most - 1) + self.asked.get() % 2,
            Fault::AdvertisesTooMuch => most + 1,
            _ => window,
        }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 30..50), 16);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        let copy = || {
            let (inner, number) = (make(), crate::testing::serial());
            AnyAckPolicy::Custom(Box::new(Faulty { inner, fault, number, asked: Cell::new(0) }))
        };
        check(copy, 65_535, steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("ACK policy", &members(), &FAULTS);
}
