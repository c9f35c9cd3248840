//! Cures that listen to the network, in a network that breaks: which node is told what, and when TCP goes on.

use crate::common::{Case, Outcome};

/// Four hops whose middle node is away from 40 s to 100 s.
fn partition(technique: &str) -> Case {
    Case::shipped("partition").set("measure.sample", "0 s").technique(technique)
}

/// The same, but that a link is cut.
fn cut(technique: &str) -> Case {
    let mut case = partition(technique);
    for (event, at, kind) in [(0, 40, "link-down"), (1, 100, "link-up")] {
        let text = format!("{{ at = \"{at} s\", kind = \"{kind}\", from = \"2\", to = \"3\" }}");
        case = case.set(&format!("event.{event}"), text);
    }
    case
}

fn resume(outcome: &Outcome) -> f64 {
    outcome.flows()[0]["resume_s"].as_f64().expect("the flow went on")
}

fn lost(outcome: &Outcome) -> f64 {
    outcome.flows()[0]["outage_lost_bytes"].as_f64().expect("something returned")
}

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.json["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}"))
}

/// TCP alone has backed off to 32 s: its sixth timeout comes 63 s after the first, whenever the node is back.
#[test]
fn tcp_alone_goes_on_when_its_timer_says_so() {
    let alone = partition("none").run(1);
    assert_eq!(counter(&alone, "tcp.timeouts"), 6);
    assert!((2.0..5.0).contains(&resume(&alone)), "{}", resume(&alone));
    let later = partition("none").set("event.1.at", "\"106 s\"").set("run.duration", "\"200 s\"").run(1);
    assert!((50.0..64.0).contains(&resume(&later)), "just missed: {}", resume(&later));
}

/// What is lost is the payload of the segments that died while node 2 was away: each probe of ELFN's is one of them.
#[test]
fn bytes_lost_are_those_of_the_outage() {
    let (often, seldom) = (partition("elfn:0.5s").run(1), partition("elfn:8s").run(1));
    assert!(lost(&often) > 100.0 * 1460.0 && lost(&often) < 140.0 * 1460.0, "{}", lost(&often));
    assert!(lost(&seldom) < 0.25 * lost(&often) && lost(&seldom) > 0.0, "{}", lost(&seldom));
    assert_eq!(lost(&often) % 1460.0, 0.0, "whole segments");
    let quiet = Case::shipped("chain-3hop").run(1);
    assert!(quiet.flows()[0]["outage_lost_bytes"].is_null() && quiet.flows()[0]["resume_s"].is_null());
    // a node that is up does not return by being told to
    let up = "run.duration = \"60 s\"\ntopology = { kind = \"chain\", hops = 3 }\n[[flow]]\nfrom = 0\nto = 3\n\
        [[event]]\nat = \"20 s\"\nkind = \"node-up\"\nnode = 1\n";
    let needless = Case::new(up).run(1);
    assert!(needless.flows()[0]["outage_lost_bytes"].is_null() && needless.flows()[0]["resume_s"].is_null());
}

#[test]
fn a_link_that_is_not_there_neither_fails_nor_returns() {
    let link = |at: u32, kind: &str, to: u32| {
        format!("[[event]]\nat = \"{at} s\"\nkind = \"link-{kind}\"\nfrom = \"0\"\nto = \"{to}\"\n")
    };
    let run = |events: &[String]| {
        let base = "run.duration = \"60 s\"\ntopology = { kind = \"chain\", hops = 3 }\n[[flow]]\nfrom = 0\nto = 3\n";
        Case::new(&format!("{base}{}", events.concat())).run(1).flows()[0]["resume_s"].as_f64()
    };
    assert_eq!(run(&[link(20, "up", 1)]), None, "joined already");
    assert_eq!(run(&[link(20, "down", 3), link(30, "up", 3)]), None, "three hops away");
    let once = run(&[link(20, "down", 1), link(30, "up", 1)]);
    assert!(once.is_some_and(|took| took > 0.0));
    let twice = run(&[link(20, "down", 1), link(30, "up", 1), link(30, "up", 1)]);
    assert_eq!(twice, once);
    let late = run(&[link(20, "down", 1), link(30, "up", 1), link(50, "up", 1)]);
    assert_eq!(late, once);
}

