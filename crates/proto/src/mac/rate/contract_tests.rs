//! The contract of rules of rate control: each member, and a toy, under scripts of random steps.

use super::*;
use crate::mac::config::{DcfConfig, Standard};
use crate::phy::{GuardInterval, Width};
use crate::testing::{Finding, Member, Seeded, ensure, must_be_documented, must_find, us};
use crate::units::{Bytes, Decibel, Entity, NodeId, Power, Purpose, Rng, SimTime};

/// The fastest rate for each neighbour with an even number, the slowest for the others.
#[derive(Debug)]
struct Toy;

/// Its fastest rate.
const TOP: usize = 3;

impl RateRule for Toy {
    fn choose(&mut self, _: SimTime, to: NodeId) -> Attempt {
        Attempt::at(if to.0.is_multiple_of(2) { TOP } else { 0 })
    }

    fn report(&mut self, _: SimTime, _: NodeId, _: Attempt, _: (usize, usize)) {}

    fn forget(&mut self) {}
}

fn config(standard: Standard, rate_control: RateControlKind) -> DcfConfig {
    let mut config = DcfConfig { standard, rate_control, mcs: 7, streams: 2, ..DcfConfig::default() };
    config.aggregation.on = standard.generation().is_some();
    config.data_rate =
        if standard == Standard::B { DSSS_RATES[3] } else { crate::units::Bitrate::from_mbps(54) };
    config
}

fn made(config: &DcfConfig, seed: u64) -> (AnyRateRule, usize) {
    let ladder = config.ladder();
    let rng = || Rng::stream(seed, 1, Entity::Node("0"), Purpose::Backoff);
    let mut rule = AnyRateRule::new(config, &ladder, rng).expect("a rule");
    rule.set_noise(Power::new(1.0));
    // Each rate needs two decibels more than the one below.
    rule.set_least(&|tx, _: Bytes, _| {
        let place = ladder.iter().position(|it| *it == tx).expect("one of the ladder");
        Decibel::new(2.0 * place as f64)
    });
    (rule, ladder.len() - 1)
}

/// The name of a rule, as the key has it.
const fn called(kind: RateControlKind) -> &'static str {
    match kind {
        RateControlKind::Fixed => "fixed",
        RateControlKind::Arf => "arf",
        RateControlKind::Snr => "snr",
        RateControlKind::Ideal => "ideal",
        RateControlKind::Minstrel => "minstrel",
        RateControlKind::MinstrelHt => "minstrel-ht",
    }
}

/// What makes a rule by a seed, with the top of its ladder.
type Make = Box<dyn Fn(u64) -> (AnyRateRule, usize)>;

/// All of the set, each over every standard: a new one does not compile before [`called`] names it.
fn members() -> Vec<Member<Make>> {
    use RateControlKind::{Arf, Ideal, Minstrel, MinstrelHt, Snr};
    let mut members: Vec<Member<Make>> = Vec::new();
    for standard in [Standard::B, Standard::A, Standard::N, Standard::Ac, Standard::Ax] {
        for kind in [Arf, Snr, Ideal, Minstrel, MinstrelHt] {
            let refused = match kind {
                Minstrel => standard.generation().is_some(),
                MinstrelHt => standard == Standard::B,
                _ => false,
            };
            if refused {
                continue;
            }
            let config = config(standard, kind);
            let (variant, name) = (standard.name(), called(kind));
            if kind == MinstrelHt {
                let mut older = config.clone();
                older.minstrel_ht.version = MinstrelHtVersion::Ns3;
                members.push(Member { variant, name, make: Box::new(move |seed| made(&older, seed)) });
            }
            members.push(Member { variant, name, make: Box::new(move |seed| made(&config, seed)) });
        }
    }
    let toy = |_| (AnyRateRule::Custom(Box::new(Toy)), TOP);
    members.push(Member { variant: "none", name: "toy", make: Box::new(toy) });
    members
}

/// What is wrong with a rule, if anything is, under a script of random steps; equal rules must give equal answers.
fn check(make: &dyn Fn(u64) -> (AnyRateRule, usize), seed: u64) -> Finding {
    let ((mut one, top), (mut other, _)) = (make(seed), make(seed));
    let mut dice = Rng::stream(seed, 2, Entity::Whole, Purpose::Traffic);
    let mut now = us(0);
    for step in 0..400 {
        now += crate::units::Dur::from_us(u64::from(dice.below(5_000)));
        let to = NodeId(dice.below(3));
        match dice.below(12) {
            0 => [&mut one, &mut other].into_iter().for_each(RateRule::forget),
            1..4 => {
                let power = libm::exp10(dice.f64() * 4.0 - 1.0);
                [&mut one, &mut other].into_iter().for_each(|rule| rule.heard(to, power));
            }
            _ => {
                if dice.below(3) == 0 {
                    [&mut one, &mut other].into_iter().for_each(|rule| rule.begin(to));
                }
                let attempts = [&mut one, &mut other].map(|rule| rule.choose(now, to));
                ensure!(attempts[0] == attempts[1], "step {step}: equal rules chose {attempts:?}");
                ensure!(attempts[0].rung <= top, "step {step}: no such rate: {attempts:?} of {top}");
                let sent = if attempts[0].alone { 1 } else { 1 + dice.below(10) as usize };
                let acked = dice.below(sent as u32 + 1) as usize;
                for rule in [&mut one, &mut other] {
                    rule.report(now, to, attempts[0], (sent, acked));
                }
            }
        }
        let expected = [&one, &other].map(|rule| rule.expected_throughput(to));
        let sound = expected[0].is_none_or(|bps| (0.0..2e10).contains(&bps)) && expected[0] == expected[1];
        ensure!(sound, "step {step}: {expected:?} is expected");
    }
    // A rule that has forgotten chooses as a new one does, but for what it draws.
    one.forget();
    let (mut fresh, _) = make(seed);
    let first = |rule: &mut AnyRateRule| {
        let attempts: Vec<Attempt> = (0..20).map(|_| rule.choose(now, NodeId(2))).collect();
        attempts.into_iter().find(|it| !it.probe)
    };
    let firsts = [first(&mut one), first(&mut fresh)];
    ensure!(firsts[0] == firsts[1], "it has not forgotten: {firsts:?}");
    Ok(())
}

