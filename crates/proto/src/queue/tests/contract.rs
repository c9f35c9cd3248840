//! One suite over every configuration: whatever happens, every packet is waiting, handed over or dropped with a reason;
//! classes stay in order; the limit holds; room after a full queue is told; no class starves; equal queues answer
//! alike.

use std::collections::{HashMap, VecDeque};

use proptest::prelude::*;

use super::rig::{Answer, Do, Rig};
use crate::contract::Backlog;
use crate::queue::{
    AnyTurns, AqmBy, AqmKind, ClassBy, ClassTable, CoDelConfig, LimitRule, LinkRedConfig, OnGiveUp, Overflow,
    PieConfig, QueueConfig, RedConfig, Service, Turns,
};
use crate::testing::{
    Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts, us,
};
use crate::units::{Bytes, Dur, NodeId, SimTime};

type Make = fn() -> Vec<QueueConfig>;

/// A configuration, and whether the toy stands in the place of its discipline.
type Served = (QueueConfig, bool);

fn of(class_by: ClassBy, aqm: AqmKind, class_limit: Option<u32>) -> QueueConfig {
    let red = RedConfig { min_threshold: 1.0, max_threshold: 4.0, weight: 0.5, ..RedConfig::default() };
    let link_red = LinkRedConfig { min_threshold: 0.0, max_p: 0.5, weight: 0.5, ..LinkRedConfig::default() };
    let codel = CoDelConfig {
        target: Dur::from_us(500),
        interval: Dur::from_ms(2),
        least_bytes: Bytes(0),
        ..CoDelConfig::default()
    };
    let pie = PieConfig {
        burst: Dur::ZERO,
        least_bytes: Bytes(0),
        alpha: 10.0,
        beta: 100.0,
        ..PieConfig::default()
    };
    QueueConfig { class_by, aqm, red, link_red, codel, pie, class_limit, ..QueueConfig::default() }
}

fn fq_codel(aqm: AqmKind, limit_bytes: Option<Bytes>) -> QueueConfig {
    QueueConfig { limit_bytes, aqm_by: AqmBy::Class, ..of(ClassBy::Flow, aqm, None) }
}

members! {
    Service => Make {
        Fifo { "fifo" => || vec![
            of(ClassBy::Destination, AqmKind::Tail, None),
            of(ClassBy::Destination, AqmKind::Red, None),
            of(ClassBy::Destination, AqmKind::LinkRed, None),
            of(ClassBy::Destination, AqmKind::Codel, None),
            of(ClassBy::Destination, AqmKind::Pie, None),
        ] }
        Drr {
            "drr" => || vec![
                of(ClassBy::Destination, AqmKind::Tail, None),
                of(ClassBy::Destination, AqmKind::Red, None),
                of(ClassBy::NextHop, AqmKind::Tail, Some(2)),
                of(ClassBy::Flow, AqmKind::Red, Some(3)),
                of(ClassBy::Flow, AqmKind::LinkRed, None),
                of(ClassBy::Kind, AqmKind::Tail, None),
            ],
            "toy" => || vec![
                of(ClassBy::Destination, AqmKind::Tail, None),
                of(ClassBy::Flow, AqmKind::Red, Some(3)),
            ],
        }
        Fq { "fq" => || vec![
            of(ClassBy::Flow, AqmKind::Tail, None),
            of(ClassBy::Destination, AqmKind::Red, Some(3)),
            of(ClassBy::NextHop, AqmKind::LinkRed, None),
            fq_codel(AqmKind::Codel, None),
            fq_codel(AqmKind::Pie, Some(Bytes(4_000))),
        ] }
        Airtime { "airtime" => || vec![
            of(ClassBy::Flow, AqmKind::Tail, None),
            of(ClassBy::NextHop, AqmKind::Red, Some(3)),
            fq_codel(AqmKind::Codel, Some(Bytes(4_000))),
        ] }
        Priority { "priority" => || vec![
            of(ClassBy::Kind, AqmKind::Tail, Some(2)),
            of(ClassBy::Kind, AqmKind::Red, None),
        ] }
    }
}

/// Classes take turns, a packet each.
#[derive(Debug, Default)]
struct Toy {
    active: VecDeque<usize>,
    turns: u64,
}