#[test]
fn elfn_stands_by_and_goes_on_within_a_probe() {
    for (interval, later) in [("500 ms", 0.5), ("2 s", 2.0), ("8 s", 8.0)] {
        let cured = partition(&format!("elfn:interval={interval}")).run(1);
        assert!(resume(&cured) < later + 0.5, "{interval}: {}", resume(&cured));
        assert!(counter(&cured, "shim.frozen-ms") > 59_000, "all the while");
        assert!(counter(&cured, "signals.elfn") > 0 && counter(&cured, "shim.freezes") >= 1);
    }
}

/// Fixed routes never say that there is one again: the route-failure timer tries, and fails, until it succeeds.
#[test]
fn tcp_f_without_news_of_the_route_goes_on_with_its_timer() {
    let cured = partition("tcp-f").run(1);
    assert!(resume(&cured) < 10.5, "{}", resume(&cured));
    assert_eq!(counter(&cured, "signals.rrn"), 0);
    assert!((5..=8).contains(&counter(&cured, "shim.freezes")), "{}", counter(&cured, "shim.freezes"));
    let probing = partition("tcp-f:probe=true").run(1);
    assert!(resume(&probing) < 2.5, "{}", resume(&probing));
}

/// DSDV that hears of give-ups loses the route, and finds it again: the relay says both.
#[test]
fn tcp_f_over_a_protocol_that_finds_routes_goes_on_when_it_is_told() {
    let dsdv = |technique| {
        partition(technique)
            .set("routing.kind", "\"dsdv\"")
            .set("routing.dsdv.link-feedback", true)
            .set("routing.dsdv.settling", "\"0 s\"")
            .set("flow.0.start", "\"20 s\"")
            .run(1)
    };
    let (alone, cured) = (dsdv("none"), dsdv("tcp-f:timer=60 s"));
    assert!(counter(&cured, "signals.rfn") > 0 && counter(&cured, "signals.rrn") > 0);
    assert!(counter(&cured, "tcp.timeouts") < counter(&alone, "tcp.timeouts"));
    // Both wait for the route, which DSDV's periodic updates bring back hop by hop.
    assert!(resume(&cured) < resume(&alone) + 1.0, "{} {}", resume(&cured), resume(&alone));
}

/// AODV finds a route only when it is asked: the node at the break asks, and what it says wakes a source that would
/// sleep on.
#[test]
fn tcp_f_asleep_is_woken_by_the_news_of_a_route() {
    let asleep =
        |query: &str| cut(&format!("tcp-f:timer=500 s,query={query}")).set("routing.kind", "\"aodv\"").run(1);
    let (woken, never) = (asleep("2 s"), asleep("400 s"));
    assert!(resume(&woken) < 5.0, "{}", resume(&woken));
    assert_eq!((counter(&woken, "signals.rrn"), counter(&woken, "shim.freezes")), (1, 1));
    assert!(counter(&woken, "shim.frozen-ms") > 59_000, "it slept all the while");
    assert!(never.flows()[0]["resume_s"].is_null(), "nobody asks, nobody says");
    assert_eq!((counter(&never, "signals.rrn"), counter(&never, "shim.freezes")), (0, 1));
}

/// DSDV that does not listen to the MAC keeps its route until updates fail to appear, and until then there is nothing
/// to tell.
#[test]
fn dsdv_that_keeps_its_route_tells_nobody_that_it_is_gone() {
    let told = |feedback: bool| {
        let dsdv = partition("atcp").set("routing.kind", "\"dsdv\"").set("routing.dsdv.settling", "\"0 s\"");
        let heard = dsdv.set("routing.dsdv.link-feedback", feedback).set("flow.0.start", "\"20 s\"");
        let run = heard.set("measure.until", "\"60 s\"").set("run.duration", "\"100 s\"").run(1);
        assert!(
            counter(&run, "tcp.timeouts") + counter(&run, "shim.timeouts-hidden") > 0,
            "it has lost its way"
        );
        counter(&run, "signals.unreachable")
    };
    assert_eq!(told(false), 0);
    assert!(told(true) > 0);
}

