//! The same scenario, seed and run number give the same run: on any number of threads, in debug and release, and
//! whatever the order in which the nodes are listed.

use crate::common::{Case, Outcome, first_difference, listed_as, on_threads, tables};
use multihop_sim::scenario::{Kind, shipped};
use serde_json::json;

/// A shipped scenario cut to 20 s, its flows starting one second after the other.
fn short(name: &str) -> Case {
    let case = Case::shipped(name)
        .set("run.duration", "20 s")
        .set("measure.warm-up", "2 s")
        .set("measure.window", "[]");
    // What the scenario lets happen happens all the same, one thing after the other.
    let events = case.clone().set("run.duration", "10000 s").resolve().config.event;
    let case = events.iter().enumerate().fold(case, |case, (index, event)| {
        let at = 4 * (index + 1);
        let case = case.set(&format!("event.{index}.at"), format_args!("{at} s"));
        if event.until.is_none() {
            case
        } else {
            case.set(&format!("event.{index}.until"), format_args!("{} s", at + 4))
        }
    });
    let flows = case.resolve().flows.len();
    (0..flows).fold(case, |case, flow| case.set(&format!("flow.{flow}.start"), format_args!("{flow} s")))
}

/// What the golden fingerprints are of: a name, a shipped scenario, and what is set over it.
fn golden() -> Vec<(String, String, Case)> {
    let scenarios = shipped(Kind::Scenarios);
    let mut cases: Vec<(String, String, Case)> =
        scenarios.iter().map(|&(name, _)| (name.to_owned(), name.to_owned(), short(name))).collect();
    let mut more = |name: &str, of: &str, case: Case| cases.push((name.to_owned(), of.to_owned(), case));
    for profile in ["ns2-21b8", "ns3", "rfc"] {
        more(&format!("chain, profile {profile}"), "chain", short("chain").set("profile", profile));
    }
    // Routes over three hops take half a minute to spread.
    let dsdv = short("chain-3hop").set("routing.kind", "dsdv").set("run.duration", "60 s");
    more("chain-3hop, DSDV", "chain-3hop", dsdv);
    more("grid, delay 1 us", "grid", short("grid").set("air.propagation-delay", "1 us"));
    cases
}

/// A change of the engine that moves a frame shows here; if it is meant, `INSTA_UPDATE=always` writes the table anew.
#[test]
fn fingerprints_of_the_shipped_scenarios_are_golden() {
    let lines = on_threads(golden(), |(name, _, case)| {
        let run = case.run(1);
        assert!(run.over_flows("delivered_bytes") > 0.0, "{name} delivered nothing");
        format!("{} {:6} {name}", run.fingerprint(), run.json["frames_whole_run"])
    });
    insta::assert_snapshot!("golden", lines.join("\n"));
}

/// `tests/test_fingerprints.py` makes these runs with the release build, and wants the same table: the optimiser
/// changes nothing.
#[test]
fn settings_of_the_golden_runs_are_those_that_a_release_build_takes() {
    let lines: Vec<String> = golden()
        .into_iter()
        .map(|(name, of, case)| json!({ "name": name, "scenario": of, "set": case.settings() }).to_string())
        .collect();
    insta::assert_snapshot!("golden_settings", lines.join("\n"));
}

#[test]
fn a_run_repeats_itself_alone_and_beside_others() {
    for name in ["grid", "chain-lossy", "star"] {
        let case = short(name);
        let alone = case.run(1);
        for other in on_threads([1, 1, 2], |number| case.run(number)) {
            if other.json["run"] == 1 {
                assert_eq!(other.json, alone.json, "{name}");
                // As text: what is not known yet is NaN, which equals nothing.
                assert!(format!("{:?}", other.series) == format!("{:?}", alone.series), "{name}");
            } else {
                assert_ne!(other.fingerprint(), alone.fingerprint(), "{name}");
            }
        }
    }
}