impl Turns for Toy {
    fn activate(&mut self, class: usize, _to: NodeId) {
        self.active.push_back(class);
    }

    fn next(&mut self, _classes: &ClassTable) -> Option<usize> {
        self.active.front().copied()
    }

    fn partner(&mut self, _classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize> {
        self.active.iter().copied().find(|&class| !taken(class))
    }

    fn charge(&mut self, class: usize, _size: Bytes, emptied: bool) {
        if emptied {
            self.retire(class);
        } else {
            self.rotate(class);
        }
    }

    fn refund(&mut self, class: usize, _size: Bytes) {
        self.retire(class);
        self.active.push_back(class);
    }

    fn rotate(&mut self, class: usize) {
        self.turns += u64::from(self.active.len() > 1);
        self.refund(class, Bytes(0));
    }

    fn retire(&mut self, class: usize) {
        self.active.retain(|&active| active != class);
    }

    fn clear(&mut self) {
        self.active.clear();
    }

    fn turns(&self) -> u64 {
        self.turns
    }
}

/// Each service is listed: a new one does not compile before it is.
const SERVICES: [Service; 5] =
    [Service::Fifo, Service::Drr, Service::Fq, Service::Airtime, Service::Priority];

/// The members, each with its configurations.
fn served() -> Vec<Member<Vec<Served>>> {
    let configured = |Member { variant, name, make }: Member<Make>| {
        let service = SERVICES.into_iter().find(|service| variant_of(service) == variant);
        let service = service.unwrap_or_else(|| panic!("{variant} is missing among the services"));
        let make = make().into_iter().map(|it| (QueueConfig { service, ..it }, name == "toy")).collect();
        Member { variant, name, make }
    };
    members().into_iter().map(configured).collect()
}

/// Every combination of the switches, at one limit and quantum.
fn configurations(limit: u32, quantum: u32) -> Vec<Served> {
    let limit_rule = match limit % 3 {
        _ if limit == 1 => LimitRule::UpTo, // below 1 there is none
        0 => LimitRule::Below,
        1 => LimitRule::InService,
        _ => LimitRule::UpTo,
    };
    let mut all = Vec::new();
    for member in served() {
        for (config, toy) in member.make {
            for (on_give_up, keep_limit) in
                [(OnGiveUp::Drop, None), (OnGiveUp::Keep, None), (OnGiveUp::Keep, Some(2))]
            {
                for routing_priority in [false, true] {
                    for overflow in [Overflow::TailOfLongest, Overflow::Arriving, Overflow::HeadOfFattest] {
                        let config = QueueConfig {
                            limit,
                            limit_rule,
                            quantum: Bytes(quantum),
                            on_give_up,
                            keep_limit,
                            routing_priority,
                            overflow,
                            ..config.clone()
                        };
                        all.push((config, toy));
                    }
                }
            }
        }
    }
    all
}

fn action() -> impl Strategy<Value = Do> {
    prop_oneof![
        6 => (0u32..6, 20u32..1500).prop_map(|(destination, size)| Do::Put(destination, size)),
        1 => Just(Do::PutRouting),
        4 => Just(Do::Serve),
        3 => Just(Do::Delivered),
        2 => Just(Do::GaveUp),
        1 => Just(Do::Held),
        1 => (0u32..3).prop_map(|n| if n == 0 { Do::Flush } else { Do::Serve }),
    ]
}

/// What a queue that breaks the contract does, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    OffersTwice,
    WakesInThePast,
    Leaks,
    HidesALoss,
    Overtakes,
    Starves,
    HidesRoom,
}

/// How a MAC is given packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mac {
    /// Heads: two at most, of different classes.
    IsLent,
    /// Those for one next hop, up to six.
    Takes,
}

const FAULTS: [Seeded<Fault>; 7] = [
    (Fault::OffersTwice, "one frame of a class out at a time"),
    (Fault::WakesInThePast, "its timer is set for"),
    (Fault::Leaks, "one has leaked"),
    (Fault::HidesALoss, "losses were told"),
    (Fault::Overtakes, "overtakes"),
    (Fault::Starves, "a class starves"),
    (Fault::HidesRoom, "there is room again"),
];