/// All probe while there is no route, the modified ones more often: they go on sooner.
#[test]
fn atcp_goes_on_with_its_probes() {
    let resumed = |technique| {
        let cured = partition(technique).run(1);
        assert!(counter(&cured, "shim.probes") > 0 && counter(&cured, "signals.unreachable") > 0);
        assert!(counter(&cured, "tcp.timeouts") <= 1, "{technique}: {}", counter(&cured, "tcp.timeouts"));
        resume(&cured)
    };
    // Probes 1, 3, 7, 15, 31 and 63 s after the failure; or 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66 s.
    assert!((2.0..5.0).contains(&resumed("atcp")), "{}", resumed("atcp"));
    for technique in ["modified-atcp", "modified-atcp-sack"] {
        assert!(resumed(technique) < 11.0, "{technique}: {}", resumed(technique));
    }
}

/// What a timer or a probe that doubles waits depends on where the return falls between two of them; over outages of
/// many lengths the original is as late as TCP's own timer, and linear probes are not.
#[test]
fn over_outages_of_many_lengths_linear_probes_are_the_sooner() {
    let lengths: Vec<u64> = (4..=12).map(|tens| 10 * tens + 5).collect();
    let mean = |technique: &str| {
        let later = |length: &u64| {
            let case = partition(technique).set("event.1.at", format!("\"{} s\"", 40 + length));
            resume(&case.set("run.duration", "\"320 s\"").run(1))
        };
        let all: Vec<f64> = lengths.iter().map(later).collect();
        println!("{technique}: {all:.1?}");
        all.iter().sum::<f64>() / all.len() as f64
    };
    let (alone, atcp, modified) = (mean("none"), mean("atcp"), mean("modified-atcp"));
    println!("{alone:.1} {atcp:.1} {modified:.1}");
    assert!((0.8..1.25).contains(&(atcp / alone)), "{alone} {atcp}");
    assert!(modified < 0.6 * alone, "{alone} {modified}");
}

/// Marks reach ATCP's source, which leaves them to TCP: the window is halved, and nothing is stopped for them.
#[test]
fn atcp_leaves_the_marks_of_a_queue_to_tcp() {
    let text = "profile = \"rfc\"\nrun.duration = \"60 s\"\nmeasure.sample = \"0 s\"\n\
        topology = { kind = \"chain\", hops = 2 }\ntcp.max-window = 40\n\
        [[flow]]\nfrom = 0\nto = 2\n[[flow]]\nfrom = 0\nto = 2\n[[flow]]\nfrom = 0\nto = 2\n";
    let marked = |technique| {
        let run = Case::new(text).technique("red-ecn").technique(technique).run(1);
        assert!(counter(&run, "queue.marked") > 10, "{technique}: {}", counter(&run, "queue.marked"));
        run
    };
    for technique in ["atcp", "modified-atcp"] {
        let run = marked(technique);
        assert!(
            counter(&run, "tcp.ecn-reductions") > 5,
            "{technique}: {}",
            counter(&run, "tcp.ecn-reductions")
        );
        assert!(counter(&run, "shim.freezes") < counter(&run, "tcp.ecn-reductions"), "{technique}");
        let goodput =
            |run: &Outcome| run.flows().iter().filter_map(|flow| flow["goodput_bps"].as_f64()).sum::<f64>();
        let (with, without) = (goodput(&run), goodput(&marked("none")));
        assert!((0.85..1.15).contains(&(with / without)), "{technique}: {with} {without}");
    }
}

/// The queue keeps what the MAC gives up, and says so: the timer never fires.
#[test]
fn ebsn_and_the_persistent_queue_outlast_a_partition() {
    let kept = |technique| {
        let mut case = partition(technique);
        for set in ["queue.service", "queue.on-give-up"] {
            case = case.set(set, if set.ends_with("up") { "\"keep\"" } else { "\"drr\"" });
        }
        case.run(1)
    };
    let (alone, told) = (kept("none"), kept("ebsn"));
    assert!(counter(&told, "shim.restarts") > 10, "{}", counter(&told, "shim.restarts"));
    assert!(counter(&told, "tcp.timeouts") < counter(&alone, "tcp.timeouts"));
}

