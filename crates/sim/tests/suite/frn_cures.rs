//! The Flexible Radio Network with its own techniques and with cures for TCP over it, drawn at random: no panic, the
//! ledger balances, the same twice, no link keeps a packet for ever; and what cannot act over it is refused beforehand.

use std::collections::BTreeMap;

use crate::common::drawn::{self, Dice};
use crate::common::{Case, Outcome};
use multihop_proto::units::{Dur, SimTime};
use multihop_proto::wire::PacketId;
use multihop_sim::network::{Handle, Network, finish};

/// Its own techniques, together.
const OWN: &[&[&str]] = &[
    &["frn"],
    &["frn-calm"],
    &["combined-data-ack"],
    &["combined-data-ack:postpone=data"],
    &["adaptive-retransmission"],
    &["csma-cd-reset"],
    &["load-spreading"],
    &["combined-data-ack", "adaptive-retransmission"],
    &["combined-data-ack", "csma-cd-reset", "load-spreading"],
];
/// What acts above the link.
const CURES: &[&str] = &[
    "none",
    "placebo",
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "k-sack",
    "small-window",
    "small-segment",
    "delayed-ack:2",
    "delayed-ack:4",
    "dynamic-delayed-ack",
    "vertical-flow-control",
    "elfn",
    "elfn:interval=200 ms,probe=header",
    "tcp-f",
    "tcp-f:buffering=true",
    "atcp",
    "modified-atcp",
    "modified-atcp-sack",
    "ebsn",
    "eln",
    "snoop",
    "snoop-eln:middle",
    "split-tcp:1",
    "i-tcp",
    "tcp-bus",
    "freeze-tcp",
    "tcp-dcr",
    "adtcp",
];
/// What needs interface queue, MAC or another routing, and a word by which the refusal names it.
const REFUSED: &[(&str, &str)] = &[
    ("persistent-queue", "`persistent-queue`"),
    ("drr", "`drr`"),
    ("priority-queue", "`priority-queue`"),
    ("link-red", "`link-red`"),
    ("red-ecn", "`red-ecn`"),
    ("horizontal-flow-control", "`horizontal-flow-control`"),
    ("adaptive-pacing", "`adaptive-pacing`"),
    ("adaptive-retry", "`adaptive-retry`"),
    ("dcr-double-retry", "`dcr-double-retry`"),
    ("e-dcr", "`e-dcr`"),
    ("no-cts", "`no-cts`"),
    ("arf", "`arf`"),
    ("snr-rate", "`snr-rate`"),
    ("nav-doze", "`nav-doze`"),
    ("hop-by-hop-rate", "hop-by-hop-rate"),
    ("atp", "ATP"),
    ("arp", "arp"),
    ("enic", "`enic`"),
];
/// Settings of the link, one of each line.
const SETTINGS: &[(&str, &[&str])] = &[
    ("frn.lifetime-start", &["\"enqueue\"", "\"first-transmission\""]),
    ("frn.limit", &["3", "1000"]),
    ("frn.stop-and-wait", &["true", "false"]),
    ("frn.max-retransmissions", &["1", "4", "254"]),
    ("frn.late-echo", &["false", "true"]),
    ("frn.clock-error", &["\"0 us\"", "\"200 us\""]),
    ("frn.guard", &["\"0 us\"", "\"450 us\""]),
    ("routing.frn.cycle", &["\"0 s\"", "\"2 s\""]),
    ("air.packet-error-rate", &["0.0", "0.05"]),
    ("tcp.max-window", &["4", "20"]),
];

/// Scenario number `number`, and how the refusal names what cannot act in it.
fn scenario(number: u64) -> (Case, Option<&'static str>) {
    let mut dice = Dice::new(number, 1);
    let mut below = |count: usize| dice.below(count);
    let mut case = Case::shipped(["frn-chain", "frn-cross", "frn-mesh"][below(3)]);
    let mut events = String::new();
    for _ in 0..below(3) {
        let (node, at) = (below(5), 2000 + 100 * below(60));
        events += &format!("[[event]]\nat = \"{at} ms\"\nkind = \"node-down\"\nnode = {node}\n");
        let back = at + 300 + 100 * below(30);
        events += &format!("[[event]]\nat = \"{back} ms\"\nkind = \"node-up\"\nnode = {node}\n");
    }
    case = Case::new(&(case.text() + &events)).set("run.duration", "\"15 s\"");
    case = case.set("measure.warm-up", "\"1 s\"").set("measure.sample", "\"0 s\"");
    for (key, values) in SETTINGS {
        case = case.set(key, values[below(values.len())]);
    }
    for own in OWN[below(OWN.len())] {
        case = case.technique(own);
    }
    if below(5) == 0 {
        let (technique, name) = REFUSED[below(REFUSED.len())];
        return (case.technique(technique), Some(name));
    }
    (case.technique(CURES[below(CURES.len())]), None)
}

