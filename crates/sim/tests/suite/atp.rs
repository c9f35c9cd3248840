//! ATP in whole networks, in the place of TCP.

use crate::common::{Case, Outcome, on_threads};
use multihop_proto::units::{Entity, Purpose, Rng};
use multihop_sim::probe::Column;

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.json["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}"))
}

/// A file over four hops.
fn file(size: &str) -> Case {
    Case::new(&format!(
        "profile = \"rfc\"\nrun.duration = \"60 s\"\nmeasure.sample = \"100 ms\"\n\
         topology = {{ kind = \"chain\", hops = 4, spacing = \"200 m\" }}\n\
         [[flow]]\nkind = \"file\"\nsize = \"{size}\"\nfrom = 0\nto = 4\ntransport = \"atp\"\n"
    ))
}

#[test]
fn a_flow_says_by_itself_that_it_runs_over_atp() {
    let run = file("200 kB").run(1);
    let flow = &run.flows()[0];
    assert_eq!(flow["transport"], "atp");
    assert_eq!(flow["delivered_bytes"], 200_000);
    assert!(flow["completion_s"].as_f64().is_some_and(|s| s < 30.0), "{}", flow["completion_s"]);
    assert!(counter(&run, "atp.reports") > 0 && counter(&run, "atp.quick-starts") == 1);
    assert!(counter(&run, "atp.stamped") >= 4 * 137, "source and three relays, 137 packets");
    let table = |name: &str| run.series.iter().find(|(known, _)| *known == name).map(|(_, table)| table);
    let rate = table("rate").and_then(|table| table.iter().find(|(name, _)| *name == "rate_pps"));
    let Some((_, Column::Float(rates))) = rate else { panic!("a series of rates") };
    assert!(rates.iter().any(|&rate| rate > 5.0), "{rates:?}");
}

/// What the idle path says lets it send more than the loaded one carries. Its queues fill, and it falls far; it must
/// not stay there.
#[test]
fn a_flow_that_overran_its_path_comes_back() {
    let highest_after_half = |seed: u64| {
        let run = Case::new(
            "profile = \"ns2\"\nrun.duration = \"40 s\"\nmeasure.sample = \"1 s\"\n\
             topology = { kind = \"chain\", hops = 4, spacing = \"200 m\" }\n\
             [[flow]]\nkind = \"bulk\"\nfrom = 0\nto = 4\ntransport = \"atp\"\n",
        )
        .run(seed);
        let table = run.series.iter().find(|(known, _)| *known == "rate").map(|(_, table)| table);
        let column = table.and_then(|table| table.iter().find(|(name, _)| *name == "rate_pps"));
        let Some((_, Column::Float(rates))) = column else { panic!("a series of rates") };
        rates[rates.len() / 2..].iter().copied().fold(0.0, f64::max)
    };
    for (seed, highest) in (1..).zip(on_threads(1..=6, highest_after_half)) {
        assert!(highest > 10.0, "seed {seed}: never more than {highest} packets in a second after 20 s");
    }
}

#[test]
fn no_relay_measures_where_nobody_runs_over_atp() {
    let run = Case::chain(3).set("run.duration", "\"110 s\"").set("measure.warm-up", "\"100 s\"").run(1);
    assert!(run.json["counters"]["atp.stamped"].is_null());
}

#[test]
fn what_bit_errors_take_in_spite_of_the_mac_is_sent_again() {
    let noisy = file("100 kB").set("air.bit-error-rate", 2e-5).set("mac.short-retry-limit", 3).run(1);
    assert_eq!(noisy.flows()[0]["delivered_bytes"], 100_000);
    assert!(counter(&noisy, "atp.retransmissions") > 0);
}