#[test]
fn a_cut_link_is_told_like_a_node_that_is_gone() {
    let cut = |technique| cut(technique).run(1);
    assert!(resume(&cut("elfn")) < 2.5);
    assert!(cut("none").json["counters"]["signals.elfn"].is_null(), "nobody was asked to tell");
}

/// Two flows over the same relays: the one that has a shim stands by, the other times out.
#[test]
fn a_flow_may_be_cured_alone() {
    let text = "profile = \"rfc\"\nrun.duration = \"120 s\"\nmeasure.sample = \"0 s\"\nsignals.elfn = true\n\
        topology = { kind = \"chain\", hops = 3 }\n\
        [[flow]]\nfrom = 0\nto = 3\nshim.kind = \"elfn\"\n[[flow]]\nfrom = 0\nto = 3\n\
        [[event]]\nat = \"20 s\"\nkind = \"node-down\"\nnode = 2\n\
        [[event]]\nat = \"70 s\"\nkind = \"node-up\"\nnode = 2\n";
    let run = Case::new(text).run(1);
    let timeouts = |flow: usize| run.flows()[flow]["timeouts"].as_u64().expect("a count");
    assert!(timeouts(0) + 3 < timeouts(1), "{} {}", timeouts(0), timeouts(1));
    assert!(run.flows()[0]["resume_s"].as_f64() < run.flows()[1]["resume_s"].as_f64());
}

#[test]
fn what_cannot_act_is_refused() {
    let wrong = |case: Case| case.try_resolve().expect_err("refused");
    let deaf = wrong(partition("none").set("shim.kind", "\"elfn\""));
    assert!(deaf.contains("waits for signals that no node sends") && deaf.contains("signals.elfn"), "{deaf}");
    let two = wrong(partition("elfn").technique("tcp-f"));
    assert!(two.contains("contradict each other") && two.contains("shim.kind"), "{two}");
    let udp = "topology = { kind = \"chain\", hops = 1 }\n[[flow]]\nkind = \"cbr\"\nrate = \"1 kbps\"\nfrom = 0\n\
               to = 1\nshim.kind = \"elfn\"\n";
    assert!(wrong(Case::new(udp)).contains("`shim` means nothing to a flow over UDP"));
    let bare = wrong(partition("modified-atcp-sack").set("tcp.loss", "\"dup-acks\""));
    assert!(bare.contains("needs a TCP with SACK"), "{bare}");
    let never = wrong(partition("elfn:interval=0 s"));
    assert!(never.contains("shim.elfn.probe-interval"), "{never}");
}

/// A packet that the queue keeps is not lost: only EBSN learns about it, and no cure stops for it.
#[test]
fn what_the_queue_keeps_is_told_as_lost_to_nobody() {
    for (technique, signal) in [
        ("elfn", "signals.elfn"),
        ("tcp-f", "signals.rfn"),
        ("tcp-bus", "signals.erdn"),
        ("atcp", "signals.unreachable"),
    ] {
        let case = Case::shipped("chain-lossy").set("run.duration", "150 s").set("measure.sample", "0 s");
        let run = case.technique("persistent-queue").technique(technique).run(1);
        assert!(counter(&run, "queue.kept") > 10, "{technique}: {}", counter(&run, "queue.kept"));
        assert_eq!(counter(&run, signal), 0, "{technique}");
        let freezes = counter(&run, "shim.freezes");
        assert!(
            freezes == 0 || technique == "atcp",
            "{technique}: {freezes}; ATCP stops for duplicate ACKs too"
        );
    }
}

/// Times to resume are of returns in the measured time, and of flows that had begun.
#[test]
fn a_flow_resumes_what_it_had_begun_in_the_measured_time() {
    let of = |key, value| partition("none").set(key, value).run(1).json["flows"][0]["resume_s"].clone();
    assert!(of("measure.warm-up", "10 s").is_f64());
    assert!(of("measure.warm-up", "101 s").is_null(), "the return was before");
    assert!(of("flow.0.start", "130 s").is_null(), "nothing had been interrupted");
}
