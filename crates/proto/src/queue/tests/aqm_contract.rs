//! One suite over every queue management: timers are for later, what is measured is forgotten with the node and no
//! timer outlives it, an empty queue that begins anew takes what comes, and equal managements answer alike.

use proptest::prelude::*;

use crate::queue::{
    AnyAqm, Aqm, AqmKind, Arriving, CoDelConfig, Leaving, LinkRedConfig, PieConfig, QueueConfig, RedConfig,
    RedUnit, Served, Verdict,
};
use crate::testing::{
    Alarm, Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts,
};
use crate::units::{Bytes, Dur, Entity, Purpose, Rng, SimTime};
use crate::wire::PacketId;

/// What happens to a queue.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A packet of so many bytes arrives; it understands marks or not.
    Arrive(u32, bool),
    /// The head is offered.
    Leave,
    /// The MAC has come to an end with it, after so many attempts.
    Served(u32, bool),
    /// A packet was lost for want of room.
    Overflow,
    /// The node goes down and comes back.
    Restart,
    /// Time passes, in microseconds.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (prop_oneof![Just(0u32), 40u32..1500, Just(u32::MAX)], any::<bool>())
            .prop_map(|(size, marks)| Step::Arrive(size, marks)),
        5 => Just(Step::Leave),
        5 => (prop_oneof![0u32..8, Just(u32::MAX)], any::<bool>())
            .prop_map(|(attempts, delivered)| Step::Served(attempts, delivered)),
        1 => Just(Step::Overflow),
        1 => Just(Step::Restart),
        4 => prop_oneof![0u64..2_000, 2_000u64..5_000_000, Just(1u64 << 50)].prop_map(Step::Wait),
    ]
}

/// Looks at the queue every 100 ms; as long as it finds more than three packets it drops every head.
#[derive(Debug)]
struct Toy {
    next: SimTime,
    waiting: u32,
    drops: bool,
}

impl Toy {
    const fn new() -> Self {
        Self { next: SimTime::MAX, waiting: 0, drops: false }
    }
}

impl Aqm for Toy {
    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict {
        self.waiting = packet.waiting + 1;
        if self.next == SimTime::MAX {
            self.next = now + Dur::from_ms(100);
        }
        if self.drops { Verdict::Notify } else { Verdict::Pass }
    }

    fn leaving(&mut self, _: SimTime, _: &Leaving) -> Verdict {
        if self.drops { Verdict::Drop } else { Verdict::Pass }
    }

    fn restart(&mut self, _: SimTime) {
        *self = Self::new();
    }

    fn timer(&mut self, now: SimTime) {
        self.drops = self.waiting > 3;
        self.next = now + Dur::from_ms(100);
    }

    fn deadline(&self) -> SimTime {
        self.next
    }
}

type Make = fn() -> AnyAqm;

fn made(config: &QueueConfig) -> AnyAqm {
    AnyAqm::new(config, || Rng::stream(1, 1, Entity::Whole, Purpose::Aqm))
}

fn red(red: RedConfig) -> AnyAqm {
    let red = RedConfig { min_threshold: 1.0, max_threshold: 3.0, weight: 0.5, ..red };
    made(&QueueConfig { aqm: AqmKind::Red, red, ..QueueConfig::default() })
}

fn codel(ecn: bool) -> AnyAqm {
    let codel =
        CoDelConfig { interval: Dur::from_ms(10), least_bytes: Bytes(0), ecn, ..CoDelConfig::default() };
    made(&QueueConfig { aqm: AqmKind::Codel, codel, ..QueueConfig::default() })
}

fn pie(pie: PieConfig) -> AnyAqm {
    let pie = PieConfig { least_bytes: Bytes(0), alpha: 10.0, beta: 100.0, ..pie };
    made(&QueueConfig { aqm: AqmKind::Pie, pie, ..QueueConfig::default() })
}

fn link_red(max_p: f64) -> AnyAqm {
    let link_red = LinkRedConfig { max_p, weight: 0.5, ..LinkRedConfig::default() };
    made(&QueueConfig { aqm: AqmKind::LinkRed, link_red, ..QueueConfig::default() })
}