impl Fault {
    /// Spoils the answers to one step; returns whether it has.
    fn spoil(
        self,
        rig: &mut Rig,
        (now, step): (SimTime, Do),
        answers: &mut Vec<Answer>,
        out: &mut [u64],
    ) -> bool {
        let offered = answers.iter().copied().find(|answer| matches!(answer, Answer::Offered(_)));
        let dropped = answers.iter().position(|answer| matches!(answer, Answer::Dropped(..)));
        let space = answers.iter().position(|answer| matches!(answer, Answer::Space));
        match (self, offered, dropped) {
            (Self::OffersTwice, Some(offer), _) => answers.push(offer),
            (Self::WakesInThePast, ..) if now > us(0) => answers.push(Answer::Wake),
            (Self::HidesALoss, _, Some(place)) => drop(answers.remove(place)),
            (Self::Leaks, ..) if matches!(step, Do::Put(..)) => drop(rig.feed(now, Do::Put(1, 100))),
            // The frame that got through is a later one: the next will seem to come before it.
            (Self::Overtakes, ..) if matches!(step, Do::Delivered) && !out.is_empty() => out[0] += 1000,
            (Self::HidesRoom, ..) if let Some(place) = space => drop(answers.remove(place)),
            _ => return false,
        }
        true
    }
}

/// A MAC that gets everything through empties the queue.
fn empty(rig: &mut Rig, now: SimTime, out: usize, starves: bool) -> Finding {
    for _ in 0..out {
        rig.feed(now, Do::Delivered);
    }
    let held = rig.queue.held().count();
    let mut served = 0;
    for _ in usize::from(starves)..held {
        // The management may drop heads on the way.
        let answers = rig.feed(now, Do::Serve);
        let offered = answers.iter().filter(|answer| matches!(answer, Answer::Offered(_) | Answer::Again(_)));
        served +=
            offered.count() + answers.iter().filter(|answer| matches!(answer, Answer::Dropped(..))).count();
        rig.feed(now, Do::Delivered);
    }
    ensure!(served == held, "{served} served or dropped of {held} held: a class starves");
    ensure!(rig.queue.is_empty() && rig.packets.live() == 0, "it is not empty when all is served");
    Ok(())
}

/// Where the queue was full and has room after a step, it has said so. Of a node that goes down others hear in another
/// way.
fn tells_of_room(full: bool, rig: &Rig, step: Do, answers: &[Answer]) -> Finding {
    let opens = full && rig.queue.free() > 0 && !matches!(step, Do::Flush);
    ensure!(!opens || answers.contains(&Answer::Space), "there is room again, and nothing says so");
    Ok(())
}

/// A queue, and whether the MAC takes packets out of it.
fn rig(config: QueueConfig, toy: bool, takes: bool) -> Rig {
    let mut rig = if takes { Rig::taking(config) } else { Rig::new(config) };
    if toy {
        rig.queue.set_turns(AnyTurns::Custom(Box::<Toy>::default()));
    }
    rig
}

