//! Cures in which relays, receivers or both ends have a part, in a network that breaks: TCP-BuS, Freeze-TCP, ENIC; and
//! what several paths do to a flow.

use crate::common::{Case, Outcome};

/// Four hops whose middle node is away from 40 s to 100 s.
fn partition(technique: &str) -> Case {
    Case::shipped("partition").set("measure.sample", "0 s").technique(technique)
}

/// The same with the link beside the middle cut: a node that returns as an AODV router keeps silent for a while.
fn cut(routing: &str, technique: &str) -> Case {
    let event = |at, kind| format!("{{ at = \"{at} s\", kind = \"{kind}\", from = \"2\", to = \"3\" }}");
    partition(routing)
        .technique(technique)
        .set("event.0", event(40, "link-down"))
        .set("event.1", event(100, "link-up"))
}

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.flows()[0][name].as_f64().unwrap_or_else(|| panic!("no {name}"))
}

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.json["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}"))
}

#[test]
fn tcp_bus_keeps_what_is_under_way_and_goes_on_with_a_query() {
    let (alone, cured) = (partition("none").run(1), partition("tcp-bus").run(1));
    assert!(figure(&cured, "resume_s") < 2.5, "{}", figure(&cured, "resume_s"));
    assert!(figure(&cured, "outage_lost_bytes") < 0.5 * figure(&alone, "outage_lost_bytes"));
    assert!(counter(&cured, "signals.erdn") > 0 && counter(&cured, "signals.ersn") > 0);
    assert!(counter(&cured, "shim.frozen-ms") > 55_000, "{}", counter(&cured, "shim.frozen-ms"));
    assert!(figure(&cured, "retransmissions") < figure(&alone, "retransmissions"));
}

#[test]
fn a_receiver_that_is_warned_loses_nothing_and_opens_at_once() {
    let warned = partition("freeze-tcp").run(1);
    assert!(figure(&warned, "outage_lost_bytes") < 100.0, "probes of a byte each");
    assert!(figure(&warned, "resume_s") < 0.5 && counter(&warned, "shim.freezes") == 1);
    assert_eq!(counter(&warned, "tcp.timeouts"), 0, "the persist state is no timeout");
    // A warning comes too late if its ACK does not reach the sender before the break.
    let late = partition("freeze-tcp:warning=1ms").run(1);
    let (bytes, resume) = (figure(&late, "outage_lost_bytes"), figure(&late, "resume_s"));
    assert!(bytes > 1460.0, "{bytes} {resume}");
    let never = partition("freeze-tcp:warning=0s").run(1);
    assert_eq!(counter(&never, "shim.freezes"), 0);
    assert_eq!(figure(&never, "goodput_bps"), figure(&partition("none").run(1), "goodput_bps"));
}

#[test]
fn an_outage_that_leaves_a_way_is_none() {
    // A diamond: the route of AODV may lead through either node.
    let text = "profile = \"rfc\"\nrun.duration = \"20 s\"\nmeasure.sample = \"0 s\"\n\
        topology = { kind = \"explicit\", node = [\n\
        { name = \"a\", x = \"0 m\" }, { name = \"b\", x = \"150 m\", y = \"150 m\" },\n\
        { name = \"c\", x = \"150 m\", y = \"-150 m\" }, { name = \"d\", x = \"300 m\" } ] }\n\
        [[flow]]\nfrom = \"a\"\nto = \"d\"\n[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"b\"\n\
        [[event]]\nat = \"8 s\"\nkind = \"node-down\"\nnode = \"c\"\n\
        [[event]]\nat = \"12 s\"\nkind = \"node-up\"\nnode = \"b\"\n";
    let run = Case::new(text).technique("aodv").technique("freeze-tcp").run(1);
    assert_eq!(counter(&run, "shim.freezes"), 1, "when the second goes");
    assert!((3900..4400).contains(&counter(&run, "shim.frozen-ms")), "until either is back");
    let fixed = Case::new(text).technique("freeze-tcp").run(1);
    assert_eq!(
        counter(&fixed, "shim.freezes"),
        1,
        "fixed routes have one way, and it leads through the first"
    );
    assert!(
        (7000..7500).contains(&counter(&fixed, "shim.frozen-ms")),
        "{}",
        counter(&fixed, "shim.frozen-ms")
    );
}