/// A value said by each flow and for each node is the value said in the section.
#[test]
fn what_every_flow_and_node_says_is_as_if_said_once() {
    let text = "profile = \"ns2\"\nrun.duration = \"20 s\"\ntopology = { kind = \"chain\", hops = 4 }\n";
    let flows = |tcp: &str| format!("[[flow]]\nfrom = 0\nto = 4\n{tcp}[[flow]]\nfrom = 4\nto = 1\n{tcp}");
    let once = format!(
        "{text}queue.limit = 4\nmac.cw-min = 63\ntcp.max-window = 6\ntcp.loss = \"sack\"\n{}",
        flows("")
    );
    let nodes = "[[node]]\nnames = [4, 2, 0]\nqueue.limit = 4\nmac.cw-min = 63\n\
                 [[node]]\nnames = [1, 3]\nqueue.limit = 4\nmac.cw-min = 63\n";
    let each = format!("{text}{}{nodes}", flows("tcp = { max-window = 6, loss = \"sack\" }\n"));
    let [plain, once, each] =
        [&format!("{text}{}", flows("")), &once, &each].map(|text| Case::new(text).run(1));
    assert_eq!(once.json["fingerprint"], each.json["fingerprint"]);
    assert_eq!((&once.json["flows"], &once.json["nodes"]), (&each.json["flows"], &each.json["nodes"]));
    assert_ne!(once.json["fingerprint"], plain.json["fingerprint"]);
}

#[test]
fn other_seeds_other_runs_and_other_salts_differ() {
    let case = short("chain");
    let mut prints: Vec<String> =
        [case.run(1), case.run(2), case.clone().set("run.seed", 2).run(1), case.set("run.salt", 1).run(1)]
            .iter()
            .map(Outcome::fingerprint)
            .collect();
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), 4);
}

fn renumbering_changes_nothing(case: &Case, what: &str) {
    let wanted = tables(&listed_as(case, |place, _| place).run(1));
    let reversed = listed_as(case, |place, count| count - 1 - place);
    // Steps of 7 visit every place of a count that 7 does not divide.
    let scattered =
        listed_as(case, |place, count| if count % 7 == 0 { (place + 3) % count } else { place * 7 % count });
    for (order, case) in [("reversed", reversed), ("scattered", scattered)] {
        let found = tables(&case.run(1));
        for key in ["run", "series"] {
            if found[key] != wanted[key] {
                panic!("{what}, {order}: {}", first_difference(&found[key], &wanted[key], key));
            }
        }
    }
}

#[test]
fn renumbering_the_nodes_changes_no_table() {
    for name in ["chain", "cross", "grid", "star", "random", "hidden-terminal"] {
        renumbering_changes_nothing(&short(name), name);
    }
}

#[test]
fn renumbering_the_nodes_changes_no_table_of_dsdv_errors_and_delays() {
    for name in ["chain", "cross", "grid"] {
        let case = short(name).set("routing.kind", "dsdv").set("run.duration", "60 s");
        renumbering_changes_nothing(&case, &format!("{name}, DSDV"));
    }
    renumbering_changes_nothing(&short("chain-lossy"), "chain-lossy");
    renumbering_changes_nothing(&short("grid").set("profile", "ns3"), "grid, profile ns3");
    for name in ["grid", "random"] {
        let case = short(name).set("air.propagation-delay", "1 us");
        renumbering_changes_nothing(&case, &format!("{name}, delay 1 us"));
    }
}

/// Of frames that begin together a radio pays for one by ns-2's rules; of frames that end together one may put it to
/// sleep, and the other was not slept through.
#[test]
fn renumbering_changes_nothing_where_radios_are_metered_and_doze() {
    for name in ["star", "random", "cross"] {
        for accounting in ["clock", "ns2"] {
            let case = short(name).set("energy.accounting", accounting).set("mac.nav-doze", "true");
            renumbering_changes_nothing(&case, &format!("{name}, {accounting}"));
        }
    }
}

