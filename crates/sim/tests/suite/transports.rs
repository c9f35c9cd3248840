//! Transports that hear more of the path than TCP does, in whole networks.

use crate::common::{Case, Outcome};

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.flows()[0][name].as_f64().unwrap_or_else(|| panic!("no {name}"))
}

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.json["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}"))
}

/// The middle node of four hops is away from 40 s to 100 s.
#[test]
fn adtcp_freezes_while_the_path_is_cut_and_goes_on_at_once() {
    let partition = |technique| Case::shipped("partition").set("measure.sample", "0 s").technique(technique);
    let (alone, cured) = (partition("none").run(1), partition("adtcp").run(1));
    assert_eq!(counter(&cured, "shim.freezes"), 1);
    assert!((55_000..62_000).contains(&counter(&cured, "shim.frozen-ms")));
    assert!(counter(&cured, "shim.probes") > 20, "one a timeout");
    assert_eq!(counter(&cured, "adtcp.disconnected"), 1, "the receiver knows it too");
    assert!(figure(&cured, "resume_s") < 0.5 * figure(&alone, "resume_s"));
}

#[test]
fn adtcp_repairs_what_bit_errors_take_and_shrinks_before_queues_do() {
    let noisy = Case::shipped("chain-lossy").set("measure.sample", "0 s").technique("adtcp").run(1);
    assert!(counter(&noisy, "judge.repairs") > 0 && counter(&noisy, "adtcp.channel-error") > 0);
    let chain = |technique| Case::chain(7).technique(technique).run(1);
    let (alone, cured) = (chain("none"), chain("adtcp"));
    assert!(counter(&cured, "judge.slowed") > 0 && counter(&cured, "adtcp.congestion") > 0);
    assert!(figure(&cured, "rtt_mean_s") < 0.9 * figure(&alone, "rtt_mean_s"));
}

/// Neither half of it means anything without the other.
#[test]
fn adtcp_is_not_had_by_halves() {
    for (key, value) in [("tcp.judge", "\"adtcp\""), ("shim.kind", "\"adtcp\"")] {
        let error = Case::chain(2).set(key, value).try_resolve().expect_err("half of it");
        assert!(error.contains("hang together"), "{error}");
    }
}
