//! Cures, queues, RED, routing, motion and events laid over each other at random: no panic, the ledger balances, the same twice.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{Case, Outcome, on_threads};
use multihop_proto::units::{Entity, Purpose, Rng};

const TECHNIQUES: &[&str] = &[
    "none",
    "tcp-f",
    "tcp-f:buffering=true",
    "tcp-f:per-packet=true,buffering=true",
    "tcp-f:probe=true,interval=300 ms",
    "tcp-f:reset=true,timer=1 s",
    "elfn:interval=200 ms",
    "elfn:rtts=3,probe=lowest-reported",
    "elfn:probe=header,cwnd=initial,rto=initial",
    "atcp",
    "modified-atcp:threshold=1",
    "modified-atcp",
    "modified-atcp-sack",
    "ebsn",
    "tcp-bus",
    "tcp-bus:query=300ms,guard=700ms,buffer=3",
    "freeze-tcp",
    "freeze-tcp:warning=50ms,margin=0",
    "enic:guard=1s",
    "adtcp",
    "adtcp:interval=200ms,samples=10,share=0.5",
];
/// Values of a setting, one of which is drawn.
const SETTINGS: &[(&str, &[&str])] = &[
    ("queue.service", &["fifo", "drr"]),
    ("queue.on-give-up", &["drop", "keep"]),
    ("routing.kind", &["static", "multipath", "dsdv", "aodv", "dsr"]),
    ("tcp.window", &["tahoe", "reno", "newreno"]),
];

struct Dice(Rng);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0.below(count as u32) as usize // a handful
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// Scenario number `number`: a grid of three by three, two or three flows, nodes and links that go and return.
fn scenario(number: u64) -> Case {
    let dice = &mut Dice(Rng::stream(number, 1, Entity::Whole, Purpose::Traffic));
    let mut text = "profile = \"rfc\"\nrun.duration = \"12 s\"\nmeasure.sample = \"0 s\"\n\
                    topology = { kind = \"grid\", columns = 3, rows = 3, spacing = \"200 m\" }\n"
        .to_owned();
    for flow in 0..2 + dice.below(2) {
        let (from, to) = (dice.below(9), dice.below(9));
        let to = if from == to { (to + 1) % 9 } else { to };
        text += &format!("[[flow]]\nfrom = {from}\nto = {to}\nstart = \"{flow} s\"\n");
        if dice.below(4) == 0 {
            text += "shim.kind = \"none\"\n";
        }
    }
    for _ in 0..1 + dice.below(4) {
        let (node, at) = (dice.below(9), 500 + 100 * dice.below(60));
        let back = at + 100 + 100 * dice.below(40);
        let (kind, ends) = if dice.below(3) == 0 {
            let other = if node % 3 == 2 { node - 1 } else { node + 1 };
            ("link", format!("from = {node}, to = {other}"))
        } else {
            ("node", format!("node = {node}"))
        };
        for (when, what) in [(at, "down"), (back, "up")] {
            text += &format!(
                "[[event]]\nat = \"{when} ms\"\nkind = \"{kind}-{what}\"\n{}\n",
                ends.replace(", ", "\n")
            );
        }
    }
    let technique = *dice.of::<&str>(TECHNIQUES);
    let mut case = Case::new(&text).technique(technique);
    for (key, values) in SETTINGS {
        // ENIC hears of routes from protocols that look for them.
        let values = &values[usize::from(*key == "routing.kind" && technique.starts_with("enic")) * 2..];
        case = case.set(key, format!("\"{}\"", dice.of(values)));
    }
    if dice.below(3) == 0 {
        case = case
            .set("queue.aqm", "\"red\"")
            .set("queue.red.min-threshold", 1.0)
            .set("queue.red.max-threshold", 4.0);
        case = case.set("queue.red.weight", 0.2).set("tcp.ecn", dice.below(2) == 0);
    }
    if dice.below(3) == 0 {
        let (kind, speed) =
            dice.of(&[("random-waypoint", "max"), ("random-walk", "max"), ("gauss-markov", "mean")]);
        let area = "area = { width = \"400 m\", height = \"400 m\" }";
        case = case.set("mobility", format!("{{ kind = \"{kind}\", {area}, {speed}-speed = \"20 m/s\" }}"));
    }
    case.set("routing.dsdv.link-feedback", dice.below(2) == 0)
        .set("routing.dsdv.period", "\"2 s\"")
        .set("queue.limit", 2 + dice.below(30))
        .set("air.bit-error-rate", ["0.0", "1e-5", "1e-4"][dice.below(3)])
}

/// Does it twice; what is wrong, if anything is.
fn judge(number: u64) -> Option<String> {
    let case = scenario(number);
    let attempt = || catch_unwind(AssertUnwindSafe(|| case.run(1)));
    let said = |what: &str| Some(format!("MULTIHOP_SEED={number}: {what}\n{}", case.text()));
    let (once, again): (Result<Outcome, _>, _) = (attempt(), attempt());
    match (once, again) {
        (Ok(once), Ok(again)) if once.json == again.json => None,
        (Ok(_), Ok(_)) => said("not the same twice"),
        _ => said("panicked"),
    }
}

/// `MULTIHOP_SCENARIOS` of them, from `MULTIHOP_SEED` on; few by default.
#[test]
#[allow(clippy::disallowed_methods, reason = "which scenarios is said outside of them")]
fn any_cure_over_any_network_balances_and_repeats_itself() {
    let number =
        |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let (from, count): (u64, u64) = (number("MULTIHOP_SEED", 1), number("MULTIHOP_SCENARIOS", 60));
    let shares = (0..2).map(|thread| (from + thread..from + count).step_by(2));
    let found = on_threads(shares, |share| share.filter_map(judge).collect::<Vec<_>>());
    let faults: Vec<String> = found.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{} of {count} fail:\n\n{}", faults.len(), faults.join("\n\n"));
}