members! {
    AnyAqm => Make {
        Tail { "tail" => || made(&QueueConfig { aqm: AqmKind::Tail, ..QueueConfig::default() }) }
        Red {
            "red" => || red(RedConfig::default()),
            "red, gentle" => || red(RedConfig { gentle: true, mark_limit: 0.1, wait: true, ..RedConfig::default() }),
            "red, bytes" => || red(RedConfig {
                unit: RedUnit::Bytes, count_bytes: true, idle_decay: false, least_waiting: 2, mean_packet: Bytes(1),
                ..RedConfig::default()
            }),
        }
        CoDel {
            "codel" => || codel(true),
            "codel, drops" => || codel(false),
        }
        Pie {
            "pie" => || pie(PieConfig::default()),
            "pie, spread" => || pie(PieConfig { burst: Dur::ZERO, derandomise: true, ecn: false, ..PieConfig::default() }),
        }
        LinkRed { "link-red" => || link_red(0.5), "link-red, certain" => || link_red(1.0) }
        Custom { "toy" => || AnyAqm::Custom(Box::new(Toy::new())) }
    }
}

/// A queue as its management sees it.
struct Rig {
    aqm: AnyAqm,
    now: SimTime,
    alarm: Alarm,
    waiting: Vec<(u32, SimTime)>,
    in_service: bool,
    idle_since: Option<SimTime>,
    /// Nothing has come since it began anew.
    fresh: bool,
    verdicts: Vec<(Verdict, SimTime)>,
}

impl Rig {
    fn new(aqm: AnyAqm) -> Self {
        let (waiting, verdicts) = (Vec::new(), Vec::new());
        let now = SimTime::ZERO;
        Self {
            aqm,
            now,
            alarm: Alarm::OFF,
            waiting,
            in_service: false,
            idle_since: Some(now),
            fresh: true,
            verdicts,
        }
    }

    fn take(&mut self, step: Step) -> Finding {
        match step {
            Step::Arrive(size, marks) => self.arrive(size, marks)?,
            Step::Leave if !self.waiting.is_empty() && !self.in_service => {
                let (size, since) = self.waiting.remove(0);
                let waited = self.now.saturating_since(since);
                let left = self.waiting.iter().map(|&(size, _)| u64::from(size)).sum();
                let ecn = size.is_multiple_of(2);
                let leaving = Leaving { packet: PacketId(0), size: Bytes(size), waited, left, ecn };
                let verdict = self.aqm.leaving(self.now, &leaving);
                self.in_service = verdict != Verdict::Drop;
                self.verdicts.push((verdict, self.aqm.deadline()));
            }
            Step::Served(attempts, delivered) if self.in_service => {
                self.in_service = false;
                self.aqm.served(self.now, &Served { attempts, delivered });
            }
            Step::Overflow => self.aqm.overflowed(),
            Step::Restart => {
                self.aqm.restart(self.now);
                self.waiting.clear();
                (self.in_service, self.fresh) = (false, true);
                self.alarm = Alarm::OFF;
                let at = self.aqm.deadline();
                ensure!(at == SimTime::MAX, "its timer runs after a restart, until {at}");
            }
            Step::Wait(us) => {
                let until = self.now + Dur::from_us(us);
                // It may look every now and then: long waits are cut short.
                for _ in 0..150 {
                    let Some(at) = self.alarm.take(until) else { break };
                    self.now = at;
                    self.aqm.timer(at);
                    self.alarm.arm(at, self.aqm.deadline())?;
                }
                self.now = if self.alarm.at < until { self.now } else { until };
            }
            Step::Leave | Step::Served(..) => {}
        }
        let empty = self.waiting.is_empty() && !self.in_service;
        if empty && self.idle_since.is_none() {
            self.aqm.emptied(self.now);
        }
        self.idle_since = if empty { self.idle_since.or(Some(self.now)) } else { None };
        self.alarm.arm(self.now, self.aqm.deadline()).map(drop)
    }