/// Both relays of a diamond go, at once or within the time of a warning; and one that comes back for less than that.
#[test]
fn an_outage_is_foreseen_with_all_that_happens_until_then() {
    for (text, frozen) in [
        (
            "[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"b\"\n[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"c\"\n",
            5000,
        ),
        (
            "[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"b\"\n[[event]]\nat = \"5.1 s\"\nkind = \"node-down\"\nnode = \"c\"\n",
            4900,
        ),
        (
            "[[event]]\nat = \"0 s\"\nkind = \"node-down\"\nnode = \"c\"\n[[event]]\nat = \"4 s\"\nkind = \"node-down\"\nnode = \"b\"\n\
          [[event]]\nat = \"5 s\"\nkind = \"node-up\"\nnode = \"b\"\n[[event]]\nat = \"5.2 s\"\nkind = \"node-down\"\nnode = \"b\"\n",
            6000,
        ),
    ] {
        let run = Case::new(&format!(
            "profile = \"rfc\"\nrun.duration = \"20 s\"\nmeasure.sample = \"0 s\"\n\
            topology = {{ kind = \"explicit\", node = [\n\
            {{ name = \"a\", x = \"0 m\" }}, {{ name = \"b\", x = \"150 m\", y = \"150 m\" }},\n\
            {{ name = \"c\", x = \"150 m\", y = \"-150 m\" }}, {{ name = \"d\", x = \"300 m\" }} ] }}\n\
            [[flow]]\nfrom = \"a\"\nto = \"d\"\n{text}\
            [[event]]\nat = \"10 s\"\nkind = \"node-up\"\nnode = \"b\"\n"
        ))
        .technique("aodv")
        .technique("freeze-tcp")
        .run(1);
        assert_eq!(counter(&run, "shim.freezes"), 1, "{text}");
        let found = counter(&run, "shim.frozen-ms");
        assert!((frozen + 240..frozen + 300).contains(&found), "{found} for {frozen}\n{text}");
    }
}

/// What happens when a flow has ended is of no concern to it.
#[test]
fn a_flow_that_has_ended_is_told_of_nothing() {
    for (stop, freezes) in [("12 s", 1), ("4 s", 0)] {
        let text = format!(
            "profile = \"rfc\"\nrun.duration = \"20 s\"\nmeasure.sample = \"0 s\"\n\
             topology = {{ kind = \"chain\", hops = 2, spacing = \"200 m\" }}\n\
             [[flow]]\nfrom = 0\nto = 2\nstop = \"{stop}\"\n\
             [[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = 1\n"
        );
        let run = Case::new(&text).technique("freeze-tcp").run(1);
        assert_eq!(counter(&run, "shim.freezes"), freezes, "{stop}");
    }
}

/// Of two flows to one node only the one whose source goes is frozen.
#[test]
fn a_flow_is_told_of_its_own_outage() {
    let text = "profile = \"rfc\"\nrun.duration = \"20 s\"\nmeasure.sample = \"0 s\"\n\
        topology = { kind = \"explicit\", node = [\n\
        { name = \"a\", x = \"0 m\" }, { name = \"d\", x = \"150 m\" }, { name = \"b\", x = \"300 m\" } ] }\n\
        [[flow]]\nfrom = \"a\"\nto = \"d\"\n[[flow]]\nfrom = \"b\"\nto = \"d\"\n\
        [[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"a\"\n\
        [[event]]\nat = \"15 s\"\nkind = \"node-up\"\nnode = \"a\"\n";
    let run = Case::new(text).technique("freeze-tcp").run(1);
    assert_eq!(counter(&run, "shim.freezes"), 1);
}

/// With fading the oracle goes by the mean: whether one frame would have come through says nothing.
#[test]
fn fading_decides_nothing_about_an_outage() {
    for number in 1..=10 {
        let case =
            partition("freeze-tcp:margin=0").set("air.fading", "rayleigh").set("topology.spacing", "130 m");
        let run = case.run(number);
        assert_eq!(counter(&run, "shim.freezes"), 1, "run {number}");
        assert!(counter(&run, "shim.frozen-ms") < 61_000, "run {number}");
    }
}

/// One relay goes for good, and another walks in: the receiver is told within a second of its being in reach.
#[test]
fn an_outage_is_over_when_somebody_walks_into_the_gap() {
    let text = "profile = \"rfc\"\nrun.duration = \"40 s\"\nmeasure.sample = \"0 s\"\n\
        topology = { kind = \"explicit\", node = [\n\
        { name = \"a\", x = \"0 m\" }, { name = \"b\", x = \"200 m\" }, { name = \"d\", x = \"400 m\" },\n\
        { name = \"c\", x = \"200 m\", y = \"1000 m\", waypoint = [{ at = \"10 s\", x = \"200 m\", y = \"1000 m\" },\n\
        { at = \"20 s\", x = \"200 m\", y = \"0 m\" }] } ] }\n\
        [[flow]]\nfrom = \"a\"\nto = \"d\"\n[[event]]\nat = \"5 s\"\nkind = \"node-down\"\nnode = \"b\"\n";
    let run = Case::new(text).technique("aodv").technique("freeze-tcp").run(1);
    assert_eq!(counter(&run, "shim.freezes"), 1);
    // 250 m from both is 150 m beside the line between them: at 18.5 s
    let frozen = counter(&run, "shim.frozen-ms");
    assert!((13_500..14_800).contains(&frozen), "{frozen}");
    assert!(figure(&run, "goodput_bps") > 1e5, "{}", figure(&run, "goodput_bps"));
}