/// The oldest copy in each link, by place in the store, number, and how many frames the link has sent, and since when
/// it has been seen so.
#[derive(Default)]
struct Watch(BTreeMap<usize, (PacketId, u64, u64, SimTime)>);

impl Watch {
    /// Longer than a packet lives, or than it takes to send it again four times, with others in between.
    const LONG: Dur = Dur::from_secs(5);

    /// Looks; which has been the oldest of its link for long? Where packets end by their count alone, one that has not
    /// been sent waits for as long as others go ahead of it: there the link must have sent nothing either.
    fn look(&mut self, network: &Network, now: SimTime, by_count: bool) -> Option<String> {
        let before = std::mem::take(&mut self.0);
        for (node, it) in network.nodes().iter().enumerate() {
            if let Some(packet) = it.links().link().packets().next() {
                let uid = network.packets()[packet].uid;
                let frames = if by_count { it.links().link().counters().unwrap_or_default().data } else { 0 };
                let same = before.get(&node).filter(|it| (it.0, it.1, it.2) == (packet, uid, frames));
                self.0.insert(node, (packet, uid, frames, same.map_or(now, |it| it.3)));
            }
        }
        let old = self.0.iter().find(|(_, (.., since))| *since + Self::LONG < now);
        old.map(|(node, (_, uid, _, since))| format!("{now}: node {node} has had packet {uid} since {since}"))
    }
}

fn watched(case: &Case) -> (Outcome, Option<String>) {
    let scenario = case.resolve();
    let frn = scenario.config.slots();
    let by_time = frn.is_some_and(|frn| frn.lifetime > 0);
    let by_count = frn.is_some_and(|frn| frn.max_retransmissions.is_some_and(|most| most <= 4));
    let mut network = Network::new(&scenario, 1);
    let (mut watch, mut wrong) = (Watch::default(), None);
    for step in 1..=75 {
        let now = SimTime::from_ms(200 * step);
        network.advance(now);
        wrong = wrong.or(watch.look(&network, now, !by_time).filter(|_| by_time || by_count));
    }
    (Outcome::of(finish(network, &scenario, 1, &Handle::default())), wrong)
}

/// What is wrong, if anything is.
fn judge(number: u64) -> Option<String> {
    let (case, refused) = scenario(number);
    let said = |what: &str| Some(drawn::said(number, what, &format!("{case:?}")));
    match (case.try_resolve(), refused) {
        (Ok(_), Some(name)) => said(&format!("{name} is not refused")),
        (Err(error), None) => said(&error),
        (Err(error), Some(name)) if error.contains(name) && error.contains("frn") => None,
        (Err(error), Some(_)) => said(&error),
        (Ok(_), None) => drawn::twice(number, &case, || watched(&case)),
    }
}

#[test]
fn any_cure_over_any_of_its_techniques_balances_and_repeats_itself_or_is_refused_by_name() {
    drawn::all(60, judge);
}

#[test]
fn each_technique_that_needs_queue_or_mac_is_refused_by_name() {
    for (technique, name) in REFUSED {
        let case = Case::shipped("frn-chain").technique(technique);
        let error = case.try_resolve().expect_err(technique);
        assert!(error.contains(name) && error.contains("frn"), "{technique}: {error}");
    }
    for cure in CURES {
        let case = Case::shipped("frn-chain").technique(cure);
        assert_eq!(case.try_resolve().err(), None, "{cure}");
    }
}

/// What is of the slotted link itself acts under any routing, if the scenario or another technique has that link.
#[test]
fn techniques_of_the_link_act_under_any_routing_and_need_the_link() {
    let own = [
        ("combined-data-ack", "frn.combined"),
        ("adaptive-retransmission", "frn.widened-slots"),
        ("csma-cd-reset", "frn.widened-slots"),
    ];
    for (technique, counter) in own {
        let refused = Case::shipped("chain").technique(technique).try_resolve().expect_err(technique);
        let message = format!(
            "technique `{technique}` cannot act: it needs `link.kind` = \"frn\", which is \"dcf\" (default); use \
             `-t frn+{technique}`, or set `link.kind` in the scenario"
        );
        assert!(refused.ends_with(&message), "{refused}");
        Case::shipped("chain").technique("frn").technique(technique).resolve();
        for routing in ["static", "dsdv", "aodv", "multipath"] {
            let chain = Case::shipped("frn-chain").set("routing.kind", format!("\"{routing}\""));
            let chain = chain.set("run.duration", "\"60 s\"");
            let (plain, with) = (chain.run(1), chain.technique(technique).run(1));
            assert!(with.json["counters"][counter].as_u64() > Some(0), "{technique} over {routing}");
            assert_ne!(plain.fingerprint(), with.fingerprint(), "{technique} over {routing}");
        }
    }
    let spread = Case::shipped("frn-chain").set("routing.kind", "\"aodv\"").technique("load-spreading");
    let refused = spread.try_resolve().expect_err("one neighbour for each packet");
    assert!(refused.contains("it needs `routing.kind` = \"frn\""), "{refused}");
}