    fn arrive(&mut self, size: u32, marks: bool) -> Finding {
        let arriving = Arriving {
            packet: PacketId(0),
            size: Bytes(size),
            waiting: self.waiting.len() as u32, // a script is short
            bytes: self.waiting.iter().map(|&(size, _)| u64::from(size)).sum(),
            idle: self.idle_since.map(|since| self.now.saturating_since(since)),
        };
        let verdict = self.aqm.arriving(self.now, &arriving);
        self.verdicts.push((verdict, self.aqm.deadline()));
        ensure!(
            !self.fresh || verdict == Verdict::Pass,
            "the first packet of all is answered with {verdict:?}"
        );
        let silent = verdict == Verdict::Pass && self.aqm.deadline() == SimTime::MAX;
        ensure!(
            silent || !self.aqm.minds_heads_alone(),
            "it minds heads alone, and says {verdict:?} of an arrival"
        );
        self.fresh = false;
        if verdict == Verdict::Pass || verdict == Verdict::Notify && marks {
            self.waiting.push((size, self.now));
        }
        Ok(())
    }
}

fn check(make: impl Fn() -> AnyAqm, steps: &[Step]) -> Finding {
    repeat(|| {
        let mut rig = Rig::new(make());
        for &step in steps {
            rig.take(step).map_err(|error| format!("{error}; after {step:?}"))?;
        }
        Ok(rig.verdicts)
    })
    .map(drop)
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(variant_of(&(member.make)()) == member.variant, "listed under {}", member.variant);
    check(member.make, steps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_management_keeps_the_contract(steps in prop::collection::vec(step(), 0..150)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

/// How a management breaks the contract. It has no packets: what corresponds to a leaked one is one of before a restart
/// that still counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    JudgesArrivalsToo,
    ArmsInThePast,
    RemembersThroughARestart,
    StandsStill,
    OutlivesARestart,
    Guesses,
}

const FAULTS: [Seeded<Fault>; 6] = [
    (Fault::JudgesArrivalsToo, "it minds heads alone"),
    (Fault::ArmsInThePast, "timer in the past"),
    (Fault::RemembersThroughARestart, "the first packet of all"),
    (Fault::StandsStill, "time stands still"),
    (Fault::OutlivesARestart, "its timer runs after a restart"),
    (Fault::Guesses, "not repeatable"),
];

/// A copy of a management, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyAqm,
    fault: Fault,
    number: u32,
    now: SimTime,
    arrived: bool,
    restarted: bool,
}

impl Aqm for Faulty {
    fn arriving(&mut self, now: SimTime, packet: &Arriving) -> Verdict {
        self.now = now;
        let verdict = self.inner.arriving(now, packet);
        let first = !std::mem::replace(&mut self.arrived, true);
        match self.fault {
            Fault::RemembersThroughARestart | Fault::JudgesArrivalsToo if !first => Verdict::Drop,
            Fault::Guesses if self.number % 2 == 1 && packet.waiting > 0 => Verdict::Notify,
            Fault::Guesses => Verdict::Pass,
            _ => verdict,
        }
    }

    fn overflowed(&mut self) {
        self.inner.overflowed();
    }

    fn leaving(&mut self, now: SimTime, packet: &Leaving) -> Verdict {
        self.inner.leaving(now, packet)
    }

    fn served(&mut self, now: SimTime, packet: &Served) {
        self.inner.served(now, packet);
    }

    fn minds_heads_alone(&self) -> bool {
        self.fault == Fault::JudgesArrivalsToo
    }

    fn emptied(&mut self, now: SimTime) {
        self.inner.emptied(now);
    }

    fn restart(&mut self, now: SimTime) {
        self.now = now;
        self.restarted = true;
        self.arrived &= self.fault == Fault::RemembersThroughARestart;
        self.inner.restart(now);
    }

    fn timer(&mut self, now: SimTime) {
        self.now = now;
        self.inner.timer(now);
    }

    fn deadline(&self) -> SimTime {
        match self.fault {
            Fault::ArmsInThePast if self.now > SimTime::ZERO => SimTime::ZERO,
            Fault::StandsStill if self.arrived => self.now,
            Fault::OutlivesARestart if self.restarted => self.now + Dur::from_ms(1),
            _ => self.inner.deadline(),
        }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 80..120), 32);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        let copy = || {
            let (inner, number) = (make(), crate::testing::serial());
            let (now, arrived, restarted) = (SimTime::ZERO, false, false);
            AnyAqm::Custom(Box::new(Faulty { inner, fault, number, now, arrived, restarted }))
        };
        check(copy, steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("queue management", &members(), &FAULTS);
}