/// Two hidden senders of unequal frames around one receiver, which hears both at one power: of frames that begin at
/// one instant neither may be preferred for its sender's number.
#[test]
fn renumbering_changes_nothing_where_equal_powers_begin_together() {
    const PAIR: &str = r#"
profile = "rfc"
[run]
duration = "20 s"
[topology]
kind = "chain"
hops = 2
spacing = "100 m"
[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "2 Mbps"
packet = "1000 B"
[[flow]]
kind = "cbr"
from = "2"
to = "1"
rate = "2 Mbps"
packet = "300 B"
"#;
    for curve in ["none", "dsss"] {
        for lock_time in ["0 s", "4 us"] {
            let case = Case::new(PAIR).set("air.error-curve", curve).set("air.lock-time", lock_time);
            renumbering_changes_nothing(&case, &format!("{curve}, {lock_time}"));
        }
    }
}

/// Two nodes with copies of one packet spend their batteries at one instant: which of them has lost it, its sender or
/// its receiver, is a matter of their names.
#[test]
fn renumbering_changes_nothing_where_batteries_end_together() {
    const STAR: &str = r#"
profile = "ns3"
[topology]
kind = "star"
leaves = 4
radius = "200 m"
[[flow]]
kind = "file"
from = "4"
to = "0"
size = "31428 B"
start = "0 s"
stop = "2036 ms"
[[flow]]
kind = "cbr"
from = "1"
to = "2"
rate = "3 Mbps"
packet = "1000 B"
start = "0 s"
[[flow]]
kind = "bulk"
from = "2"
to = "3"
start = "1442 ms"
[energy]
transmit = "1.4 W"
receive = "0.9 W"
idle = "0.8 W"
accounting = "ns2"
battery = "3 J"
"#;
    let case = Case::new(STAR).technique("frn").set("tcp.rto-arithmetic", "integer");
    let spent = case.run(1);
    let at = [0, 2].map(|node| spent.of_node(node, "battery_spent_s"));
    assert!((at[0] - at[1]).abs() < 1e-9, "at one instant: {at:?}");
    renumbering_changes_nothing(&case, "batteries");
}

/// Two nodes begin to send at one instant, and one has come nearer to the other. Their signals arrive later, so that
/// neither hears the other first.
#[test]
fn renumbering_changes_nothing_where_nodes_come_nearer_and_signals_are_delayed() {
    const WAYS: &str = r#"
profile = "ns2-21b8"
topology.kind = "explicit"
routing = { kind = "aodv", aodv = { link-detection = "both", gratuitous = true, rrep-ack = true } }
air = { antenna-height = "1.4342947298269935 m", propagation-delay = "1 ns" }
flow = [
    { kind = "cbr", from = "4", to = "0", rate = "20 kbps", packet = "1000 B", start = "0 s" },
    { kind = "cbr", from = "3", to = "0", rate = "200 kbps", packet = "1460 B", start = "0 s" },
    { kind = "bulk", from = "1", to = "0", start = "0 s" },
]
[[topology.node]]
name = "0"
x = "0 m"
[[topology.node]]
name = "1"
x = "240 m"
waypoint = [{ at = "2297 ms", x = "512 m", y = "129 m" }]
[[topology.node]]
name = "2"
x = "480 m"
waypoint = [{ at = "226 ms", x = "459 m", y = "382 m" }, { at = "2641 ms", x = "529 m", y = "208 m" }]
[[topology.node]]
name = "3"
x = "720 m"
[[topology.node]]
name = "4"
x = "960 m"
waypoint = [{ at = "79 ms", x = "558 m", y = "34 m" }, { at = "991 ms", x = "764 m", y = "173 m" }]
"#;
    renumbering_changes_nothing(&Case::new(WAYS), "ways");
}

/// The ends of a cross are hidden from each other, and equally far from its arms: of two frames that begin together an
/// arm owns one, and it counts its slots from the end of the last frame that it owned.
#[test]
fn renumbering_changes_nothing_where_equal_frames_meet_and_slots_are_counted_in_seconds() {
    const CROSS: &str = r#"
topology = { kind = "cross", hops = 2, spacing = "150 m" }
routing = { kind = "dsdv", dsdv = { period = "1 s", startup-jitter = "200 ms", settling = "1 s" } }
mac = { slot = "10 us", timeout-slack = "0 us" }
flow = [
    { kind = "on-off", from = "2", to = "4", rate = "3 Mbps", packet = "200 B", transport = "udp", on = "235 ms", off = "72 ms", start = "0 s" },
    { kind = "cbr", from = "0", to = "3", rate = "200 kbps", packet = "200 B", start = "0 s" },
]
run = { duration = "3 s", seed = 20 }
tcp.initial-window = 5
"#;
    renumbering_changes_nothing(&Case::new(CROSS), "cross");
}
