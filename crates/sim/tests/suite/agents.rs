//! Agents in relays are transparent: under loss, reordering and failing nodes the destination gets the bytes that the
//! source sent, all of them and in their order, or the flow is reported as broken. Only Indirect TCP may break one.

use crate::common::{Case, drawn};
use multihop_proto::endpoint::Transport;
use multihop_proto::node::AnyTransport;
use multihop_proto::units::{Entity, FlowId, Purpose, Rng, SimTime};
use multihop_sim::network::Network;

/// Bytes of the transfer.
const SIZE: u64 = 60_000;
const KINDS: &[&str] = &["none", "i-tcp", "split-tcp", "snoop", "eln", "snoop-eln"];
/// When all that fails has come back.
const WHOLE: u64 = 25;
/// When a transfer must have ended: timeouts back off to a minute.
const END: u64 = 900;

/// What became of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fate {
    kind: &'static str,
    /// Bytes that arrived in order, and those that the source has done with.
    arrived: u64,
    done: u64,
    broken: Option<u64>,
    /// Whether an agent lost bytes that it had acknowledged.
    lost: bool,
}

/// Scenario number `number`: a grid of three rows, some bit errors, relays that go and return.
fn scenario(number: u64) -> (&'static str, Case) {
    let mut dice = Rng::stream(number, 2, Entity::Whole, Purpose::Traffic);
    let mut below = |count: u32| dice.below(count);
    let kind = KINDS[below(6) as usize];
    let columns = 4 + below(4);
    let text = format!(
        "profile = \"rfc\"\nrun.duration = \"{END} s\"\nmeasure.sample = \"0 s\"\n\
         topology = {{ kind = \"grid\", columns = {columns}, rows = 2, spacing = \"200 m\" }}\n\
         [[flow]]\nkind = \"file\"\nsize = \"{SIZE} B\"\nfrom = 0\nto = {}\n",
        columns - 1
    );
    let mut events = String::new();
    for _ in 0..below(5) {
        let (node, at) = (1 + below(columns - 2), 100 + 100 * below(180));
        for (at, what) in [(at, "down"), ((at + 100 + 100 * below(60)).min(WHOLE as u32 * 1000), "up")] {
            events += &format!("[[event]]\nat = \"{at} ms\"\nkind = \"node-{what}\"\nnode = {node}\n");
        }
    }
    let place = match (kind, below(3)) {
        ("none", _) => String::new(),
        ("split-tcp", _) => format!("every = {}\nsplit-tcp.buffer = {}", 1 + below(3), 3 + below(40)),
        (_, 0) => format!("at = [{}]", 1 + below(columns - 2)),
        (_, 1) => "place = \"last-relay\"".to_owned(),
        _ => "place = \"middle\"\ni-tcp.buffer = 5\nsnoop.cache = 5\nsnoop.tries = 3".to_owned(),
    };
    let agent =
        if kind == "none" { String::new() } else { format!("[[agent]]\nkind = \"{kind}\"\n{place}\n") };
    let shim = match kind {
        "split-tcp" => "split-tcp",
        "eln" | "snoop-eln" => "eln",
        _ => "none",
    };
    let case = Case::new(&format!("{text}{events}{agent}"))
        .set("shim.kind", format!("\"{shim}\""))
        .set("routing.kind", ["\"static\"", "\"multipath\""][below(2) as usize])
        .set("tcp.handshake", ["\"none\"", "\"syn\"", "\"ns2\""][below(3) as usize])
        .set("tcp.loss", ["\"dup-acks\"", "\"sack\""][below(2) as usize])
        .set("tcp.ack-every", 1 + below(2))
        .set("queue.limit", 5 + below(40))
        .set("air.bit-error-rate", ["0.0", "1e-5", "4e-5"][below(3) as usize]);
    (kind, case)
}

fn run(kind: &'static str, case: &Case) -> Fate {
    let mut network = Network::new(&case.resolve(), 1);
    // The books are in order all along, what agents hold included.
    for second in (1..=WHOLE).chain([100, END]) {
        network.advance(SimTime::from_secs(second));
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{second} s: {unbalanced}"));
    }
    let ends = || network.nodes().iter().flat_map(|node| node.hosts().all());
    let arrived = ends().find_map(|end| match &end.kind {
        AnyTransport::TcpReceiver(end) => Some(end.receiver.expected()),
        _ => None,
    });
    let done = ends().find_map(|end| end.kind.acknowledged());
    let mut lost = 0;
    for node in network.nodes() {
        node.each_counter(SimTime::from_secs(END), &mut |name, value| {
            lost += if name == "agent.lost-bytes" { value } else { 0 };
        });
    }
    Fate {
        kind,
        arrived: arrived.expect("a destination"),
        done: done.expect("a source"),
        broken: network.broken_bytes(FlowId(0)),
        lost: lost > 0,
    }
}

fn fate(number: u64) -> (u64, Fate, Case) {
    let (kind, case) = scenario(number);
    (number, run(kind, &case), case)
}

/// What is wrong with it, if anything is.
fn wrong(fate: &Fate) -> Option<&'static str> {
    let broken = fate.broken.unwrap_or(0) > 0;
    let whole = fate.arrived == SIZE && fate.done == SIZE;
    match broken {
        _ if fate.kind == "none" && fate.broken.is_some() => Some("a report, though there is no agent"),
        true if fate.kind != "i-tcp" => Some("broken, which this agent must not"),
        true if !fate.lost => Some("broken, though no agent lost anything"),
        true if whole => Some("reported as broken, and is whole"),
        false if !whole => Some("neither whole nor reported as broken"),
        _ => None,
    }
}

#[test]
fn every_agent_is_transparent_or_the_flow_is_reported_as_broken() {
    let numbers = drawn::numbers(600);
    let count = numbers.end - numbers.start;
    let fates = drawn::each(&numbers, fate);
    let faults: Vec<String> = fates
        .iter()
        .filter_map(|(number, fate, case)| {
            wrong(fate).map(|what| drawn::said(*number, &format!("{what}: {fate:?}"), &case.text()))
        })
        .collect();
    drawn::fine(&numbers, &faults);
    // The test has seen what it is about.
    let seen = |kind: &str| fates.iter().filter(|(_, fate, _)| fate.kind == kind).count();
    assert!(count < 60 || KINDS.iter().all(|kind| seen(kind) >= 5), "each kind is among them");
    assert!(count < 600 || fates.iter().any(|(_, fate, _)| fate.broken > Some(0)), "and a broken flow");
}

/// An agent's packets and those of the end behind it take the same way, and keep their order.
#[test]
fn an_agent_reorders_nothing_on_a_clean_path() {
    for technique in ["split-tcp", "i-tcp", "snoop", "none"] {
        let text = "profile = \"rfc\"\nrun.duration = \"30 s\"\nmeasure.sample = \"0 s\"\n\
            topology = { kind = \"chain\", hops = 4, spacing = \"200 m\" }\n[[flow]]\nfrom = 0\nto = 4\n";
        let run = Case::new(text).technique(technique).run(1);
        assert!(run.goodput() > 0.0);
        assert_eq!(run.flows()[0]["reordered"].as_u64(), Some(0), "{technique}");
    }
}