/// The middle node of four hops is away from 40 s to 100 s.
#[test]
fn a_cut_path_is_asked_for_until_it_is_back() {
    let partition = Case::shipped("partition").set("measure.sample", "0 s").technique("atp");
    let run = partition.run(1);
    assert!(counter(&run, "atp.missing-reports") >= 3 && counter(&run, "atp.quick-starts") == 1);
    assert!((50..62).contains(&counter(&run, "atp.probes")), "one a second");
    assert!(run.flows()[0]["resume_s"].as_f64().is_some_and(|s| s < 2.5), "{}", run.flows()[0]["resume_s"]);
    // Told of broken links, it waits for no report: each is a quick start.
    let told = partition.set("signals.elfn", true).run(1);
    let counts = ["signals.elfn", "atp.quick-starts", "atp.missing-reports"].map(|name| counter(&told, name));
    assert!(counts[0] > 0 && counts[1] > 1, "{counts:?}");
}

#[test]
fn it_takes_the_place_of_tcp_in_shipped_scenarios() {
    for name in ["cross-8", "mixed"] {
        let run = Case::shipped(name).technique("atp").set("measure.sample", "\"0 s\"").run(1);
        for flow in run.flows() {
            assert!(["atp", "udp"].contains(&flow["transport"].as_str().expect("a name")), "{name}");
        }
        assert!(run.goodput() > 50_000.0, "{name}: {}", run.goodput());
        assert!(run.json["counters"]["tcp.sent"].is_null(), "{name}");
    }
}

#[test]
fn over_the_slotted_link_it_is_refused() {
    let error = Case::shipped("frn-chain").set("atp.replaces-tcp", true).try_resolve().expect_err("no queue");
    assert!(error.contains("link.kind = \"frn\" has none"), "{error}");
}

/// Files over a grid whose nodes go and return, noisy or not: what is delivered is what was sent, or part of it in
/// order; the ledger balances (every run checks it), and the same happens twice.
#[test]
fn any_mishaps_balance_and_repeat_themselves() {
    let story = |number: u64| {
        let dice = &mut Rng::stream(number, 1, Entity::Whole, Purpose::Traffic);
        let mut text = "profile = \"rfc\"\nrun.duration = \"30 s\"\nmeasure.sample = \"0 s\"\n\
                        topology = { kind = \"grid\", columns = 3, rows = 3, spacing = \"200 m\" }\n"
            .to_owned();
        for (from, to) in [(0, 8), (2, 6)] {
            text += &format!(
                "[[flow]]\nkind = \"file\"\nsize = \"40 kB\"\ntransport = \"atp\"\nfrom = {from}\nto = {to}\n"
            );
        }
        let (node, at) = (dice.below(9), 500 + 100 * dice.below(60));
        for (when, what) in [(at, "down"), (at + 100 + 100 * dice.below(60), "up")] {
            text += &format!("[[event]]\nat = \"{when} ms\"\nkind = \"node-{what}\"\nnode = {node}\n");
        }
        let case = Case::new(&text)
            .set("routing.kind", ["\"static\"", "\"aodv\"", "\"dsdv\""][dice.below(3) as usize])
            .set("signals.elfn", dice.below(2) == 0)
            .set("queue.limit", 2 + dice.below(30))
            .set("air.bit-error-rate", ["0.0", "1e-5", "5e-5"][dice.below(3) as usize]);
        let (once, again) = (case.run(1), case.run(1));
        assert_eq!(once.json, again.json, "{number}: not the same twice");
        for flow in once.flows() {
            let delivered = flow["delivered_bytes"].as_u64().expect("a number");
            assert!(delivered <= 40_000, "{number}: {delivered}");
            if !flow["completion_s"].is_null() {
                assert_eq!(delivered, 40_000, "{number}: all that was acknowledged has come");
            }
        }
        once.flows().iter().filter(|flow| !flow["completion_s"].is_null()).count()
    };
    let completed: usize = on_threads(1..=24, story).into_iter().sum();
    assert!(completed > 12, "that some complete is what makes it a test: {completed} of 48 files");
}