/// A receiver that walks away, is out of reach for a while and comes back: its own signals tell it.
#[test]
fn fading_signals_are_a_warning() {
    let text = "profile = \"rfc\"\nrun.duration = \"60 s\"\nmeasure.sample = \"0 s\"\n\
        topology = { kind = \"explicit\", node = [{ name = \"a\", x = \"0 m\" }, { name = \"b\", x = \"150 m\", waypoint = [\n\
        { at = \"10 s\", x = \"150 m\" }, { at = \"30 s\", x = \"350 m\" }, { at = \"50 s\", x = \"150 m\" },\n\
        ] }] }\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n";
    let warned = Case::new(text).technique("freeze-tcp").run(1);
    assert!(counter(&warned, "shim.freezes") >= 1);
    assert!(counter(&warned, "shim.frozen-ms") > 15_000, "{}", counter(&warned, "shim.frozen-ms"));
    let alone = Case::new(text).run(1);
    assert!(figure(&alone, "timeouts") >= 3.0 && figure(&warned, "timeouts") == 0.0);
    let blind = Case::new(text).technique("freeze-tcp:margin=0").run(1);
    assert_eq!(counter(&blind, "shim.freezes"), 0);
}

#[test]
fn enic_hears_of_the_route_from_routing_itself() {
    for routing in ["aodv", "dsr"] {
        let (alone, cured) = (cut(routing, "none").run(1), cut(routing, "enic").run(1));
        assert!(counter(&cured, "shim.freezes") >= 2, "{routing}: both ends");
        assert!(counter(&cured, "shim.frozen-ms") > 30_000, "{routing}");
        // AODV looks for a route for 21.5 s, the last request after 10 s; DSR at doubling intervals.
        assert!(figure(&cured, "resume_s") < 22.0, "{routing}: {}", figure(&cured, "resume_s"));
        assert!(figure(&alone, "timeouts") >= 5.0);
    }
    let deaf = partition("enic").try_resolve().expect_err("fixed routes say nothing");
    assert!(deaf.contains("routing.kind"), "{deaf}");
}

/// Where frames are lost though the route stands, the notice of the loss repairs it: the window does not hear of it.
#[test]
fn enic_repairs_what_is_lost_on_the_air() {
    let lossy = Case::shipped("chain-3hop")
        .set("routing.kind", "\"dsdv\"")
        .set("air.bit-error-rate", 2e-4)
        .set("run.duration", "\"60 s\"")
        .set("measure.warm-up", "\"0 s\"")
        .set("flow.0.start", "\"20 s\"")
        .set("measure.sample", "0 s");
    let cured = lossy.technique("enic").run(1);
    assert!(counter(&cured, "signals.loss") > 0 && counter(&cured, "shim.retransmissions") > 0);
}

#[test]
fn several_paths_reorder_what_one_path_does_not() {
    let grid = |technique| {
        let text = "profile = \"rfc\"\nrun.duration = \"30 s\"\nmeasure.sample = \"0 s\"\n\
            topology = { kind = \"grid\", columns = 3, rows = 3, spacing = \"200 m\" }\n[[flow]]\nfrom = 0\nto = 8\n";
        Case::new(text).technique(technique).run(1)
    };
    let (one, two) = (grid("none"), grid("multipath"));
    assert!(counter(&two, "multipath.spread") > 100);
    assert!(
        figure(&two, "reordered") > 20.0 * (1.0 + figure(&one, "reordered")),
        "{}",
        figure(&two, "reordered")
    );
    assert!(figure(&two, "fast_retransmits") > figure(&one, "fast_retransmits"));
    let chain = Case::shipped("chain-3hop").technique("multipath").run(1);
    assert_eq!(counter(&chain, "multipath.spread"), 0, "a chain has one path");
    assert_eq!(
        figure(&chain, "goodput_bps"),
        figure(&Case::shipped("chain-3hop").run(1), "goodput_bps"),
        "and is as with static routes"
    );
}
