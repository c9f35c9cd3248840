//! Hop-by-hop rate control in whole runs.

use crate::common::{Case, Outcome};
use serde_json::Value;

/// A chain of six hops with one transfer.
fn chain(more: &str) -> Case {
    Case::new(&format!(
        r#"
profile = "ns2"
[run]
duration = "60 s"
[measure]
warm-up = "10 s"
sample = "0 s"
[topology]
kind = "chain"
hops = 6
[[flow]]
from = 0
to = 6
{more}
"#
    ))
}

fn count(run: &Outcome, name: &str) -> u64 {
    run.json["counters"][name].as_u64().unwrap_or(0)
}

/// The same transport, with a window of 32 that nothing else holds back, fills the queues of the relays without rates;
/// with rates less waits there, fewer frames are given up, and goodput does not suffer for it.
#[test]
fn less_waits_in_relays_than_without_rates() {
    let case = chain("").technique("hop-by-hop-rate");
    let (with, without) = (case.runs(1..=3), case.set("rates.on", false).runs(1..=3));
    let sum = |runs: &[Outcome], of: &dyn Fn(&Outcome) -> f64| runs.iter().map(of).sum::<f64>();
    let relays = |run: &Outcome| (1..6).map(|node| run.of_node(node, "queue_mean")).sum::<f64>();
    let given_up = |run: &Outcome| {
        let retries =
            |loss: &&Value| loss["reason"].as_str().is_some_and(|why| why.starts_with("retry-limit"));
        run.list("drops").iter().filter(retries).filter_map(|loss| loss["n"].as_f64()).sum::<f64>()
    };
    for (what, of) in [("queues", &relays as &dyn Fn(&Outcome) -> f64), ("give-ups", &given_up)] {
        assert!(sum(&with, of) < 0.8 * sum(&without, of), "{what} {} {}", sum(&with, of), sum(&without, of));
    }
    let goodput = |run: &Outcome| run.goodput();
    assert!(sum(&with, &goodput) >= sum(&without, &goodput));
    for run in &with {
        for name in ["heard", "slowed", "waited"] {
            assert!(count(run, &format!("hop-rate.{name}")) > 1000, "{name}");
        }
        assert!(count(run, "gate.closed") > 100);
    }
    assert!(without.iter().all(|run| run.json["counters"].get("hop-rate.heard").is_none()));
}

/// A queue that shall be shorter is.
#[test]
fn the_target_is_what_relays_hold() {
    let waits = |target: &str| {
        let runs = chain("").technique(&format!("hop-by-hop-rate:target={target}")).runs(1..=3);
        runs.iter().flat_map(|run| (1..6).map(|node| run.of_node(node, "queue_mean"))).sum::<f64>()
    };
    let (one, three, ten) = (waits("1"), waits("3"), waits("10"));
    assert!(one < 0.9 * three && three < 0.9 * ten, "{one} {three} {ten}");
}

/// A relay is away for ten seconds under AODV: the source is told, and goes on afterwards.
#[test]
fn a_source_stops_without_a_route_and_goes_on_with_one() {
    let event = |at, kind| format!("[[event]]\nat = \"{at} s\"\nkind = \"node-{kind}\"\nnode = \"3\"\n");
    let case = chain(&(event(25, "down") + &event(35, "up"))).set("routing.kind", "\"aodv\"");
    let run = case.clone().technique("hop-by-hop-rate").run(1);
    assert!(count(&run, "shim.freezes") > 0);
    let after = case.technique("hop-by-hop-rate").set("measure.warm-up", "\"45 s\"").run(1);
    assert!(after.goodput() > 50_000.0, "{}", after.goodput());
}

#[test]
fn dsr_has_a_header_where_the_notes_would_stand() {
    let case = chain("").set("routing.kind", "\"dsr\"").set("rates.on", true);
    let said = case.try_resolve().expect_err("both");
    assert!(said.contains("the routing protocol has a header of its own"), "{said}");
}

#[test]
fn a_slotted_link_has_no_queue_to_stand_before() {
    let said = chain("").technique("frn").set("rates.on", true).try_resolve().expect_err("both");
    assert!(said.contains("it needs an interface queue"), "{said}");
}
