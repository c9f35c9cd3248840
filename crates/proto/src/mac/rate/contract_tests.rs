//! The contract of rules of rate control: each member, and a toy, under scripts of random steps.

use super::*;
use crate::mac::config::{DcfConfig, Standard};
use crate::testing::us;
use crate::units::{Bytes, Decibel, Entity, NodeId, Power, Purpose, Rng, SimTime};

/// The fastest rate for each neighbour with an even number, the slowest for the others.
#[derive(Debug)]
struct Toy {
    top: usize,
    /// A fault: a place that the ladder does not have.
    beyond: bool,
    /// A fault: what it was told before it forgot.
    remembers: Vec<NodeId>,
}

impl RateRule for Toy {
    fn choose(&mut self, _: SimTime, to: NodeId) -> Attempt {
        let known = self.remembers.contains(&to);
        Attempt::at(if to.0.is_multiple_of(2) && !known { self.top } else { 0 } + usize::from(self.beyond))
    }

    fn report(&mut self, _: SimTime, to: NodeId, _: Attempt, _: (usize, usize)) {
        if self.beyond || !self.remembers.is_empty() {
            self.remembers.push(to);
        }
    }

    fn forget(&mut self) {}
}

fn config(standard: Standard, rate_control: RateControlKind) -> DcfConfig {
    let mut config = DcfConfig { standard, rate_control, mcs: 7, streams: 2, ..DcfConfig::default() };
    config.aggregation.on = standard.generation().is_some();
    config.data_rate = if standard == Standard::B { LADDER[3] } else { crate::units::Bitrate::from_mbps(54) };
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
        RateControlKind::MinstrelHt => "minstrel-ht",
    }
}

/// What makes a rule by a seed, with the top of its ladder.
type Make = Box<dyn Fn(u64) -> (AnyRateRule, usize)>;

/// All of the set: a new one does not compile before it is listed here.
fn members() -> Vec<(String, Make)> {
    use RateControlKind::{Arf, Ideal, MinstrelHt, Snr};
    let mut members: Vec<(String, Make)> = Vec::new();
    for standard in [Standard::B, Standard::A, Standard::N, Standard::Ac, Standard::Ax] {
        for kind in [Arf, Snr, Ideal, MinstrelHt] {
            if (kind, standard) == (MinstrelHt, Standard::B) {
                continue;
            }
            let config = config(standard, kind);
            if kind == MinstrelHt {
                let mut older = config.clone();
                older.minstrel_ht.version = MinstrelVersion::Ns3;
                let name = format!("{} of ns-3 over {}", called(kind), standard.name());
                members.push((name, Box::new(move |seed| made(&older, seed))));
            }
            let name = format!("{} over {}", called(kind), standard.name());
            members.push((name, Box::new(move |seed| made(&config, seed))));
        }
    }
    let toy = |_| (AnyRateRule::Custom(Box::new(Toy { top: 3, beyond: false, remembers: Vec::new() })), 3);
    members.push(("toy".to_owned(), Box::new(toy)));
    members
}

/// What is wrong with a rule, if anything is, under a script of random steps; equal rules must give equal answers.
fn fault(make: &dyn Fn(u64) -> (AnyRateRule, usize), seed: u64) -> Option<String> {
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
                let attempts = [&mut one, &mut other].map(|rule| rule.choose(now, to));
                if attempts[0] != attempts[1] {
                    return Some(format!("step {step}: equal rules chose {attempts:?}"));
                }
                if attempts[0].rung > top {
                    return Some(format!("step {step}: no such rate: {attempts:?} of {top}"));
                }
                let sent = if attempts[0].alone { 1 } else { 1 + dice.below(10) as usize };
                let acked = dice.below(sent as u32 + 1) as usize;
                for rule in [&mut one, &mut other] {
                    rule.report(now, to, attempts[0], (sent, acked));
                }
            }
        }
        let expected = [&one, &other].map(|rule| rule.expected_throughput(to));
        if expected[0].is_some_and(|bps| !(0.0..2e10).contains(&bps)) || expected[0] != expected[1] {
            return Some(format!("step {step}: {expected:?} is expected"));
        }
    }
    // A rule that has forgotten chooses as a new one does, but for what it draws.
    one.forget();
    let (mut fresh, _) = make(seed);
    let first = |rule: &mut AnyRateRule| {
        let attempts: Vec<Attempt> = (0..20).map(|_| rule.choose(now, NodeId(2))).collect();
        attempts.into_iter().find(|it| !it.probe)
    };
    let firsts = [first(&mut one), first(&mut fresh)];
    (firsts[0] != firsts[1]).then(|| format!("it has not forgotten: {firsts:?}"))
}

#[test]
fn each_rule_keeps_the_contract() {
    let page = include_str!("../../../../../docs/architecture.md");
    let row =
        page.lines().find(|line| line.starts_with("| rate control |")).expect("a row in the table of suites");
    let missing = members()
        .into_iter()
        .find(|(name, _)| !row.contains(&format!("`{}`", name.split(' ').next().unwrap_or(name))));
    assert!(missing.is_none(), "docs/architecture.md does not name {:?}", missing.map(|(name, _)| name));
    for (name, make) in members() {
        for seed in 1..40 {
            if let Some(what) = fault(&*make, seed) {
                panic!("{name}, seed {seed}: {what}");
            }
        }
    }
}

/// Where all is lost at every rate but the slowest, a rule that listens to losses ends there; where nothing is lost and all is
/// loud, each ends at the top.
#[test]
fn each_rule_finds_the_ends_of_its_ladder() {
    for (name, make) in members().into_iter().filter(|(name, _)| name != "toy") {
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
            assert!(share > 0.75, "{name}: {share} at {wanted} of {top}");
        }
    }
}

#[test]
fn the_suite_finds_seeded_faults() {
    let beyond = |_| (AnyRateRule::Custom(Box::new(Toy { top: 3, beyond: true, remembers: Vec::new() })), 3);
    let remembers =
        |_| (AnyRateRule::Custom(Box::new(Toy { top: 3, beyond: false, remembers: vec![NodeId(9)] })), 3);
    assert!(fault(&beyond, 1).expect("found").contains("no such rate"));
    let found = (1..40).find_map(|seed| fault(&remembers, seed)).expect("found");
    assert!(found.contains("forgotten"), "{found}");
}
