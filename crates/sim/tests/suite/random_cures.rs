//! Cures, queues, RED, routing, motion and events laid over each other at random: no panic, the ledger balances, the
//! same twice, and no packet is kept for ever without a route being asked for.

use crate::common::drawn::{self, Dice};
use crate::common::{Case, Outcome};
use multihop_proto::queue::Queued;
use multihop_proto::routing::{Routing, RoutingConfig, RoutingKind};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_sim::network::{Handle, Network, finish};

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
    "hop-by-hop-rate",
    "hop-by-hop-rate:target=1,window=8",
    "adtcp",
    "atp",
    "atp:epoch=300ms,patience=500ms",
    "adtcp:interval=200ms,samples=10,share=0.5",
    "i-tcp",
    "i-tcp:place=middle,buffer=3",
    "split-tcp:1",
    "split-tcp:every=2,buffer=4,ack-every=3",
    "snoop",
    "snoop:middle",
    "eln",
    "snoop-eln:middle",
];
/// Values of a setting. One is drawn.
const SETTINGS: &[(&str, &[&str])] = &[
    ("queue.service", &["fifo", "drr"]),
    ("queue.on-give-up", &["drop", "keep"]),
    ("routing.kind", &["static", "multipath", "dsdv", "aodv", "dsr"]),
    ("tcp.window", &["tahoe", "reno", "newreno"]),
];

/// Routing that asks for routes when they are needed, over nodes that move, or any over anything.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    OnDemand,
}

/// Scenario number `number`: a grid of three by three, two or three flows, nodes and links that go and return.
fn scenario(number: u64, kind: Kind) -> Case {
    let dice = &mut Dice::new(number, 1);
    let mut text = "profile = \"rfc\"\nrun.duration = \"12 s\"\nmeasure.sample = \"0 s\"\n\
                    topology = { kind = \"grid\", columns = 3, rows = 3, spacing = \"200 m\" }\n"
        .to_owned();
    for flow in 0..2 + dice.below(2) {
        let (from, to) = (dice.below(9), dice.below(9));
        let to = if from == to { (to + 1) % 9 } else { to };
        text += &format!("[[flow]]\nfrom = {from}\nto = {to}\nstart = \"{flow} s\"\n");
        if dice.below(4) == 0 && flow > 0 {
            text += "shim.kind = \"none\"\n"; // agents that need a part at the ends of flows find it at one's
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
        let value = *dice.of(values);
        // Hop-by-hop rates have a header of their own, and a window.
        let own = technique.starts_with("hop") && (value == "dsr" || *key == "tcp.window");
        if !own {
            case = case.set(key, format!("\"{value}\""));
        }
    }
    if dice.below(3) == 0 {
        case = case
            .set("queue.aqm", "\"red\"")
            .set("queue.red.min-threshold", 1.0)
            .set("queue.red.max-threshold", 4.0);
        case = case.set("queue.red.weight", 0.2).set("tcp.ecn", dice.below(2) == 0);
    }
    if kind == Kind::OnDemand {
        let dsr = if technique.starts_with("hop") { "\"aodv\"" } else { "\"dsr\"" };
        case = case.set("routing.kind", dice.of(&["\"aodv\"", dsr]));
    }
    if kind == Kind::OnDemand || dice.below(3) == 0 {
        let (kind, speed) =
            dice.of(&[("random-waypoint", "max"), ("random-walk", "max"), ("gauss-markov", "mean")]);
        let area = "area = { width = \"400 m\", height = \"400 m\" }";
        case = case.set("mobility", format!("{{ kind = \"{kind}\", {area}, {speed}-speed = \"20 m/s\" }}"));
    }
    let age = *dice.of(&["\"1 s\"", "\"4 s\"", "\"30 s\""]);
    case = case.set("routing.aodv.buffer-age", age).set("routing.dsr.send-buffer-timeout", age);
    case.set("routing.dsdv.link-feedback", dice.below(2) == 0)
        .set("routing.dsdv.period", "\"2 s\"")
        .set("queue.limit", 2 + dice.below(30))
        .set("air.bit-error-rate", ["0.0", "1e-5", "1e-4"][dice.below(3)])
}

/// How long a packet that the MAC has given up may lie in a queue between two turns.
const TURN: Dur = Dur::from_secs(5);

/// What is wrong with the packets that wait in one node, if anything is: each waits for a route no longer than it may
/// and one is being asked for, and each that the queue has kept has a next hop, or one is being asked for, or its turn
/// was not long ago. What waits in the queue is being served.
fn stuck(network: &mut Network, node: NodeId, config: &RoutingConfig) -> Option<String> {
    let now = network.now();
    let age = match config.kind {
        RoutingKind::Aodv => config.aodv.buffer_age,
        RoutingKind::Dsr => config.dsr.send_buffer_timeout,
        _ => return None,
    };
    let it = &network.nodes()[node.index()];
    if it.links().is_blocked() {
        return Some(format!("{now}: node {node} does not serve its queue"));
    }
    if let Some(waits) = it.routing().awaited().iter().find(|waits| !waits.asked || now > waits.since + age) {
        return Some(format!("{now}: node {node} keeps {waits:?}"));
    }
    let queue = it.links().link().queue();
    let waits_again = |entry: &&Queued| entry.kept > 0 && queue.in_service(entry.packet).is_none();
    let kept: Vec<_> = queue.held().filter(waits_again).map(|entry| (entry.packet, entry.to)).collect();
    kept.into_iter().find_map(|(id, to)| {
        let packet = &network.packets()[id];
        let (destination, turn) = (packet.destination, network.packets().stay(id).offered);
        let routing = network.node_mut(node).routing_mut();
        let fine = routing.next_hop(now, destination).is_some()
            || routing.asks_for(destination)
            || now < turn + TURN;
        (!fine)
            .then(|| format!("{now}: node {node} has kept for {to} since {turn} what goes to {destination}"))
    })
}

/// A run that is looked at twice a second.
fn watched(case: &Case) -> (Outcome, Option<String>) {
    let scenario = case.resolve();
    let mut network = Network::new(&scenario, 1);
    let mut wrong = None;
    for step in 1..=24 {
        network.advance(SimTime::from_ns(step * 500_000_000));
        let nodes = (0..scenario.nodes.len() as u32).map(NodeId);
        let here = nodes.filter_map(|node| stuck(&mut network, node, &scenario.config.routing)).next();
        wrong = wrong.or(here);
    }
    (Outcome::of(finish(network, &scenario, 1, &Handle::default())), wrong)
}

fn all_of(kind: Kind) {
    drawn::all(60, |number| {
        let case = scenario(number, kind);
        drawn::twice(number, &case, || watched(&case))
    });
}

#[test]
fn any_cure_over_any_network_balances_and_repeats_itself() {
    all_of(Kind::Any);
}

#[test]
fn routes_are_asked_for_as_long_as_packets_wait_for_them() {
    all_of(Kind::OnDemand);
}