#[test]
fn each_rule_keeps_the_contract() {
    for Member { variant, name, make } in members() {
        for seed in 1..40 {
            let found = check(&*make, seed);
            assert!(found.is_ok(), "{name} over {variant}, seed {seed}: {found:?}");
        }
    }
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("rate control", &members(), &FAULTS);
}

/// Where all is lost at every rate but the slowest, a rule that listens to losses ends there; where nothing is lost and
/// all is loud, each ends at the top.
#[test]
fn each_rule_finds_the_ends_of_its_ladder() {
    for Member { variant, name, make } in members().into_iter().filter(|it| it.name != "toy") {
        for (good, loud) in [(true, 1e6), (false, 1.0)] {
            let (mut rule, top) = make(1);
            let mut last = Vec::new();
            for frame in 0..6_000u64 {
                let now = us(frame * 1000);
                rule.heard(NodeId(1), loud);
                let attempt = rule.choose(now, NodeId(1));
                let through = good || attempt.rung == 0;
                rule.report(now, NodeId(1), attempt, (1, usize::from(through)));
                if frame > 5_000 && !attempt.probe {
                    last.push(attempt.rung);
                }
            }
            let wanted = if good { top } else { 0 };
            let share = last.iter().filter(|&&rung| rung == wanted).count() as f64 / last.len() as f64;
            assert!(share > 0.75, "{name} over {variant}: {share} at {wanted} of {top}");
        }
    }
}

/// How a rule breaks the contract. It has neither timers nor packets: what corresponds to a timer in the past is a rate
/// that carries nothing in any time; to a leaked packet, a neighbour that it does not forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Guesses,
    ExpectsNoRate,
    Remembers,
    ChoosesBeyondTheLadder,
}

const FAULTS: [Seeded<Fault>; 4] = [
    (Fault::Guesses, "equal rules chose"),
    (Fault::ExpectsNoRate, "is expected"),
    (Fault::Remembers, "it has not forgotten"),
    (Fault::ChoosesBeyondTheLadder, "no such rate"),
];

/// A copy of a rule, with a fault.
#[derive(Debug)]
struct Faulty {
    inner: AnyRateRule,
    fault: Fault,
    number: u32,
    forgot: bool,
}

impl RateRule for Faulty {
    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt {
        let attempt = self.inner.choose(now, to);
        match self.fault {
            Fault::Guesses => Attempt { alone: self.number.is_multiple_of(2), ..attempt },
            Fault::ChoosesBeyondTheLadder => Attempt { rung: usize::MAX, ..attempt },
            // Frames to a neighbour that it knew carry one MPDU.
            Fault::Remembers if self.forgot => Attempt { alone: !attempt.alone, ..attempt },
            _ => attempt,
        }
    }

    fn report(&mut self, now: SimTime, to: NodeId, attempt: Attempt, mpdus: (usize, usize)) {
        self.inner.report(now, to, attempt, mpdus);
    }

    fn begin(&mut self, to: NodeId) {
        self.inner.begin(to);
    }

    fn heard(&mut self, from: NodeId, power: f64) {
        self.inner.heard(from, power);
    }

    fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        if self.fault == Fault::ExpectsNoRate { Some(f64::NAN) } else { self.inner.expected_throughput(to) }
    }

    fn forget(&mut self) {
        self.forgot = true;
        self.inner.forget();
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let seeds: Vec<u64> = (1..40).collect();
    must_find(&FAULTS, &members(), &seeds, |fault, make, &seed| {
        let copy = |seed| {
            let (inner, top) = make(seed);
            let number = crate::testing::serial();
            (AnyRateRule::Custom(Box::new(Faulty { inner, fault, number, forgot: false })), top)
        };
        check(&copy, seed)
    });
}

/// ns-3.44 wrote this many rates for 802.11ac over two streams of 80 MHz, of 40 MHz with both guard intervals, and for
/// 802.11n over two streams of 40 MHz: MCS 9 is none of 20 MHz.
#[test]
fn the_older_minstrel_chooses_among_narrower_frames_too() {
    let of = |standard, width, guard_interval, version| {
        let mut config = DcfConfig { width, guard_interval, ..config(standard, RateControlKind::MinstrelHt) };
        config.mcs = if standard == Standard::Ac { 9 } else { 7 };
        config.minstrel_ht.version = version;
        config.ladder()
    };
    let (short, long) = (GuardInterval::Ns400, GuardInterval::Ns800);
    let older = |standard, width, guard| of(standard, width, guard, MinstrelHtVersion::Ns3);
    assert_eq!(older(Standard::Ac, Width::Mhz80, long).len(), 58);
    assert_eq!(older(Standard::Ac, Width::Mhz40, short).len(), 76);
    assert_eq!(older(Standard::N, Width::Mhz40, long).len(), 32);
    let linux = of(Standard::Ac, Width::Mhz80, long, MinstrelHtVersion::Linux2021);
    assert!(linux.len() == 20 && linux.iter().all(|tx| tx.width() == Width::Mhz80));
    let all = older(Standard::Ac, Width::Mhz40, short);
    assert!(all.is_sorted_by_key(|tx| tx.rate()) && all[0].width() == Width::Mhz20);
}