/// Takes a queue through a script; returns all that it answered.
fn run(
    ((config, toy), mac): (&Served, Mac),
    steps: &[(u64, Do)],
    mut fault: Option<Fault>,
) -> Finding<Vec<Answer>> {
    let takes = mac == Mac::Takes;
    let mut rig = rig(config.clone(), *toy, takes);
    let mut now = us(0);
    let mut trace = Vec::new();
    // Which packet was put in for which destination, and the last one of each that got through.
    let mut destination: HashMap<u64, u32> = HashMap::new();
    let mut through: HashMap<u32, u64> = HashMap::new();
    let (mut put, mut dropped) = (0u64, 0u64);
    // What the MAC has, oldest first.
    let mut out: Vec<u64> = Vec::new();
    let most_out = if takes { 6 } else { 2 };
    for &(gap, step) in steps {
        now += Dur::from_us(gap);
        if matches!(step, Do::Serve) && out.len() == most_out {
            continue;
        }
        if let Do::Put(to, _) = step {
            put += 1;
            destination.insert(put, to);
        } else if matches!(step, Do::PutRouting) {
            put += 1;
        }
        let (full, mut answers) = (rig.queue.free() == 0, rig.feed(now, step));
        let spoilt = fault.is_some_and(|fault| fault.spoil(&mut rig, (now, step), &mut answers, &mut out));
        let past = spoilt && fault == Some(Fault::WakesInThePast);
        let wake = if past { us(0) } else { rig.queue.wake_at() };
        fault = fault.filter(|_| !spoilt);
        tells_of_room(full, &rig, step, &answers)?;
        for answer in answers {
            match answer {
                Answer::Offered(number) | Answer::Again(number) => {
                    let class = |number: &u64| destination.get(number);
                    let alone = out.iter().all(|other| {
                        let kinds = class(other).is_none() != class(&number).is_none();
                        kinds && (config.routing_priority || config.service == Service::Priority)
                            || config.service.has_turns() && class(other) != class(&number)
                    });
                    ensure!(takes || alone, "one frame of a class out at a time: {number} beside {out:?}");
                    let beside = out.last().is_none_or(|other| class(other) == class(&number));
                    ensure!(!takes || beside, "for one next hop: {number} beside {out:?}");
                    out.push(number);
                }
                Answer::Dropped(number, _) => {
                    dropped += 1;
                    let ended = matches!(step, Do::GaveUp | Do::Flush);
                    ensure!(
                        ended || !out.contains(&number),
                        "{number}, in service, was dropped under the MAC"
                    );
                }
                Answer::Wake => {
                    ensure!(wake >= now, "its timer is set for {wake}, and it is {now}");
                }
                Answer::Space => {}
            }
            trace.push(answer);
        }
        if let (Do::Delivered, Some(number)) = (step, out.first())
            && let Some(&to) = destination.get(&(number % 1000))
        {
            let before = through.insert(to, *number);
            ensure!(before.is_none_or(|before| before < *number), "{before:?} overtakes {number}");
        }
        match step {
            Do::Delivered => drop(out.drain(..out.len().min(1))),
            Do::GaveUp | Do::Held => drop(out.pop()),
            Do::Flush => out.clear(),
            Do::Put(..) | Do::PutRouting | Do::PutData(_) | Do::PutAck | Do::PutSignal | Do::Serve => {}
        }
        // The frames in service are the MAC's, unless the queue keeps them in memory; they may come back.
        let leaves =
            config.limit_rule != LimitRule::InService && (takes || config.on_give_up == OnGiveUp::Drop);
        let most = config.capacity() + if leaves { most_out as u32 } else { 0 };
        let held = rig.queue.held().count();
        let ledger = rig.packets.ledger();
        ensure!(ledger.created == put, "{} packets made, {put} put in: one has leaked", ledger.created);
        ensure!(held <= most as usize, "{held} packets held, the limit is {most}");
        ensure!(ledger.inside() == Some(held as u64), "{:?} packets alive, {held} held", ledger.inside());
        let lost = ledger.dropped.iter().sum::<u64>();
        ensure!(lost == dropped, "{lost} packets were lost, and {dropped} losses were told");
    }
    empty(&mut rig, now, out.len(), fault == Some(Fault::Starves))?;
    Ok(trace)
}

fn check(config: &Served, mac: Mac, steps: &[(u64, Do)]) -> Finding {
    repeat(|| run((config, mac), steps, None))
        .map(drop)
        .map_err(|error| format!("{error}; {mac:?} {config:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_configuration_keeps_the_contract(
        limit in 1u32..8,
        quantum in prop_oneof![Just(250u32), Just(1500), Just(4000)],
        steps in prop::collection::vec((0u64..5000, action()), 0..150),
    ) {
        for config in configurations(limit, quantum) {
            for mac in [Mac::IsLent, Mac::Takes] {
                let found = check(&config, mac, &steps);
                prop_assert!(found.is_ok(), "{found:?}");
            }
        }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec((0u64..5000, action()), 100..150), 32);
    must_find(&FAULTS, &served(), &scripts, |fault, configs, steps| {
        configs.iter().try_for_each(|(config, toy)| {
            let config = (QueueConfig { limit: 3, ..config.clone() }, *toy);
            run((&config, Mac::IsLent), steps, Some(fault)).map(drop)
        })
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("queue service", &members(), &FAULTS);
}
